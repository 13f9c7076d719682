//! Diagnostics of a build, with their positions.

mod filter;

use docwright_operations::diagnostics::{Diagnostic, Severity};
use maud::{Markup, html};

use crate::{paths::with_query, words};

pub(super) use filter::DiagnosticFilter;

/// The number of diagnostics, by severity if all of them are given.
pub(super) fn counted(diagnostics: &[Diagnostic], all: i64) -> String {
    words::diagnostics(all, diagnostics.iter().map(|each| each.severity.name()))
}

/// The first diagnostics. `count` is the total, and the number of new ones; `edit` is the path that leads from a file to
/// the form of its page.
pub(super) fn table(
    diagnostics: &[Diagnostic],
    (all, new): (i64, Option<i64>),
    edit: Option<&str>,
) -> Markup {
    let shown = i64::try_from(diagnostics.len()).unwrap_or(i64::MAX);
    html! {
        @if diagnostics.is_empty() {
            p.soft { (words::NO_DIAGNOSTICS) }
        } @else {
            p { (counted(diagnostics, all)) @if let Some(new) = new { ", " (words::of_them_new(new)) } "." }
            (rows(diagnostics, edit))
            @if all > shown { p.soft { (words::more(usize::try_from(all - shown).unwrap_or_default())) } }
        }
    }
}

/// Diagnostics as a table. `edit` is as for [`table`].
pub(super) fn rows(diagnostics: &[Diagnostic], edit: Option<&str>) -> Markup {
    html! {
        div.scroll tabindex="0" { table.diagnostics {
            thead { tr { th { (words::SEVERITY) } th { (words::WHERE) } th { (words::WHAT) } } }
            tbody {
                @for each in diagnostics {
                    @let place = if each.line == 0 { each.path.clone() } else { format!("{}:{}", each.path, each.line) };
                    tr {
                        td {
                            span.severity data-severity=(each.severity.name()) {
                                span.shape aria-hidden="true" { @if each.severity == Severity::Error { "✕" } @else { "!" } }
                                (words::severity(each.severity.name()))
                            }
                            @if each.is_new { " " strong.badge { (words::NEW) } }
                        }
                        td {
                            @if let Some(url) = &each.url { a href=(url) { code { (place) } } } @else { code { (place) } }
                            @if let Some(edit) = edit.filter(|_| is_page(&each.path)) {
                                " " a href=(with_query(edit, &[("file", Some(&each.path))])) aria-label=(words::edit_of(&each.path)) { (words::EDIT) }
                            }
                        }
                        td { (each.message) @if let Some(rule) = &each.rule { " " span.soft { (rule) } } }
                    }
                }
            }
        } }
    }
}

/// Whether a file can be that of a page.
fn is_page(path: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(_, ending)| matches!(ending, "mdx" | "md"))
}
