//! What a release changes: the pages that it adds, changes, moves and removes.

use axum::{
    extract::{Path, Query},
    http::StatusCode,
    response::Response,
};
use maud::html;
use serde::Deserialize;

use super::{Release, address, find};
use crate::dashboard::{
    operations::with_query, parts::problem, place::ProjectPlace, refusal::Refusal, words,
};

#[derive(Deserialize)]
pub(in crate::dashboard::pages) struct Asked {
    with: Option<String>,
}

#[derive(Deserialize)]
struct Changes {
    with: Option<String>,
    added: usize,
    changed: usize,
    moved: usize,
    removed: usize,
    pages: Vec<ChangedPage>,
}

#[derive(Deserialize)]
struct ChangedPage {
    path: String,
    title: String,
    fate: String,
    from: Option<String>,
}

pub(in crate::dashboard::pages) async fn show(
    place: ProjectPlace,
    Path((_, id)): Path<(String, String)>,
    Query(asked): Query<Asked>,
) -> Result<Response, Refusal> {
    let release: Release = find(&place, &id).await?;
    let path = with_query(&address(&id, "/changes"), &[("with", asked.with.as_deref())]);
    let changes = place.of.operations.get::<Changes>(&path).await;
    let head = html! {
        p.above { a href=(place.path(&format!("releases/{}", release.id))) { (release.name()) } }
        h1 { (words::CHANGES) }
    };
    let changes = match changes {
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
                            td { span.fate data-fate=(page.fate) {
                                span.shape aria-hidden="true" { (shape(&page.fate)) } (words::fate(&page.fate))
                            } }
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

fn shape(fate: &str) -> &'static str {
    match fate {
        "added" => "+",
        "removed" => "−",
        "moved" => "→",
        _ => "±",
    }
}
