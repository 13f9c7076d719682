//! Code blocks: the line behind the fence, colours, and the frame around the code.
//!
//! The theme's script drives `[data-copy]`; everything else works without scripts.

mod block;
mod highlight;
mod languages;
mod lines;
mod meta;

use maud::{Markup, PreEscaped, html};

pub use block::CodeBlock;
pub use highlight::Highlighter;
pub use meta::Meta;

use super::PageRenderer;
use crate::Severity;

/// A fenced code block. Mermaid becomes a diagram.
pub(super) fn fence(
    language: Option<&str>,
    meta: Option<&str>,
    value: &str,
    page: &mut PageRenderer<'_>,
    line: u32,
    column: u32,
) -> Markup {
    let meta = Meta::parse(language, meta);
    if meta.language.as_deref().is_some_and(|language| language.eq_ignore_ascii_case("mermaid")) {
        return diagram(value, page, line, column);
    }
    CodeBlock { meta: &meta, value, titled: true }.render(page)
}

fn diagram(source: &str, page: &mut PageRenderer<'_>, line: u32, column: u32) -> Markup {
    let number = page.next_number();
    match page.context.diagrams.draw(source, number) {
        Ok(svg) => html! {
            div.mermaid data-component-name="mermaid-container" role="img" aria-label="Diagram" tabindex="0" { (PreEscaped(svg)) }
        },
        Err(reason) => {
            let message = format!("this diagram can't be drawn: {reason}");
            let help = "correct it; it is shown as text meanwhile";
            page.report(Severity::Warning, "invalid-diagram", message, help, line, column);
            let meta = Meta::parse(Some("text"), None);
            CodeBlock { meta: &meta, value: source, titled: true }.render(page)
        }
    }
}
