//! Converts MDX elements to JavaScript like a JSX compiler, with slots for Markdown.

use std::fmt::Write as _;

use serde_json::Value as Json;

use super::PageRenderer;
use crate::mdx::{Attribute, AttributeValue, Node, NodeKind};

impl PageRenderer<'_> {
    /// `h(Name, {…}, …)` for an element.
    pub(super) fn element_source(
        &mut self,
        name: &str,
        attributes: &[Attribute],
        children: &[Node],
    ) -> String {
        let kind = if name.is_empty() {
            "Fragment".to_owned()
        } else if is_path(name) && name.starts_with(|first: char| !first.is_ascii_lowercase()) {
            let base = name.split('.').next().unwrap_or(name);
            format!("(typeof {base} === \"undefined\" ? undefined : {name})")
        } else {
            Json::from(name).to_string()
        };
        let mut source = format!("h({kind}, {{");
        for attribute in attributes {
            let name = Json::from(attribute.name.as_str());
            let _ = match &attribute.value {
                AttributeValue::Expression(code) if attribute.name.is_empty() => {
                    write!(source, "...({code}\n), ")
                }
                AttributeValue::Expression(code) if code.trim().is_empty() => Ok(()),
                AttributeValue::Expression(code) => write!(source, "{name}: ({code}\n), "),
                AttributeValue::True => write!(source, "{name}: true, "),
                AttributeValue::Text(text) => {
                    write!(source, "{name}: {}, ", Json::from(self.interpolate(text)))
                }
                AttributeValue::Known(value) => {
                    let json = self.value_as_json(value);
                    write!(source, "{name}: {json}, ")
                }
            };
        }
        source.push('}');
        for child in self.children_source(children) {
            source.push_str(", ");
            source.push_str(&child);
        }
        source.push(')');
        source
    }

    /// One JavaScript expression per child. Elements stay elements, since components inspect their children;
    /// Markdown becomes slots.
    fn children_source(&mut self, children: &[Node]) -> Vec<String> {
        let mut sources = Vec::new();
        let mut markdown = Vec::new();
        for child in children {
            let source = match &child.kind {
                NodeKind::Jsx { name, attributes, .. } if !self.is_snippet_here(name) => {
                    Some(self.element_source(name, attributes, &child.children))
                }
                NodeKind::Expression { value, .. } if is_shown(value) => {
                    Some(format!("({value}\n)"))
                }
                NodeKind::Expression { .. } => continue,
                NodeKind::Text { value } if value.trim().is_empty() => None,
                NodeKind::Text { value } if markdown.is_empty() && children.len() == 1 => {
                    Some(Json::from(value.as_str()).to_string())
                }
                // Components expect plain text, not the paragraph that MDX creates.
                NodeKind::Paragraph => plain_paragraph(child),
                _ => None,
            };
            match source {
                Some(source) => {
                    self.close_slot(&mut markdown, &mut sources);
                    sources.push(source);
                }
                None => markdown.push(child.clone()),
            }
        }
        self.close_slot(&mut markdown, &mut sources);
        sources
    }

    /// An MDX snippet renders separately, with its own scope.
    fn is_snippet_here(&self, name: &str) -> bool {
        let mut imports = self.frame().module.imports.iter();
        let imported = imports
            .any(|import| import.local == name && import.is_snippet() && import.imported.is_none());
        name == "Snippet" || imported
    }

    fn close_slot(&mut self, markdown: &mut Vec<Node>, sources: &mut Vec<String>) {
        let nodes = std::mem::take(markdown);
        let blank =
            |node: &Node| matches!(&node.kind, NodeKind::Text { value } if value.trim().is_empty());
        if !nodes.iter().all(blank) {
            sources.push(self.slot(nodes).to_string());
        } else if sources.is_empty() || nodes.is_empty() {
            // White space at the edges, or nothing at all.
        } else {
            sources.push("\" \"".to_owned());
        }
    }
}

/// A paragraph with only text, as an element.
fn plain_paragraph(node: &Node) -> Option<String> {
    match node.children.as_slice() {
        [Node { kind: NodeKind::Text { value }, .. }] => {
            Some(format!("h(\"p\", null, {})", Json::from(value.as_str())))
        }
        _ => None,
    }
}

/// Comments and empty braces show nothing; `{{name}}` is a variable, not code.
fn is_shown(expression: &str) -> bool {
    let trimmed = expression.trim();
    !(trimmed.is_empty() || trimmed.starts_with("/*") && trimmed.ends_with("*/"))
}

/// Whether a name is a valid JavaScript identifier.
pub(super) fn is_identifier(name: &str) -> bool {
    const RESERVED: &[&str] = &[
        "class",
        "default",
        "for",
        "function",
        "if",
        "in",
        "new",
        "return",
        "switch",
        "this",
        "var",
        "let",
        "const",
        "while",
        "with",
        "case",
        "do",
        "else",
        "enum",
        "export",
        "import",
        "try",
        "typeof",
        "void",
        "delete",
        "null",
        "true",
        "false",
        "super",
        "static",
        "yield",
        "await",
        "eval",
        "arguments",
        "package",
        "private",
        "public",
        "protected",
        "interface",
        "props",
    ];
    let mut letters = name.chars();
    letters.next().is_some_and(|first| first.is_alphabetic() || matches!(first, '_' | '$'))
        && letters.all(|letter| letter.is_alphanumeric() || matches!(letter, '_' | '$'))
        && !RESERVED.contains(&name)
}

fn is_path(name: &str) -> bool {
    name.split('.').all(is_identifier)
}
