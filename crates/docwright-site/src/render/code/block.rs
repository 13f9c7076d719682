//! The HTML of a code block.
//!
//! The theme depends on the structure: `div.dw-code-block` contains a header, a copy button, `pre > code`, and
//! for a long expandable block the switch that opens it. Lines have their own `span` only if a mark or a number
//! needs one. The line break is inside, so the text of `code` is the code.

use maud::{Markup, PreEscaped, html};

use super::{Highlighter, Meta, language, markers};

/// Minimum number of lines of a collapsible block.
const LONG_BLOCK: usize = 14;

/// A code block, as a fence or a component describes it.
#[derive(Debug, Clone)]
pub struct CodeBlock<'a> {
    /// The language as its author names it.
    pub language: Option<&'a str>,
    /// The code, with markers such as `[!code ++]`.
    pub code: &'a str,
    /// Its options. `meta.icon` is the author's name; `icon` below is the shown icon.
    pub meta: Meta,
    /// The icon beside the title, or nothing.
    pub icon: Markup,
}

/// How a line is marked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "a set of independent marks")]
pub(super) struct Marks {
    pub added: bool,
    pub removed: bool,
    pub highlighted: bool,
    pub focused: bool,
}

impl Marks {
    /// Adds the marks of another.
    pub(super) fn add(&mut self, other: Self) {
        self.added |= other.added;
        self.removed |= other.removed;
        self.highlighted |= other.highlighted;
        self.focused |= other.focused;
    }

    fn classes(self) -> String {
        let classes = [
            (true, "dw-line"),
            (self.highlighted, " dw-line-highlight"),
            (self.focused, " dw-line-focus"),
            (self.added, " dw-line-add"),
            (self.removed, " dw-line-remove"),
        ];
        classes.iter().filter(|(set, _)| *set).map(|(_, class)| *class).collect()
    }
}

/// Renders a block.
pub fn block(block: &CodeBlock<'_>, highlighter: &Highlighter) -> Markup {
    let meta = &block.meta;
    let comments = language::comments(highlighter.language(block.language.unwrap_or_default()));
    let code = block.code.trim_end_matches(['\n', '\r']).replace("\r\n", "\n");
    let unmarked = markers::extract(&code, comments);
    let html = highlighter.highlight(block.language, &unmarked.code);
    let count = unmarked.code.split('\n').count();
    let marks = line_marks(meta, unmarked.marks, count);
    let focused = marks.iter().any(|marks| marks.focused);
    let has_lines = meta.lines || !marks.is_empty();
    let collapsed = meta.expandable && count >= LONG_BLOCK;
    html! {
        div.code-block.dw-code-block data-language=[data_language(block.language)] data-lines[meta.lines]
            data-wrap[meta.wrap] data-focus[focused] data-expandable[collapsed] {
            (header(block))
            @if meta.copy {
                button.code-block-copy-button.dw-code-block-copy-button type="button" data-copy aria-label="Copy code"
                    title="Copy code" {}
            }
            pre tabindex="0" {
                code {
                    @if has_lines { (lines(&html, &marks)) }
                    @else { (PreEscaped(&*html)) }
                }
            }
            @if collapsed {
                label.dw-code-block-expand {
                    input type="checkbox";
                    span { "Show all " (count) " lines" }
                }
            }
        }
    }
}

fn header(block: &CodeBlock<'_>) -> Markup {
    let title = block.meta.title.as_deref();
    let has_icon = !block.icon.0.is_empty();
    html! {
        @if title.is_some() || has_icon {
            div.dw-code-block-header {
                @if has_icon { span.code-block-icon { (block.icon) } }
                @if let Some(title) = title { span.dw-code-block-title { (title) } }
            }
        }
    }
}

/// The language as an attribute value for styles and scripts.
fn data_language(language: Option<&str>) -> Option<String> {
    language.map(str::to_lowercase).filter(|language| !language.is_empty())
}

/// The marks of the code and of the options together; empty if there are none.
fn line_marks(meta: &Meta, mut marks: Vec<Marks>, count: usize) -> Vec<Marks> {
    if meta.highlight.is_empty() && meta.focus.is_empty() {
        return marks;
    }
    marks.resize(count, Marks::default());
    for (line, marks) in (1..).zip(&mut marks) {
        marks.highlighted |= meta.highlight.contains(line);
        marks.focused |= meta.focus.contains(line);
    }
    marks
}

/// Wraps each line. No tag of the highlighted code spans lines, so they can be split.
fn lines(code: &str, marks: &[Marks]) -> PreEscaped<String> {
    let mut html = String::with_capacity(code.len() * 2);
    let mut lines = code.split('\n').enumerate().peekable();
    while let Some((index, line)) = lines.next() {
        let classes = marks.get(index).copied().unwrap_or_default().classes();
        let end = if lines.peek().is_some() { "\n" } else { "" };
        for part in ["<span class=\"", &classes, "\">", line, end, "</span>"] {
            html.push_str(part);
        }
    }
    PreEscaped(html)
}
