//! The sections of a page in its Markdown version. The index names the headings of a page; this finds each of
//! them in the text.

use std::ops::Range;

use crate::{
    mdx::{self, Node, NodeKind},
    search::RankedPage,
};

/// Blocks longer than this are divided into their own blocks. Bytes.
const LONG: usize = 1_200;

/// A page with the places of its sections.
#[derive(Debug)]
pub(super) struct PageSections {
    text: String,
    /// Where the top of the page is: the text before its first heading.
    top: Range<usize>,
    /// Where each section is, without its heading; `None` if the text has no such heading.
    sections: Vec<Option<Range<usize>>>,
    /// The blocks of the page, in order.
    blocks: Vec<Block>,
}

/// A paragraph, list, table, or code.
#[derive(Debug, Clone)]
pub(super) struct Block {
    pub(super) place: Range<usize>,
    pub(super) is_heading: bool,
}

impl PageSections {
    /// Finds the sections of a page in its Markdown version.
    pub(super) fn new(text: String, page: &RankedPage) -> Self {
        let start = after_title(&text, &page.title);
        let lines = lines(&text, start);
        let mut at = 0;
        let headings: Vec<Option<(usize, usize)>> = page
            .headings
            .iter()
            .map(|heading| {
                let wanted = letters(&heading.text);
                let matches = |line: &&Line| !wanted.is_empty() && line.letters == wanted;
                let found = lines[at..].iter().position(|line| line.is_title && matches(&line));
                let found = at + found?;
                at = found + 1;
                Some((lines[found].place.start, lines[found].place.end))
            })
            .collect();
        let starts: Vec<usize> = headings.iter().flatten().map(|(start, _)| *start).collect();
        let end_of =
            |from: usize| starts.iter().copied().find(|start| *start >= from).unwrap_or(text.len());
        let sections =
            headings.iter().map(|found| found.map(|(_, end)| end..end_of(end).max(end))).collect();
        let top = start..end_of(start);
        let mut blocks = Vec::new();
        collect(&text, &mdx::parse_markdown(&text).nodes, &mut blocks);
        Self { text, top, sections, blocks }
    }

    /// The text of a section, or of the top of the page.
    pub(super) fn text_of(&self, section: Option<usize>) -> &str {
        self.place(section).and_then(|place| self.text.get(place)).unwrap_or_default()
    }

    /// A part of the page.
    pub(super) fn part(&self, place: Range<usize>) -> &str {
        self.text.get(place).unwrap_or_default()
    }

    /// The blocks of a section, in order.
    pub(super) fn blocks(&self, section: Option<usize>) -> Vec<&Block> {
        let Some(place) = self.place(section) else { return Vec::new() };
        let inside = |block: &&Block| {
            place.contains(&block.place.start) && block.place.end <= place.end && !block.is_heading
        };
        self.blocks.iter().filter(inside).collect()
    }

    fn place(&self, section: Option<usize>) -> Option<Range<usize>> {
        match section {
            Some(number) => self.sections.get(number)?.clone(),
            None => Some(self.top.clone()),
        }
    }
}

/// A line outside code.
struct Line {
    place: Range<usize>,
    letters: String,
    /// Whether it can be a heading: marked as one, or bold.
    is_title: bool,
}

fn lines(text: &str, start: usize) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut fence: Option<&str> = None;
    let mut at = start;
    for line in text[start..].split_inclusive('\n') {
        let place = at..at + line.len();
        at = place.end;
        let trimmed = line.trim();
        let marks = trimmed.len() - trimmed.trim_start_matches(['`', '~']).len();
        match fence {
            Some(open) => {
                if trimmed.len() == marks && trimmed.starts_with(open) {
                    fence = None;
                }
                continue;
            }
            None if marks >= 3 => {
                fence = Some(&trimmed[..marks]);
                continue;
            }
            None => {}
        }
        let name = trimmed.trim_start_matches(['>', '-', '*', ' ']);
        let is_title = trimmed.starts_with('#') || trimmed.contains("**") || name.starts_with('#');
        lines.push(Line { place, letters: letters(trimmed), is_title });
    }
    lines
}

/// The letters and digits of a heading, in lower case, without marks, targets of links, and the number of a step.
fn letters(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("](") {
        plain.push_str(&rest[..at]);
        rest = rest[at..].find(')').map_or("", |end| &rest[at + end + 1..]);
    }
    plain.push_str(rest);
    let plain = plain.trim_start_matches(|letter: char| !letter.is_alphanumeric());
    let number =
        plain.len() - plain.trim_start_matches(|letter: char| letter.is_ascii_digit()).len();
    let plain = if plain[number..].starts_with(". ") { &plain[number..] } else { plain };
    plain.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Where the page's own text starts: after its title.
fn after_title(text: &str, title: &str) -> usize {
    let line = format!("\n# {title}\n");
    text.find(&line).map_or(0, |at| at + line.len())
}

/// Collects the blocks of nodes. Long lists and quotes are divided.
fn collect(text: &str, nodes: &[Node], blocks: &mut Vec<Block>) {
    for node in nodes {
        let place = node.span.clone();
        let is_container = matches!(
            node.kind,
            NodeKind::List { .. } | NodeKind::ListItem { .. } | NodeKind::BlockQuote
        ) || matches!(&node.kind, NodeKind::Jsx { inline: false, .. });
        let has_blocks = node.children.iter().any(|child| is_block(&child.kind));
        if is_container && has_blocks && place.len() > LONG {
            collect(text, &node.children, blocks);
            continue;
        }
        if text.get(place.clone()).is_none_or(|text| text.trim().is_empty()) {
            continue;
        }
        let is_heading = matches!(node.kind, NodeKind::Heading { .. } | NodeKind::ThematicBreak);
        blocks.push(Block { place, is_heading });
    }
}

fn is_block(kind: &NodeKind) -> bool {
    matches!(
        kind,
        NodeKind::Paragraph
            | NodeKind::List { .. }
            | NodeKind::ListItem { .. }
            | NodeKind::BlockQuote
            | NodeKind::Code { .. }
            | NodeKind::Table { .. }
            | NodeKind::Heading { .. }
            | NodeKind::Jsx { inline: false, .. }
    )
}
