//! The frame around code: title, copy button, lines.

use std::fmt::Write as _;

use maud::{Markup, PreEscaped, html};

use super::{
    Meta,
    lines::{Marks, take_marks},
};
use crate::render::PageRenderer;

/// Blocks with fewer lines are not worth collapsing.
const COLLAPSED_LINES: usize = 12;

/// A block of code.
#[derive(Debug)]
pub struct CodeBlock<'a> {
    /// What stands behind the fence.
    pub meta: &'a Meta,
    /// The code.
    pub value: &'a str,
    /// Whether it shows its own title; in a group, the tab does.
    pub titled: bool,
}

impl CodeBlock<'_> {
    /// The HTML of the block.
    pub fn render(&self, page: &mut PageRenderer<'_>) -> Markup {
        let meta = self.meta;
        let (code, marks) = take_marks(self.value);
        let lines = page.context.highlighter.lines(meta.language.as_deref(), &code);
        let body = self.body(&lines, &marks);
        let icon = meta.icon.as_deref().and_then(|icon| page.context.icons.find(icon, None));
        let title = meta.title.as_deref().filter(|_| self.titled);
        let collapsed = meta.expandable && lines.len() > COLLAPSED_LINES;
        let label = meta.title.as_deref().or(meta.language.as_deref()).unwrap_or("Code");
        html! {
            div.code-block data-wrap[meta.wrapped] data-expandable[collapsed] data-language=[meta.language.as_deref()] {
                @if title.is_some() || icon.is_some() {
                    div.code-block-header {
                        @if let Some(icon) = icon { span.code-block-icon { (icon) } }
                        span.code-block-title { (title.unwrap_or_default()) }
                    }
                }
                @if !meta.uncopyable {
                    button.code-block-copy-button type="button" data-copy aria-label="Copy code" { (page.glyph("copy")) }
                }
                @if collapsed {
                    input.code-block-expand type="checkbox" aria-label="Show all lines";
                }
                pre tabindex="0" aria-label=(label) { code { (body) } }
            }
        }
    }

    /// Lines are elements only where something is said of one of them.
    fn body(&self, lines: &[String], marks: &[Marks]) -> Markup {
        let meta = self.meta;
        let marked = !marks.is_empty() || meta.numbered || !meta.highlighted.is_empty() || !meta.focused.is_empty();
        if !marked {
            return PreEscaped(lines.join("\n"));
        }
        let focusing = !meta.focused.is_empty() || marks.iter().any(|mark| mark.focused);
        let mut html = String::new();
        for (index, line) in lines.iter().enumerate() {
            let number = u32::try_from(index + 1).unwrap_or(u32::MAX);
            let mark = marks.get(index).copied().unwrap_or_default();
            let mut class = "line".to_owned();
            let focused = mark.focused || meta.focused.contains(&number);
            for (set, name) in [
                (mark.highlighted || meta.highlighted.contains(&number), " highlighted"),
                (focusing && !focused, " dimmed"),
                (mark.added, " added"),
                (mark.removed, " removed"),
                (meta.numbered, " numbered"),
            ] {
                if set {
                    class.push_str(name);
                }
            }
            let _ = writeln!(html, "<span class=\"{class}\">{line}</span>");
        }
        PreEscaped(html.trim_end_matches('\n').to_owned())
    }
}
