//! Limits the steps of parsing a text. They are counted before the parser runs.
//!
//! The parser scans a paragraph again for certain marks in it, so a short text can take hours. The maximum for
//! a paragraph follows from its length and its marks. Paragraphs over the budget lose their formatting but no
//! words. A text with unclosed tags is shown completely as plain text.

use std::{collections::BTreeSet, ops::Range};

use super::{Node, NodeKind, ParseProblem, mask::unmask};

/// Maximum steps of one text. A step takes about a nanosecond; the largest known pages need a tenth.
const MAXIMUM_STEPS: u64 = 4_000_000_000;
/// Marks of quotes and lists at the beginning of one line.
const MAXIMUM_NESTING: u64 = 100;
/// The remedy for a paragraph that takes too many steps.
const HELP: &str = "split it with empty lines, put it into a code block, or use fewer marks";

/// Marks with a meaning for the parser, in the order of [`STANDINS`]. `$` has its own mask.
const MARKS: &[u8; 23] = b"!#&*+-./:<=>@[\\]^_`{|}~";
/// A replacement for each mark: control characters, which don't occur after masking.
const STANDINS: [u8; 23] =
    [4, 5, 6, 7, 8, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31];

/// The maximum steps of parsing a text.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Plan {
    /// Steps of paragraphs that keep their formatting, and of passes over the whole text.
    pub(super) steps: u64,
    /// Paragraphs that lose their formatting.
    pub(super) plain: Vec<Range<usize>>,
    /// Whether the whole text does.
    pub(super) all_plain: bool,
}

impl Plan {
    /// Counts the steps of a masked text. `mdx`: braces and tags have a meaning.
    pub(super) fn of(text: &str, mdx: bool) -> Self {
        let mut plan = Self::default();
        let mut tags = Tags::default();
        let mut paragraph = Paragraph::default();
        let mut at = 0;
        for line in text.split_inclusive('\n') {
            if line.trim().is_empty() {
                plan.add(std::mem::take(&mut paragraph), at, mdx);
            } else {
                paragraph.add(line, at);
                tags.add(line);
            }
            at += line.len();
        }
        plan.add(paragraph, at, mdx);
        if mdx {
            plan.steps = plan.steps.saturating_add(tags.steps(text.len()));
        }
        plan.all_plain = plan.steps > MAXIMUM_STEPS;
        plan
    }

    fn add(&mut self, paragraph: Paragraph, end: usize, mdx: bool) {
        let Some(start) = paragraph.start else { return };
        let steps = self.steps.saturating_add(paragraph.steps(end - start, mdx));
        if steps > MAXIMUM_STEPS || paragraph.nesting > MAXIMUM_NESTING {
            self.plain.push(start..end);
        } else {
            self.steps = steps;
        }
    }

    /// Takes the formatting from the paragraphs that are to lose it, byte for byte.
    pub(super) fn apply(&self, text: String) -> String {
        if self.plain.is_empty() {
            return text;
        }
        let mut bytes = text.into_bytes();
        for range in &self.plain {
            for byte in &mut bytes[range.clone()] {
                if let Some(at) = MARKS.iter().position(|mark| mark == byte) {
                    *byte = STANDINS[at];
                }
            }
        }
        // Only ASCII characters were replaced by ASCII characters.
        String::from_utf8(bytes).unwrap_or_default()
    }

    /// Its diagnostics: one for each paragraph, up to ten.
    pub(super) fn problems(&self) -> Vec<ParseProblem> {
        if self.all_plain {
            return vec![ParseProblem {
                offset: 0,
                message:
                    "this text takes too many steps to read; it is shown without its formatting"
                        .to_owned(),
                help: "close all tags and braces, or split the page",
                over_budget: true,
            }];
        }
        let problem = |range: &Range<usize>| ParseProblem {
            offset: range.start,
            message:
                "this paragraph takes too many steps to read; it is shown without its formatting"
                    .to_owned(),
            help: HELP,
            over_budget: true,
        };
        self.plain.iter().take(10).map(problem).collect()
    }
}

/// Consecutive lines without an empty one. If they are several paragraphs or a table, parsing takes fewer steps
/// than counted.
#[derive(Debug, Default)]
struct Paragraph {
    start: Option<usize>,
    /// `{` and `<`: for each, the parser computes its position in the paragraph.
    openers: u64,
    /// Whether code or formulas can be around them, which takes a closer look.
    has_spans: bool,
    /// Lengths of runs of backticks. For each, the parser searches the rest for a run of the same length.
    runs: BTreeSet<usize>,
    underscores: u64,
    tildes: u64,
    nesting: u64,
}

impl Paragraph {
    fn add(&mut self, line: &str, at: usize) {
        self.start.get_or_insert(at);
        for byte in line.bytes() {
            match byte {
                b'{' | b'<' => self.openers += 1,
                b'`' | b'$' => self.has_spans = true,
                b'_' => self.underscores += 1,
                b'~' | b'^' => self.tildes += 1,
                _ => {}
            }
        }
        let runs = line.split(|letter| letter != '`').map(str::len);
        self.runs.extend(runs.filter(|length| *length > 0));
        self.nesting = self.nesting.max(nesting(line));
    }

