//! The nodes of an API page as Markdown for agents: what readers see, without layout.

use super::nodes::MARKDOWN;
use crate::mdx::{AttributeValue, Node, NodeKind, Value};

/// The Markdown of nodes that this module's siblings made.
pub fn markdown(nodes: &[Node]) -> String {
    let mut writer = Writer { text: String::new(), indent: 0, level: 2 };
    writer.blocks(nodes);
    writer.text
}

struct Writer {
    text: String,
    /// Spaces before each line: fields are in lists.
    indent: usize,
    /// The level of headings for tabs.
    level: usize,
}

impl Writer {
    fn blocks(&mut self, nodes: &[Node]) {
        for node in nodes {
            self.block(node);
        }
    }

    fn block(&mut self, node: &Node) {
        match &node.kind {
            NodeKind::Heading { depth, .. } => {
                let line =
                    format!("{} {}", "#".repeat(usize::from(*depth)), inline(&node.children));
                self.level = usize::from(*depth);
                self.paragraph(&line);
            }
            NodeKind::Paragraph => self.paragraph(&inline(&node.children)),
            NodeKind::List { .. } => {
                for item in &node.children {
                    self.item("", &item.children);
                }
            }
            NodeKind::Code { language, meta, value } => {
                let title = meta.as_deref().and_then(title_of).unwrap_or_default();
                self.paragraph(&fence(language.as_deref().unwrap_or_default(), &title, value));
            }
            NodeKind::Jsx { name, .. } => self.element(name, node),
            _ => self.paragraph(&inline(std::slice::from_ref(node))),
        }
    }

    fn element(&mut self, name: &str, node: &Node) {
        match name {
            "" if prop(node, MARKDOWN).is_some() => {
                let text = prop(node, MARKDOWN).unwrap_or_default();
                self.paragraph(&text);
            }
            "ParamField" | "ResponseField" => self.item(&field_line(node), &node.children),
            "Expandable" | "Accordion" => {
                let title = prop(node, "title").unwrap_or_default();
                if matches!(title.as_str(), "child attributes" | "options") {
                    self.blocks(&node.children);
                } else {
                    self.titled(&title, &node.children);
                }
            }
            "Tab" => self.titled(&prop(node, "title").unwrap_or_default(), &node.children),
            "Warning" => self.quote(&node.children),
            "RequestExample" => self.examples("Request example", node),
            "ResponseExample" => self.examples("Response example", node),
            _ => self.blocks(&node.children),
        }
    }

    /// A part with a title: below a heading, or an item among fields.
    fn titled(&mut self, title: &str, children: &[Node]) {
        if self.indent > 0 || self.level >= 6 {
            self.item(&format!("**{}**", escaped(title)), children);
            return;
        }
        self.level += 1;
        let line = format!("{} {}", "#".repeat(self.level), escaped(title));
        self.paragraph(&line);
        let level = self.level;
        self.blocks(children);
        self.level = level - 1;
    }

    fn examples(&mut self, title: &str, node: &Node) {
        self.level = 2;
        self.paragraph(&format!("## {title}"));
        self.blocks(&node.children);
    }

    fn quote(&mut self, children: &[Node]) {
        let paragraphs: Vec<_> =
            children.iter().map(|child| format!("> {}", inline(&child.children))).collect();
        self.paragraph(&paragraphs.join("\n>\n"));
    }

    fn item(&mut self, line: &str, children: &[Node]) {
        let start = self.text.len();
        self.indent += 2;
        if !line.is_empty() {
            self.line(line);
        }
        self.blocks(children);
        self.indent -= 2;
        // The first line of the item gets the mark of the list.
        let at =
            start + self.text[start..].find(|letter| letter != '\n').unwrap_or(0) + self.indent;
        if self.text[at..].starts_with("  ") {
            self.text.replace_range(at..at + 2, "- ");
        }
    }

