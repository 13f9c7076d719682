//! Reads untrusted Markdown in a confined process.

use docwright_site::mdx::{Node, NodeKind, parse_text};
use serde::{Deserialize, Serialize};

use super::{Failure, Request, Work, WorkResponse};

/// Stack of the reading thread, in bytes: a text can be as deep as it is long.
const STACK: usize = 64 * 1024 * 1024;
/// Limit of the expanded size of one text, in bytes: references can expand.
const MAXIMUM_LENGTH: usize = 1024 * 1024;
/// Size of a piece besides its text, in bytes.
const PIECE: usize = 32;

/// Read texts as Markdown. The answer has the pieces of each text, and `None` for a text that exceeds the limit.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Markdown {
    /// The texts.
    pub texts: Vec<String>,
}

/// A part of a text. Elements start and end in a list, since a tree could be too deep for its reader.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "plain words")]
pub enum Piece {
    Begin(Element),
    /// The end of the innermost open element.
    End,
    Text(String),
    Code(String),
    CodeBlock(String),
    Break,
    Rule,
}

/// An element that contains other pieces.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "plain words")]
pub enum Element {
    Paragraph,
    /// With its level.
    Heading(u8),
    Quote,
    List,
    /// With its first number.
    OrderedList(u32),
    /// In a list; with its state, if it is a task.
    Item(Option<bool>),
    Emphasis,
    Strong,
    Deleted,
    /// With its target.
    Link(String),
    Table,
    Row,
    Cell,
}

impl Work for Markdown {
    const NAME: &'static str = "the reading of Markdown";
    type Output = Vec<Option<Vec<Piece>>>;

    fn into_request(self) -> Request {
        Request::Markdown(self)
    }

    fn read_answer(answer: WorkResponse) -> Option<Self::Output> {
        match answer {
            WorkResponse::Pieces(pieces) => Some(pieces),
            _ => None,
        }
    }
}

impl Markdown {
    pub(super) fn perform(self) -> Result<Vec<Option<Vec<Piece>>>, Failure> {
        let read = move || self.texts.iter().map(|text| pieces(text)).collect();
        let reader = std::thread::Builder::new().stack_size(STACK).spawn(read);
        let reader = reader.map_err(Failure::passing)?;
        reader.join().map_err(|_| Failure::lasting("the text can't be read"))
    }
}

/// The pieces of a text; `None` if they are too long.
pub fn pieces(text: &str) -> Option<Vec<Piece>> {
    let mut writer = Writer { pieces: Vec::new(), left: MAXIMUM_LENGTH };
    writer.nodes(&parse_text(text))?;
    Some(writer.pieces)
}

struct Writer {
    pieces: Vec<Piece>,
    left: usize,
}

impl Writer {
    fn push(&mut self, piece: Piece, length: usize) -> Option<()> {
        self.left = self.left.checked_sub(PIECE + length)?;
        self.pieces.push(piece);
        Some(())
    }

    fn text(&mut self, text: &str) -> Option<()> {
        self.push(Piece::Text(text.to_owned()), text.len())
    }

    fn nodes(&mut self, nodes: &[Node]) -> Option<()> {
        nodes.iter().try_for_each(|node| self.node(node))
    }

    fn element(&mut self, element: Element, children: &[Node]) -> Option<()> {
        let length = if let Element::Link(url) = &element { url.len() } else { 0 };
        self.push(Piece::Begin(element), length)?;
        self.nodes(children)?;
        self.push(Piece::End, 0)
    }

    fn node(&mut self, node: &Node) -> Option<()> {
        let element = match &node.kind {
            NodeKind::Paragraph => Element::Paragraph,
            NodeKind::Heading { depth, .. } => Element::Heading(*depth),
            NodeKind::BlockQuote => Element::Quote,
            NodeKind::List { ordered: true, start, .. } => Element::OrderedList(*start),
            NodeKind::List { .. } => Element::List,
            NodeKind::ListItem { checked, .. } => Element::Item(*checked),
            NodeKind::Emphasis => Element::Emphasis,
            NodeKind::Strong => Element::Strong,
            NodeKind::Delete => Element::Deleted,
            NodeKind::Link { url, .. } => Element::Link(url.clone()),
            NodeKind::Table { .. } => Element::Table,
            NodeKind::TableRow => Element::Row,
            NodeKind::TableCell => Element::Cell,
            NodeKind::FootnoteDefinition { label, .. } => {
                self.text(&format!("[^{label}]: "))?;
                return self.nodes(&node.children);
            }
            NodeKind::Image { url, alt, .. } => {
                self.push(Piece::Begin(Element::Link(url.clone())), url.len())?;
                self.text(if alt.is_empty() { url } else { alt })?;
                return self.push(Piece::End, 0);
            }
            NodeKind::Jsx { .. } | NodeKind::Slot { .. } => return self.nodes(&node.children),
            _ => return self.leaf(&node.kind),
        };
        self.element(element, &node.children)
    }

    fn leaf(&mut self, kind: &NodeKind) -> Option<()> {
        match kind {
            NodeKind::ThematicBreak => self.push(Piece::Rule, 0),
            NodeKind::Break => self.push(Piece::Break, 0),
            NodeKind::Code { value, .. } => self.push(Piece::CodeBlock(value.clone()), value.len()),
            NodeKind::InlineCode { value }
            | NodeKind::Math { value }
            | NodeKind::InlineMath { value } => self.push(Piece::Code(value.clone()), value.len()),
            NodeKind::Text { value } | NodeKind::Html { value } | NodeKind::Esm { value } => {
                self.text(value)
            }
            NodeKind::Expression { value, .. } => self.text(&format!("{{{value}}}")),
            NodeKind::FootnoteReference { label, .. } => self.text(&format!("[^{label}]")),
            _ => Some(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_begin_and_end() {
        let text = |text: &str| Piece::Text(text.to_owned());
        let link = Element::Link("https://e.org".to_owned());
        let expected = vec![
            Piece::Begin(Element::Paragraph),
            text("a "),
            Piece::Begin(Element::Strong),
            text("b"),
            Piece::End,
            text(" "),
            Piece::Begin(link),
            text("c"),
            Piece::End,
            Piece::End,
        ];
        assert_eq!(pieces("a **b** [c](https://e.org)"), Some(expected));
    }

    #[test]
    fn text_with_too_many_elements_is_refused() {
        assert!(pieces(&"*a* ".repeat(1_000)).is_some());
        assert!(pieces(&"*a* ".repeat(16_000)).is_none());
    }
}
