//! Positions of Markdown pieces: children of a component lose their indentation, and the replacement of a
//! component gets the margin of the list or quote around it.

use std::ops::Range;

use super::{Around, MarkdownVersion};
use crate::{
    mdx::{Node, NodeKind},
    render::whole_links::{Edit, edited},
};

/// Markdown that replaces a node. Its lines have no margin.
pub(super) struct Piece {
    pub(super) text: String,
    /// Whether it has its own lines.
    pub(super) is_block: bool,
}

impl Piece {
    pub(super) fn block(text: String) -> Self {
        Self { text, is_block: true }
    }

    pub(super) fn inline(text: String) -> Self {
        Self { text, is_block: false }
    }

    /// The edit that puts it in place of a node. Without a margin, it is put on a single line.
    pub(super) fn placed(self, node: &Node, body: &str, margin: Option<&str>) -> Edit {
        let (start, end) = (node.span.start, node.span.end);
        let Some(margin) = margin else {
            return Edit { start, end, text: in_line(&self.text) };
        };
        let text = self.text.replace('\n', &format!("\n{margin}"));
        if !self.is_block {
            return Edit { start, end, text };
        }
        let gap = format!("\n{}\n{margin}", margin.trim_end());
        let before = line_before(body, start);
        let is_alone = without_margin(before).is_empty();
        let (start, lead) = if !is_alone {
            (start, gap.as_str())
        } else if before.trim().is_empty() {
            let earlier = line_before(body, (start - before.len()).saturating_sub(1));
            let lead = if is_blank(earlier) { margin } else { &gap[1..] };
            (start - before.len(), lead)
        } else {
            // Behind the mark of an item or a quote.
            (start, "")
        };
        let mut lines = body.get(end..).unwrap_or_default().split('\n');
        let rest = lines.next().unwrap_or_default();
        let tail = if !rest.trim().is_empty() {
            gap.as_str()
        } else if lines.next().is_none_or(is_blank) {
            ""
        } else {
            &gap[..gap.len() - margin.len() - 1]
        };
        Edit { start, end, text: format!("{lead}{text}{tail}") }
    }
}

impl MarkdownVersion<'_> {
    /// The children of an element as blocks without a margin.
    pub(super) fn content(&self, name: &str, node: &Node) -> String {
        self.content_with(name, node, "\n\n")
    }

    /// The children with another separator than an empty line between the blocks.
    pub(super) fn content_with(&self, name: &str, node: &Node, separator: &str) -> String {
        self.blocks(&node.children, self.inside(node), name, separator)
    }

    /// The children of an element on one line.
    pub(super) fn line(&self, node: &Node) -> String {
        let (Some(first), Some(last)) = (node.children.first(), node.children.last()) else {
            return String::new();
        };
        let mut edits = Vec::new();
        self.collect(&node.children, Around { element: "", margin: None }, &mut edits);
        in_line(&edited(self.body, first.span.start..last.span.end, edits))
    }

    /// The part of the text between the tags of an element.
    pub(super) fn inside(&self, node: &Node) -> Range<usize> {
        let (Some(first), Some(last)) = (node.children.first(), node.children.last()) else {
            return node.span.end..node.span.end;
        };
        let tag = self.body.get(node.span.start..first.span.start).unwrap_or_default();
        let start = tag.rfind('>').map_or(first.span.start, |at| node.span.start + at + 1);
        let rest = self.body.get(last.span.end..node.span.end).unwrap_or_default();
        let end = rest.rfind("</").map_or(last.span.end, |at| last.span.end + at);
        start..end
    }

    /// Nodes of a part of the text as blocks without a margin.
    pub(super) fn blocks(
        &self,
        nodes: &[Node],
        part: Range<usize>,
        element: &str,
        separator: &str,
    ) -> String {
        let mut blocks: Vec<String> = Vec::new();
        let mut at = part.start;
        let mut rest = nodes;
        while let Some(first) = rest.first() {
            let words = rest.iter().take_while(|node| !is_block(node)).count().max(1);
            let (group, after) = rest.split_at(words);
            let span = first.span.start..group[words - 1].span.end;
            blocks.extend(self.definitions(at..span.start));
            blocks.push(self.block(group, span.clone(), element));
            at = span.end.max(at);
            rest = after;
        }
        blocks.extend(self.definitions(at..part.end));
        blocks.retain(|block| !block.trim().is_empty());
        blocks.join(separator)
    }

    /// One block, or a run of inline nodes, without the margin of its first line.
    fn block(&self, group: &[Node], span: Range<usize>, element: &str) -> String {
        if let [node] = group {
            if matches!(node.kind, NodeKind::Esm { .. }) {
                return String::new();
            }
            if let Some(piece) = self.piece(node, element) {
                return piece.text;
            }
        }
        let margin = margin_at(self.body, span.start);
        let mut edits = Vec::new();
        self.collect(group, Around { element, margin: Some(&margin) }, &mut edits);
        without(&edited(self.body, span, edits), &margin)
    }

    /// Definitions of links between two nodes, since definitions aren't nodes.
    fn definitions(&self, gap: Range<usize>) -> Option<String> {
        let text = self.body.get(gap)?;
        let lines = text.lines().map(without_margin).filter(|line| line.starts_with('['));
        let lines: Vec<_> = lines.collect();
        (!lines.is_empty()).then(|| lines.join("\n"))
    }
}