    /// A block, with an empty line before it, except after the line of its item.
    fn paragraph(&mut self, text: &str) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        self.line(text);
    }

    fn line(&mut self, text: &str) {
        for line in text.lines() {
            if !line.trim().is_empty() {
                self.text.extend(std::iter::repeat_n(' ', self.indent));
                self.text.push_str(line);
            }
            self.text.push('\n');
        }
    }
}

/// The name of a field and facts about it on one line.
fn field_line(node: &Node) -> String {
    let places = ["path", "query", "header", "cookie", "body", "name"];
    let Some((place, name)) = places.iter().find_map(|place| Some((place, prop(node, place)?)))
    else {
        return String::new();
    };
    // In the order of the line that readers see.
    let mut facts = texts(node, "pre");
    facts.push(code(&name));
    facts.extend(prop(node, "type").map(|kind| code(&kind)));
    facts.extend((*place != "name").then(|| (*place).to_owned()));
    let flags = ["required", "deprecated"].into_iter().filter(|flag| is_set(node, flag));
    facts.extend(flags.map(str::to_owned));
    facts.extend(prop(node, "default").map(|default| format!("default: {}", code(&default))));
    facts.extend(texts(node, "post"));
    facts.join(" ")
}

fn value<'n>(node: &'n Node, name: &str) -> Option<&'n AttributeValue> {
    let NodeKind::Jsx { attributes, .. } = &node.kind else { return None };
    attributes.iter().find(|attribute| attribute.name == name).map(|attribute| &attribute.value)
}

fn prop(node: &Node, name: &str) -> Option<String> {
    match value(node, name)? {
        AttributeValue::Text(text) | AttributeValue::Known(Value::Text(text)) => Some(text.clone()),
        _ => None,
    }
}

fn is_set(node: &Node, name: &str) -> bool {
    matches!(value(node, name), Some(AttributeValue::Known(Value::Bool(true))))
}

fn texts(node: &Node, name: &str) -> Vec<String> {
    let Some(AttributeValue::Known(Value::Array(values))) = value(node, name) else {
        return Vec::new();
    };
    let text =
        |value: &Value| if let Value::Text(text) = value { Some(text.clone()) } else { None };
    values.iter().filter_map(text).collect()
}

/// The title in the options of a code block.
fn title_of(meta: &str) -> Option<String> {
    let rest = meta.strip_prefix("title=")?;
    serde_json::Deserializer::from_str(rest).into_iter::<String>().next()?.ok()
}

fn inline(nodes: &[Node]) -> String {
    let mut line = String::new();
    for node in nodes {
        match &node.kind {
            NodeKind::Text { value } => line.push_str(&escaped(value)),
            NodeKind::InlineCode { value } => line.push_str(&code(value)),
            NodeKind::Strong => line.push_str(&format!("**{}**", inline(&node.children))),
            NodeKind::Link { url, .. } if !url.starts_with('#') => {
                let text = inline(&node.children);
                if text == escaped(url) {
                    line.push_str(&format!("<{url}>"));
                } else {
                    line.push_str(&format!("[{text}](<{url}>)"));
                }
            }
            _ => line.push_str(&inline(&node.children)),
        }
    }
    line
}

/// A text in which nothing is Markdown.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        if matches!(letter, '\\' | '`' | '*' | '_' | '[' | ']' | '<') {
            escaped.push('\\');
        }
        escaped.push(if letter == '\n' { ' ' } else { letter });
    }
    escaped
}

/// A fence with more marks than its code.
fn fence(language: &str, title: &str, code: &str) -> String {
    let longest = code.split(|letter| letter != '`').map(str::len).max().unwrap_or_default();
    let marks = "`".repeat(3.max(longest + 1));
    let title = title.replace(['`', '\n', '\r'], " ");
    let info = format!("{language} {title}");
    format!("{marks}{}\n{}\n{marks}", info.trim(), code.trim_end())
}

/// Inline code with as many marks as its text needs.
fn code(text: &str) -> String {
    let text = text.replace(['\n', '\r'], " ");
    let longest = text.split(|letter| letter != '`').map(str::len).max().unwrap_or_default();
    let marks = "`".repeat(longest + 1);
    let gap = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{marks}{gap}{text}{gap}{marks}")
}
