//! The releases of a project.

use axum::{
    extract::{Query, State},
    response::Response,
};
use docwright_domain::timestamp::{Timestamp, parse_iso};
use maud::{Markup, html};
use serde::Deserialize;

use crate::dashboard::{
    Dashboard,
    operations::with_query,
    parts::{Tone, ago, empty, pager, state},
    place::ProjectPlace,
    refusal::Refusal,
    words,
};

#[derive(Deserialize)]
pub(super) struct Wanted {
    cursor: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ReleaseList {
    pub(super) releases: Vec<Release>,
    next_cursor: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Release {
    status: String,
    pub(super) active: bool,
    commit: Option<String>,
    message: Option<String>,
    author: Option<String>,
    pages: i64,
    warnings: i64,
    created_at: String,
}

pub(super) async fn list(
    State(dashboard): State<Dashboard>,
    place: ProjectPlace,
    Query(wanted): Query<Wanted>,
) -> Result<Response, Refusal> {
    let cursor = wanted.cursor.as_deref();
    let path = format!("/v1/projects/{}/releases", place.project.id);
    let list: ReleaseList =
        place.of.operations.get(&with_query(&path, &[("cursor", cursor)])).await?;
    let all: Vec<_> = list.releases.iter().collect();
    let body = html! {
        h1 { (words::RELEASES) }
        @if all.is_empty() && cursor.is_none() {
            (empty(words::NO_RELEASES, words::NO_RELEASES_WHY, &Markup::default()))
        } @else {
            (table(dashboard.app.now(), &all))
            (pager(&place.path("releases"), &[], (cursor, list.next_cursor.as_deref())))
        }
    };
    Ok(place.page("releases", words::RELEASES, &body))
}

/// Releases as a table.
pub(super) fn table(now: Timestamp, releases: &[&Release]) -> Markup {
    html! {
        div.scroll tabindex="0" { table {
            thead { tr {
                th { (words::STATE) } th { (words::COMMIT) } th.number { (words::PAGES) }
                th.number { (words::MISTAKES) } th { (words::CREATED) }
            } }
            tbody {
                @for release in releases {
                    tr {
                        td { (of_status(&release.status)) @if release.active { " " strong { (words::LIVE) } } }
                        td {
                            @if let Some(commit) = &release.commit {
                                code { (commit.chars().take(7).collect::<String>()) } " "
                            }
                            (release.message.as_deref().unwrap_or_default())
                            @if let Some(author) = &release.author { span.soft { " · " (author) } }
                        }
                        td.number { (release.pages) }
                        td.number { (release.warnings) }
                        td { (ago(now, parse_iso(&release.created_at).unwrap_or_default())) }
                    }
                }
            }
        } }
    }
}

fn of_status(status: &str) -> Markup {
    let tone = match status {
        "ready" => Tone::Good,
        "failed" => Tone::Bad,
        "building" => Tone::Running,
        "queued" => Tone::Waiting,
        _ => Tone::Neutral,
    };
    state(tone, words::release_status(status))
}