/// Whether a node has its own lines.
fn is_block(node: &Node) -> bool {
    match &node.kind {
        NodeKind::Jsx { inline, .. } | NodeKind::Expression { inline, .. } => !inline,
        NodeKind::Text { .. }
        | NodeKind::Emphasis
        | NodeKind::Strong
        | NodeKind::Delete
        | NodeKind::InlineCode { .. }
        | NodeKind::InlineMath { .. }
        | NodeKind::Break
        | NodeKind::Link { .. }
        | NodeKind::Image { .. }
        | NodeKind::FootnoteReference { .. } => false,
        _ => true,
    }
}

/// The spaces and marks at the start of the line before a node, with list marks as spaces.
pub(super) fn margin_at(body: &str, at: usize) -> String {
    let line = line_before(body, at);
    let margin = &line[..line.len() - without_margin(line).len()];
    let blank = |letter: char| if letter.is_whitespace() || letter == '>' { letter } else { ' ' };
    margin.chars().map(blank).collect()
}

/// The start of a line up to a position.
fn line_before(body: &str, at: usize) -> &str {
    body.get(..at).unwrap_or_default().rsplit('\n').next().unwrap_or_default()
}

/// A line without its blanks and its marks of lists and quotes. A mark has a blank behind it.
fn without_margin(line: &str) -> &str {
    let mut rest = line;
    loop {
        rest = rest.trim_start_matches([' ', '\t', '>']);
        let number = rest.trim_start_matches(|letter: char| letter.is_ascii_digit());
        let behind = if number.len() < rest.len() {
            number.strip_prefix(['.', ')'])
        } else {
            rest.strip_prefix(['-', '*', '+'])
        };
        match behind {
            Some(behind) if behind.is_empty() || behind.starts_with([' ', '\t']) => rest = behind,
            _ => return rest,
        }
    }
}

fn is_blank(line: &str) -> bool {
    line.trim_matches([' ', '\t', '\r', '>']).is_empty()
}

/// A text without its margin; the first line has none.
pub(super) fn without(text: &str, margin: &str) -> String {
    let lines = text.trim_matches('\n').split('\n').enumerate();
    let lines = lines.map(|(at, line)| if at == 0 { line } else { unindented(line, margin) });
    lines.collect::<Vec<_>>().join("\n").trim_end().to_owned()
}

/// A line without as much of the margin as it has.
fn unindented<'l>(line: &'l str, margin: &str) -> &'l str {
    let mut rest = line;
    for letter in margin.chars() {
        let is_same = |first: char| first == letter || letter != '>' && matches!(first, ' ' | '\t');
        match rest.strip_prefix(is_same) {
            Some(next) => rest = next,
            None if letter == '>' => break,
            None => {}
        }
    }
    rest
}

/// A text in one line.
pub(super) fn in_line(text: &str) -> String {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.collect::<Vec<_>>().join(" ")
}

/// A text with a mark before the first line and a margin before the others.
pub(super) fn with_margin(text: &str, mark: &str, margin: &str) -> String {
    let mut result = mark.to_owned();
    for (index, line) in text.lines().enumerate() {
        if index > 0 {
            result.push('\n');
            result.push_str(if line.is_empty() { margin.trim_end() } else { margin });
        }
        result.push_str(line);
    }
    result
}
