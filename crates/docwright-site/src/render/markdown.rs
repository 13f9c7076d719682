//! The Markdown version of a page: what an agent reads instead of the HTML.
//!
//! The author's own text, with imports and exports taken out, snippets put in, and what is for
//! readers only left out.

use super::{
    Element, RenderContext, Value,
    api::{channel_of, operation_of},
    evaluate::{Scope, evaluate, interpolate},
    module::Module,
};
use crate::{
    content::{Page, PageKind, document, frontmatter},
    mdx::{Attribute, AttributeValue, Node, NodeKind},
};

/// Snippets inside snippets end here.
const MAXIMUM_DEPTH: usize = 8;
/// Snippets make a Markdown version no longer than this. Bytes.
const MAXIMUM_LENGTH: usize = 4 * 1024 * 1024;

/// The body of a page as Markdown.
pub fn markdown_version(context: &RenderContext<'_>, page: &Page) -> String {
    match &page.kind {
        PageKind::Generated { content } => tidy(&format!("{content}\n\n{}", api(context, page))),
        PageKind::File if documents_api(page) => {
            let text = context.source.text(&page.path).unwrap_or_default();
            tidy(&format!("{}\n\n{}", &text[page.body_offset..], api(context, page)))
        }
        PageKind::File => {
            let text = context.source.text(&page.path).unwrap_or_default();
            let body = &text[page.body_offset..];
            if is_plain(body) {
                return tidy(body);
            }
            let module = Module::parse(body, page.body_line);
            let scope = module.constants.clone();
            tidy(
                &MarkdownVersion { context, path: &page.path, depth: 0 }
                    .expand(body, &module, &scope),
            )
        }
    }
}

fn documents_api(page: &Page) -> bool {
    page.frontmatter.openapi.is_some() || page.frontmatter.asyncapi.is_some()
}

/// The description of the page's operation or channel.
fn api(context: &RenderContext<'_>, page: &Page) -> String {
    if !context.content.config.markdown_schema {
        return String::new();
    }
    if let Some((_, channel)) = channel_of(context.content, page) {
        return channel.markdown();
    }
    operation_of(context.content, page).map_or_else(String::new, |(_, found)| found.markdown())
}

/// Most pages need nothing done, and need not be parsed again.
fn is_plain(body: &str) -> bool {
    let needles = ["import ", "export ", "<Snippet", "<Visibility"];
    !needles.iter().any(|needle| body.contains(needle))
}

/// No white space at the ends, no runs of empty lines.
fn tidy(text: &str) -> String {
    let mut tidied = String::with_capacity(text.len());
    let mut empty = 0;
    for line in text.trim().lines() {
        empty = if line.trim().is_empty() { empty + 1 } else { 0 };
        if empty < 2 {
            tidied.push_str(line.trim_end());
            tidied.push('\n');
        }
    }
    tidied
}

struct MarkdownVersion<'a> {
    context: &'a RenderContext<'a>,
    path: &'a str,
    depth: usize,
}

/// A part of the text and what stands in its place.
struct Edit {
    start: usize,
    end: usize,
    text: String,
}

impl MarkdownVersion<'_> {
    fn expand(&self, body: &str, module: &Module, scope: &Scope) -> String {
        let mut edits = Vec::new();
        self.collect(&module.nodes, body, module, scope, &mut edits);
        let mut result = String::with_capacity(body.len());
        let mut at = 0;
        edits.extend(module.statements.iter().map(|span| Edit {
            start: span.start,
            end: span.end,
            text: String::new(),
        }));
        edits.sort_by_key(|edit| edit.start);
        for edit in edits {
            if edit.start < at || edit.end > body.len() || result.len() > MAXIMUM_LENGTH {
                continue;
            }
            result.push_str(body.get(at..edit.start).unwrap_or_default());
            result.push_str(&edit.text);
            at = edit.end;
        }
        result.push_str(body.get(at..).unwrap_or_default());
        result
    }

    fn collect(
        &self,
        nodes: &[Node],
        body: &str,
        module: &Module,
        scope: &Scope,
        edits: &mut Vec<Edit>,
    ) {
        for node in nodes {
            let replacement = match &node.kind {
                NodeKind::Jsx { name, attributes, .. } => {
                    self.replacement(name, attributes, node, body, module, scope)
                }
                NodeKind::Code { .. } if self.depth > 0 => {
                    body.get(node.span.clone()).map(|code| interpolate(code, scope))
                }
                NodeKind::Expression { value, .. } if self.depth > 0 => {
                    evaluate(value, scope).to_text()
                }
                _ => None,
            };
            match replacement {
                Some(text) => edits.push(Edit { start: node.span.start, end: node.span.end, text }),
                None => self.collect(&node.children, body, module, scope, edits),
            }
        }
    }

    fn replacement(
        &self,
        name: &str,
        attributes: &[Attribute],
        node: &Node,
        body: &str,
        module: &Module,
        scope: &Scope,
    ) -> Option<String> {
        let text_of = |key: &str| {
            attributes.iter().find(|attribute| attribute.name == key).and_then(|attribute| {
                match &attribute.value {
                    AttributeValue::Text(text) => Some(text.clone()),
                    _ => None,
                }
            })
        };
        if name == "Visibility" {
            return match text_of("for").as_deref() {
                Some("humans") => Some(String::new()),
                Some("agents") => {
                    let (first, last) = (node.children.first()?, node.children.last()?);
                    body.get(first.span.start..last.span.end).map(str::to_owned)
                }
                _ => None,
            };
        }
        let path = if name == "Snippet" {
            let file = text_of("file")?;
            ["snippets", "_snippets"]
                .iter()
                .map(|folder| format!("{folder}/{file}"))
                .find(|path| self.context.source.contains(path))?
        } else {
            let import = module.imports.iter().find(|import| {
                import.local == name && import.is_snippet() && import.imported.is_none()
            })?;
            document::join(self.path, &import.target)?
        };
        let text = self.context.source.text(&path).filter(|_| self.depth < MAXIMUM_DEPTH)?;
        let inner_module = self.context.snippet(&path)?;
        let values = attributes.iter().map(|attribute| {
            let value = match &attribute.value {
                AttributeValue::True => Value::Bool(true),
                AttributeValue::Text(text) => Value::Text(text.clone()),
                AttributeValue::Known(value) => value.clone(),
                AttributeValue::Expression(expression) => evaluate(expression, scope),
            };
            (attribute.name.clone(), value)
        });
        let element = Element {
            name,
            attributes: values.collect(),
            children: &[],
            line: node.line,
            column: node.column,
            inline: false,
        };
        let inner_scope = super::PageRenderer::props_scope(&element, &inner_module.constants);
        let inner = MarkdownVersion { context: self.context, path: &path, depth: self.depth + 1 };
        let body = &text[frontmatter::split(text).body_offset..];
        Some(inner.expand(body, &inner_module, &inner_scope).trim().to_owned())
    }
}
