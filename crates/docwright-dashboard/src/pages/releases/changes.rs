//! The changes of a release: added, changed, moved, and removed pages.

use axum::{
    extract::{Path, Query, State},
    http::StatusCode,
    response::Response,
};
use docwright_operations::releases::{self, ComparedWith};
use maud::{Markup, html};

use super::{ReleaseView, find};
use crate::{Dashboard, parts::problem, project_context::ProjectContext, refusal::Refusal, words};

pub(in crate::pages) async fn show(
    State(dashboard): State<Dashboard>,
    place: ProjectContext,
    Path((_, id)): Path<(String, String)>,
    Query(with): Query<ComparedWith>,
) -> Result<Response, Refusal> {
    let release = find(&dashboard, &place, &id).await?.release;
    let caller = place.of.caller.allowed()?;
    let changes = releases::changes(&dashboard.operations, &caller, &id, &with).await;
    let head = html! {
        p.above { a href=(place.path(&format!("releases/{}", release.id))) { (release.name()) } }
        h1 { (words::CHANGES) }
    };
    let changes = match changes.map_err(Refusal::from) {
        Ok(changes) => changes,
        Err(refusal) => {
            let sentence = refusal.into_problem()?;
            let body = html! { (head) (problem(Some(&sentence))) };
            return Ok(place.page_with(StatusCode::CONFLICT, "releases", words::CHANGES, &body));
        }
    };
    let total = changes.added + changes.changed + changes.moved + changes.removed;
    let body = html! {
        (head)
        @match &changes.with {
            Some(before) => p {
                (words::COMPARED_WITH) " "
                a href=(place.path(&format!("releases/{before}"))) { (words::THAT_RELEASE) }
            },
            None => p { (words::FIRST_RELEASE) },
        }
        ul.counts {
            @for (count, word) in [(changes.added, words::ADDED), (changes.changed, words::CHANGED),
                (changes.moved, words::MOVED), (changes.removed, words::REMOVED)] {
                li { strong { (words::grouped(count)) } " " (word) }
            }
        }
        @if total == 0 {
            p.soft { (words::NO_CHANGES) }
        } @else {
            div.scroll tabindex="0" { table {
                thead { tr { th { (words::CHANGE) } th { (words::PAGE) } th { (words::PATH) } } }
                tbody {
                    @for page in &changes.pages {
                        tr {
                            td { (fate(page.fate.name())) }
                            td { (page.title) }
                            td { code { @if let Some(from) = &page.from { "/" (from) " → " } "/" (page.path) } }
                        }
                    }
                }
            } }
            @if total > changes.pages.len() { p.soft { (words::more(total - changes.pages.len())) } }
        }
    };
    Ok(place.page("releases", words::CHANGES, &body))
}

/// What a release did to a page, by the name of it.
pub(super) fn fate(name: &str) -> Markup {
    let shape = match name {
        "added" => "+",
        "removed" => "−",
        "moved" => "→",
        _ => "±",
    };
    html! {
        span.fate data-fate=(name) { span.shape aria-hidden="true" { (shape) } (words::fate(name)) }
    }
}
