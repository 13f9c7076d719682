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

pub(super) fn paragraph(children: Vec<Node>) -> Node {
    node(NodeKind::Paragraph, children)
}

pub(super) fn heading(depth: u8, title: impl Into<String>) -> Node {
    node(NodeKind::Heading { depth, id: None }, vec![text(title)])
}

/// A code block. `title` is the label of its tab.
pub(super) fn code(language: &str, title: &str, code: impl Into<String>) -> Node {
    let kind = NodeKind::Code {
        language: Some(language.to_owned()),
        meta: Some(format!("title={title:?}")),
        value: code.into(),
    };
    node(kind, Vec::new())
}

/// Shorthand for a text prop.
pub(super) fn word(text: impl Into<String>) -> Value {
    Value::Text(text.into())
}