    fn steps(&self, length: usize, mdx: bool) -> u64 {
        let length = length as u64;
        let look = if self.has_spans { 10 } else { 3 };
        let openers =
            if mdx { self.openers.saturating_mul(length).saturating_mul(look) } else { 0 };
        let pairs = |marks: u64| marks.saturating_mul(marks) / 2;
        let runs = (self.runs.len() as u64).saturating_mul(length).saturating_mul(10);
        openers
            .saturating_add(pairs(self.underscores))
            .saturating_add(pairs(self.tildes))
            .saturating_add(runs)
            .saturating_add(length)
    }
}

/// The number of quotes and lists at the start of a line.
fn nesting(line: &str) -> u64 {
    let mut count = 0;
    let mut previous = b' ';
    for byte in line.bytes() {
        match byte {
            b'>' => count += 1,
            b' ' | b'\t' if matches!(previous, b'-' | b'+' | b'*' | b'.' | b')') => count += 1,
            b' ' | b'\t' | b'-' | b'+' | b'*' | b'.' | b')' | b'0'..=b'9' => {}
            _ => break,
        }
        previous = byte;
    }
    count
}

/// Elements at the start of a line. The parser searches the rest of the text for the end of each.
#[derive(Debug, Default)]
struct Tags {
    opened: u64,
    closed: u64,
}

impl Tags {
    fn add(&mut self, line: &str) {
        let start = line.trim_start();
        let mut letters = start.bytes();
        let begins = letters.next() == Some(b'<');
        if begins && letters.next().is_some_and(|next| next.is_ascii_alphabetic() || next == b'>') {
            self.opened += 1;
        }
        self.closed += (line.matches("</").count() + line.matches("/>").count()) as u64;
    }

    fn steps(&self, length: usize) -> u64 {
        self.opened.saturating_sub(self.closed).saturating_mul(length as u64).saturating_mul(10)
    }
}

/// A text as paragraphs, without the parser.
pub(super) fn plain(text: &str, first_line: u32) -> Vec<Node> {
    let mut nodes = Vec::new();
    let mut paragraph: Option<(usize, u32)> = None;
    let mut at = 0;
    let mut end = |paragraph: &mut Option<(usize, u32)>, at: usize| {
        let Some((start, line)) = paragraph.take() else { return };
        let node = |kind, children| Node { kind, children, span: start..at, line, column: 1 };
        let value = unmask(text[start..at].trim_end());
        nodes.push(node(NodeKind::Paragraph, vec![node(NodeKind::Text { value }, Vec::new())]));
    };
    for (number, line) in (first_line..).zip(text.split_inclusive('\n')) {
        if line.trim().is_empty() {
            end(&mut paragraph, at);
        } else {
            paragraph.get_or_insert((at, number));
        }
        at += line.len();
    }
    end(&mut paragraph, at);
    nodes
}

/// The mark that a control character replaces.
pub(super) fn mark_of(standin: char) -> Option<char> {
    let byte = u8::try_from(standin).ok()?;
    STANDINS.iter().position(|each| *each == byte).map(|at| char::from(MARKS[at]))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Steps and plain paragraphs of a text.
    fn plan(text: &str) -> (u64, usize, bool) {
        let plan = Plan::of(text, true);
        (plan.steps, plan.plain.len(), plan.all_plain)
    }

    #[test]
    fn budget_limits_every_family_at_any_length() {
        for family in [
            "_a_",
            "{1} ",
            "`{a}` ",
            "$x$ {a} ",
            "<b>a\n",
            "|c `x`|d {z}|\n",
            "~a ~~b ",
            "<Note>\n\na\n\n",
        ] {
            for length in [10_000, 2_000_000] {
                let (steps, plain, all) = plan(&family.repeat(length / family.len()));
                assert!(steps <= MAXIMUM_STEPS || all, "{family:?} {length}: {steps}");
                let is_long = length > 10_000;
                assert_eq!(plain > 0 || all, is_long, "{family:?} {length}: {steps}");
            }
        }
    }

    #[test]
    fn ordinary_pages_stay_far_below_the_budget() {
        let table =
            "| `name` | `string` | What it **does**, see [there](/a_b_c) and `{braces}` |\n";
        let prose = "Some *text* with `code`, [links](/a) and <b>tags</b>.\n\n";
        assert_eq!(plan(&table.repeat(500)).1, 0);
        let (steps, plain, all) = plan(&prose.repeat(20_000));
        assert!(steps < MAXIMUM_STEPS / 20 && plain == 0 && !all, "{steps}");
    }

    #[test]
    fn paragraph_over_budget_loses_its_marks_and_no_other_does() {
        let bad = "{a} `b` ".repeat(20_000);
        let text = format!("*one*\n\n{bad}\n\n*two*\n");
        let plan = Plan::of(&text, true);
        let plain: Vec<_> = plan.plain.iter().map(|range| (range.start, range.end)).collect();
        assert_eq!((plain, plan.all_plain), (vec![(7, 7 + bad.len() + 1)], false));
        let applied = plan.apply(text.clone());
        assert_eq!(applied.len(), text.len());
        assert!(!applied[7..].trim_start().starts_with('{') && applied.ends_with("*two*\n"));
        assert_eq!(unmask(&applied), text);
        assert_eq!(plan.problems()[0].offset, 7);
    }

    #[test]
    fn nesting_of_one_line_is_counted() {
        assert_eq!((nesting("> > - a - b"), nesting("1. 2. a"), nesting("a > b")), (3, 2, 0));
        assert_eq!(plan(&">".repeat(200)).1, 1);
    }
}
