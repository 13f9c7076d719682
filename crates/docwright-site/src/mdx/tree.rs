//! The MDX tree: an author's text with the position of each node in the source.

use std::ops::Range;

use super::Value;

/// A node of the tree.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// The kind of the node.
    pub kind: NodeKind,
    /// The nodes inside it.
    pub children: Vec<Node>,
    /// Byte range in the text that was parsed.
    pub span: Range<usize>,
    /// 1-based line in the source file (frontmatter counts).
    pub line: u32,
    /// 1-based column.
    pub column: u32,
}

impl Node {
    /// Its approximate size in bytes, with its children.
    pub fn size(&self) -> usize {
        64 + self.own_size() + self.children.iter().map(Self::size).sum::<usize>()
    }

    /// The bytes of its own text and attributes.
    pub fn own_size(&self) -> usize {
        match &self.kind {
            NodeKind::Text { value }
            | NodeKind::Code { value, .. }
            | NodeKind::InlineCode { value }
            | NodeKind::Math { value }
            | NodeKind::InlineMath { value }
            | NodeKind::Html { value } => value.len(),
            NodeKind::Link { url, .. } | NodeKind::Image { url, .. } => url.len(),
            NodeKind::Jsx { attributes, .. } => attributes.iter().map(Attribute::size).sum(),
            _ => 0,
        }
    }
}

/// Kinds follow mdast (<https://github.com/syntax-tree/mdast>) and its MDX extension.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs, reason = "names and fields are those of mdast")]
pub enum NodeKind {
    Paragraph,
    /// `id` is the author's `{#id}`.
    Heading {
        depth: u8,
        id: Option<String>,
    },
    ThematicBreak,
    BlockQuote,
    List {
        ordered: bool,
        start: u32,
        spread: bool,
    },
    ListItem {
        checked: Option<bool>,
        spread: bool,
    },
    Code {
        language: Option<String>,
        meta: Option<String>,
        value: String,
    },
    Math {
        value: String,
    },
    Text {
        value: String,
    },
    Emphasis,
    Strong,
    Delete,
    InlineCode {
        value: String,
    },
    InlineMath {
        value: String,
    },
    Break,
    /// References are resolved: a reference link is a `Link` as well.
    Link {
        url: String,
        title: Option<String>,
    },
    Image {
        url: String,
        alt: String,
        title: Option<String>,
    },
    Table {
        align: Vec<Align>,
    },
    TableRow,
    TableCell,
    FootnoteReference {
        identifier: String,
        label: String,
    },
    FootnoteDefinition {
        identifier: String,
        label: String,
    },
    /// `<Name …>`: an HTML element, a component, or a fragment (`name` is empty).
    /// `inline` is true for an element within a paragraph.
    Jsx {
        name: String,
        attributes: Vec<Attribute>,
        inline: bool,
    },
    /// `{…}`, without its braces.
    Expression {
        value: String,
        inline: bool,
    },
    /// `import` and `export` statements.
    Esm {
        value: String,
    },
    /// Raw markup from an author's code.
    Html {
        value: String,
    },
    /// The children of an author's component at the place where the component shows them, by their number on
    /// the page.
    Slot {
        index: usize,
    },
}

/// Alignment of a table column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "plain words")]
pub enum Align {
    None,
    Left,
    Center,
    Right,
}

/// An attribute of a JSX element.
#[derive(Debug, Clone, PartialEq)]
pub struct Attribute {
    /// Its name; empty for a spread (`{...props}`).
    pub name: String,
    /// Its value.
    pub value: AttributeValue,
}

impl Attribute {
    fn size(&self) -> usize {
        self.name.len()
            + match &self.value {
                AttributeValue::True => 0,
                AttributeValue::Text(text) | AttributeValue::Expression(text) => text.len(),
                AttributeValue::Known(value) => value.size(),
            }
    }
}

/// The value of an [`Attribute`].
#[derive(Debug, Clone, PartialEq)]
pub enum AttributeValue {
    /// `<A b>`
    True,
    /// `<A b="text">`, entities decoded.
    Text(String),
    /// A value returned by code.
    Known(Value),
    /// `<A b={expression}>` or `<A {...expression}>`, without braces (and dots).
    Expression(String),
}
