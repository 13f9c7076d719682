//! Builds pages from nodes with the built-in components.

use crate::mdx::{Attribute, AttributeValue, Node, NodeKind, Value};

/// A node without a position in a file.
pub(super) fn node(kind: NodeKind, children: Vec<Node>) -> Node {
    Node { kind, children, span: 0..0, line: 0, column: 0 }
}

/// A use of a built-in component.
pub(super) fn component(name: &str, props: Vec<(&str, Value)>, children: Vec<Node>) -> Node {
    let attribute = |(name, value): (&str, Value)| Attribute {
        name: name.to_owned(),
        value: AttributeValue::Known(value),
    };
    let attributes = props.into_iter().map(attribute).collect();
    node(NodeKind::Jsx { name: name.to_owned(), attributes, inline: false }, children)
}

pub(super) fn text(text: impl Into<String>) -> Node {
    node(NodeKind::Text { value: text.into() }, Vec::new())
}

pub(super) fn inline_code(code: impl Into<String>) -> Node {
    node(NodeKind::InlineCode { value: code.into() }, Vec::new())
}

pub(super) fn strong(words: &str) -> Node {
    node(NodeKind::Strong, vec![text(words)])
}

pub(super) fn paragraph(children: Vec<Node>) -> Node {
    node(NodeKind::Paragraph, children)
}

pub(super) fn heading(depth: u8, title: impl Into<String>) -> Node {
    node(NodeKind::Heading { depth, id: None }, vec![text(title)])
}

/// A code block without a title.
pub(super) fn untitled_code(language: &str, code: impl Into<String>) -> Node {
    let (language, meta, value) = (Some(language.to_owned()), None, code.into());
    node(NodeKind::Code { language, meta, value }, Vec::new())
}

/// A code block. `title` is the label of its tab.
pub(super) fn code(language: &str, title: &str, code: impl Into<String>) -> Node {
    let kind = NodeKind::Code {
        language: Some(language.to_owned()),
        meta: Some(format!("title={} wrap", serde_json::Value::from(title))),
        value: code.into(),
    };
    node(kind, Vec::new())
}

/// A text of the spec, parsed, with the text itself, which agents get.
pub(super) fn described(text: &str, nodes: Vec<Node>) -> Node {
    let attribute = Attribute {
        name: MARKDOWN.to_owned(),
        value: AttributeValue::Text(text.trim().to_owned()),
    };
    // A fragment: readers see its children only.
    node(NodeKind::Jsx { name: String::new(), attributes: vec![attribute], inline: false }, nodes)
}

/// Nodes whose highest heading has at least this level. The others keep their distance to it.
pub(super) fn lowered(mut nodes: Vec<Node>, top: u8) -> Vec<Node> {
    let shift = highest(&nodes).map_or(0, |highest| top.saturating_sub(highest));
    if shift > 0 {
        lower(&mut nodes, shift);
    }
    nodes
}

fn highest(nodes: &[Node]) -> Option<u8> {
    let level = |node: &Node| match node.kind {
        NodeKind::Heading { depth, .. } => Some(depth),
        _ => highest(&node.children),
    };
    nodes.iter().filter_map(level).min()
}

fn lower(nodes: &mut [Node], shift: u8) {
    for node in nodes {
        if let NodeKind::Heading { depth, .. } = &mut node.kind {
            *depth = (*depth + shift).min(6);
        }
        lower(&mut node.children, shift);
    }
}

/// The attribute of a fragment with the text that it was parsed from.
pub(super) const MARKDOWN: &str = "markdown";

/// A label with a value: `Format: uuid`.
pub(super) fn fact(label: &str, value: impl Into<String>) -> Node {
    paragraph(vec![text(format!("{label}: ")), inline_code(value)])
}

/// A line of inline code separated by commas, after its first words.
pub(super) fn codes<C: Into<String>>(
    mut line: Vec<Node>,
    codes: impl IntoIterator<Item = C>,
) -> Node {
    for (index, code) in codes.into_iter().enumerate() {
        line.extend((index > 0).then(|| text(", ")));
        line.push(inline_code(code));
    }
    paragraph(line)
}

/// One part below its label, or several parts in tabs. `empty` stands in a tab without content.
pub(super) fn tabs(
    parts: Vec<(&str, Vec<Node>)>,
    label: impl Fn(&str) -> Node,
    empty: impl Fn(&str) -> Node,
) -> Vec<Node> {
    if parts.len() < 2 {
        let labeled = |(title, content)| [vec![paragraph(vec![label(title)])], content].concat();
        return parts.into_iter().flat_map(labeled).collect();
    }
    let tab = |(title, mut content): (&str, Vec<Node>)| {
        if content.is_empty() {
            content.push(paragraph(vec![empty(title)]));
        }
        component("Tab", vec![("title", word(title))], content)
    };
    let tabs = parts.into_iter().map(tab).collect();
    vec![component("Tabs", vec![("sync", Value::Bool(false))], tabs)]
}

/// A link within the page or to another place.
pub(super) fn link(url: impl Into<String>, children: Vec<Node>) -> Node {
    node(NodeKind::Link { url: url.into(), title: None }, children)
}

/// A block with an id.
pub(super) fn anchored(id: &str, children: Vec<Node>) -> Node {
    component("div", vec![("id", word(id))], children)
}

/// Shorthand for a text prop.
pub(super) fn word(text: impl Into<String>) -> Value {
    Value::Text(text.into())
}
