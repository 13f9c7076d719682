//! Converts MDX source to docwright's own tree, so that other modules don't depend on the parser.
//!
//! Contains the guards that prevent hostile input from hanging or crashing the parser, and converts its errors
//! to positions and sentences. It doesn't know components or pages.

mod budget;
mod convert;
mod guard;
mod html;
mod indentation;
mod mask;
mod tex;
mod tree;
mod value;

pub use tree::{Align, Attribute, AttributeValue, Node, NodeKind};
pub use value::Value;

use budget::Plan;
use satteri_pulldown_cmark::{DEFAULT_OPTIONS, MDX_OPTIONS};

use crate::Rule;

/// A text, parsed.
#[derive(Debug, Default)]
pub struct Parsed {
    /// The top-level nodes.
    pub nodes: Vec<Node>,
    /// Parts that could not be parsed; the nodes contain the rest.
    pub errors: Vec<ParseError>,
}

/// An error at one position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParseError {
    /// 1-based line in the source file.
    pub line: u32,
    /// 1-based column.
    pub column: u32,
    /// The error in a sentence, without a period.
    pub message: String,
    /// The remedy.
    pub help: &'static str,
    /// Whether the text takes too many steps, so it lost its formatting.
    pub over_budget: bool,
}

impl ParseError {
    /// The rule that the text breaks.
    pub fn rule(&self) -> Rule {
        if self.over_budget { Rule::TooComplex } else { Rule::InvalidMdx }
    }
}

/// Parses MDX. `first_line` is the line of the source file where the text starts.
///
/// It never fails: input that the parser can't handle is read as plain Markdown, with an error.
pub fn parse(source: &str, first_line: u32) -> Parsed {
    let masked = mask::mask(source);
    let mut errors: Vec<_> =
        masked.errors.iter().map(|error| error.place(source, first_line)).collect();
    let plan = Plan::of(&masked.text, true);
    errors.extend(plan.problems().iter().map(|error| error.place(source, first_line)));
    let text = plan.apply(masked.text);
    if plan.all_plain {
        return Parsed { nodes: budget::plain(&text, first_line), errors };
    }
    let refusal = guard::refuse(&text);
    if refusal.is_none()
        && let Some((nodes, found)) = try_convert(&text, MDX_OPTIONS, first_line)
    {
        errors.extend(found);
        return Parsed { nodes, errors };
    }
    let refusal = refusal.unwrap_or_else(|| ParseProblem {
        offset: 0,
        message: "this page can't be read as MDX; it is shown as plain Markdown".to_owned(),
        help: "look for tags and braces that are not closed",
        over_budget: false,
    });
    errors.push(refusal.place(source, first_line));
    let (mut nodes, found) = markdown(&text, first_line);
    errors.extend(found);
    // Invalid JSX is shown as written.
    html::show_as_text(&mut nodes);
    Parsed { nodes, errors }
}

/// Parses a masked text; `None` if the parser, which is young, panics over it.
fn try_convert(
    text: &str,
    options: satteri_pulldown_cmark::Options,
    first_line: u32,
) -> Option<(Vec<Node>, Vec<ParseError>)> {
    std::panic::catch_unwind(|| {
        let mut errors = Vec::new();
        let nodes = convert::convert(text, options, first_line, &mut errors);
        (nodes, errors)
    })
    .ok()
}

/// Parses a masked text as plain Markdown; as paragraphs without formatting if the parser can't.
fn markdown(text: &str, first_line: u32) -> (Vec<Node>, Vec<ParseError>) {
    let parsed = try_convert(text, DEFAULT_OPTIONS, first_line);
    parsed.unwrap_or_else(|| (budget::plain(text, first_line), Vec::new()))
}

/// Parses plain Markdown outside a page, such as a description in an API spec. Braces are text, and so are tags
/// except a few harmless ones. A `$` is math as on a page. Errors are texts that take too many steps.
pub fn parse_markdown(source: &str) -> Parsed {
    let mut parsed = parse_plain(source);
    html::keep_harmless(&mut parsed.nodes);
    parsed
}

/// Parses plain Markdown of strangers: braces and tags are text, harmless or not.
pub fn parse_text(source: &str) -> Vec<Node> {
    let mut nodes = parse_plain(source).nodes;
    html::show_as_text(&mut nodes);
    nodes
}

fn parse_plain(source: &str) -> Parsed {
    let masked = mask::mask(source);
    let plan = Plan::of(&masked.text, false);
    let errors = plan.problems().iter().map(|error| error.place(source, 1)).collect();
    let text = plan.apply(masked.text);
    let nodes = if plan.all_plain { budget::plain(&text, 1) } else { markdown(&text, 1).0 };
    Parsed { nodes, errors }
}

/// A problem at a byte offset of the text that was parsed.
#[derive(Debug, Clone)]
struct ParseProblem {
    offset: usize,
    message: String,
    help: &'static str,
    over_budget: bool,
}

impl ParseProblem {
    fn place(&self, source: &str, first_line: u32) -> ParseError {
        let (line, column) = position(source, self.offset);
        ParseError {
            line: line + first_line - 1,
            column,
            message: self.message.clone(),
            help: self.help,
            over_budget: self.over_budget,
        }
    }
}

/// 1-based line and column (in characters) of a byte offset.
pub fn position(text: &str, offset: usize) -> (u32, u32) {
    let before = text.get(..offset).unwrap_or(text);
    let line = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    (u32::try_from(line).unwrap_or(u32::MAX), u32::try_from(column).unwrap_or(u32::MAX))
}
