//! Mistakes that a build found, with the places where they are.

use maud::{Markup, html};
use serde::Deserialize;

use crate::dashboard::words;

/// A mistake in a file, as the API says it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Diagnostic {
    path: String,
    line: u32,
    severity: String,
    rule: Option<String>,
    message: String,
    is_new: bool,
    url: Option<String>,
}

/// The first mistakes. `count` is how many there are, and how many of them are new.
pub(super) fn table(diagnostics: &[Diagnostic], (all, new): (i64, Option<i64>)) -> Markup {
    let shown = i64::try_from(diagnostics.len()).unwrap_or(i64::MAX);
    html! {
        @if diagnostics.is_empty() {
            p.soft { (words::NO_MISTAKES) }
        } @else {
            p { (words::mistakes(all)) @if let Some(new) = new { ", " (words::of_them_new(new)) } "." }
            (rows(diagnostics))
            @if all > shown { p.soft { (words::more(usize::try_from(all - shown).unwrap_or_default())) } }
        }
    }
}

/// Mistakes as a table.
pub(super) fn rows(diagnostics: &[Diagnostic]) -> Markup {
    html! {
        div.scroll tabindex="0" { table.diagnostics {
            thead { tr { th { (words::SEVERITY) } th { (words::WHERE) } th { (words::WHAT) } } }
            tbody {
                @for each in diagnostics {
                    @let place = if each.line == 0 { each.path.clone() } else { format!("{}:{}", each.path, each.line) };
                    tr {
                        td {
                            span.severity data-severity=(each.severity) {
                                span.shape aria-hidden="true" { @if each.severity == "error" { "✕" } @else { "!" } }
                                (words::severity(&each.severity))
                            }
                            @if each.is_new { " " strong.badge { (words::NEW) } }
                        }
                        td { @if let Some(url) = &each.url { a href=(url) { code { (place) } } } @else { code { (place) } } }
                        td { (each.message) @if let Some(rule) = &each.rule { " " span.soft { (rule) } } }
                    }
                }
            }
        } }
    }
}
