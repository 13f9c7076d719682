//! The changes of a release: added, changed, moved, and removed pages, and new and resolved diagnostics.

use axum::{
    extract::{Path, Query, State},
    http::StatusCode,
    response::Response,
};
use docwright_operations::{
    lists::Page,
    releases::{self, ComparedWith, ListReleases, Release, ReleaseChanges},
};
use docwright_types::release::ReleaseStatus;
use maud::{Markup, html};

use super::{ReleaseView, find};
use crate::{
    Dashboard,
    pages::diagnostics,
    parts::{problem, select},
    project_context::ProjectContext,
    refusal::Refusal,
    words,
};

/// Releases that can be selected.
const OTHERS: i64 = 50;

pub(in crate::pages) async fn show(
    State(dashboard): State<Dashboard>,
    place: ProjectContext,
    Path((_, id)): Path<(String, String)>,
    Query(with): Query<ComparedWith>,
) -> Result<Response, Refusal> {
    let release = find(&dashboard, &place, &id).await?.release;
    let caller = place.of.caller.allowed()?;
    let changes = releases::changes(&dashboard.operations, &caller, &id, &with).await;
    let others = others(&dashboard, &place, &release).await?;
    let compared = changes.as_ref().ok().and_then(|changes| changes.with.clone()).or(with.with);
    let here = place.path(&format!("releases/{}/changes", release.id));
    let head = html! {
        p.above { a href=(place.path(&format!("releases/{}", release.id))) { (release.name()) } }
        h1 { (words::CHANGES) }
        (choice(&here, &others, compared.as_deref()))
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
                a href=(place.path(&format!("releases/{before}"))) {
                    @match others.iter().find(|other| other.id == *before) {
                        Some(other) => (title(other)),
                        None => code { (before) },
                    }
                }
            },
            None => p { (words::FIRST_RELEASE) },
        }
        h2 { (words::CHANGED_PAGES) }
        ul.counts {
            @for (count, word) in [(changes.added, words::ADDED), (changes.changed, words::CHANGED),
                (changes.moved, words::MOVED), (changes.removed, words::REMOVED)] {
                li { strong { (words::grouped(count)) } " " (word) }
            }
        }
        @if total == 0 {
            p.soft { (words::NO_CHANGES) }
        } @else {
            div.scroll tabindex="0" { table.changes {
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
        (different_diagnostics(&changes))
    };
    Ok(place.page("releases", words::CHANGES, &body))
}

/// The newest ready releases of the project besides one.
async fn others(
    dashboard: &Dashboard,
    place: &ProjectContext,
    release: &Release,
) -> Result<Vec<Release>, Refusal> {
    let ready = ListReleases { status: Some(ReleaseStatus::Ready), ..ListReleases::default() };
    let (caller, page) = (place.of.caller.allowed()?, Page::new(Some(OTHERS), None)?);
    let project = &place.project.id;
    let list = releases::list(&dashboard.operations, &caller, project, &ready, &page).await?;
    Ok(list.items.into_iter().filter(|other| other.id != release.id).collect())
}

/// A form that selects the other release.
fn choice(here: &str, others: &[Release], compared: Option<&str>) -> Markup {
    let label = |other: &Release| format!("{} · {}", title(other), other.domain);
    let options: Vec<_> = others.iter().map(|other| (other.id.as_str(), label(other))).collect();
    html! {
        @if !options.is_empty() {
            form.wide method="get" action=(here) {
                (select(("with", words::COMPARE_WITH), &options, compared.unwrap_or_default(), None))
                button type="submit" { (words::COMPARE_RELEASES) }
            }
        }
    }
}

fn title(release: &Release) -> String {
    format!("{} {}", words::number_of_release(release.number), release.name())
}

/// The diagnostics that only one of the releases has.
fn different_diagnostics(changes: &ReleaseChanges) -> Markup {
    let ReleaseChanges { new_diagnostic_count: new, resolved_diagnostic_count: resolved, .. } =
        changes;
    html! {
        @if *new == Some(0) && *resolved == Some(0) {
            h2 { (words::DIAGNOSTICS) }
            p.soft { (words::NO_OTHER_DIAGNOSTICS) }
        }
        @for (title, count, listed) in [
            (words::NEW_DIAGNOSTICS, new, &changes.new_diagnostics),
            (words::RESOLVED_DIAGNOSTICS, resolved, &changes.resolved_diagnostics),
        ] {
            @if let Some(count) = count.filter(|count| *count > 0) {
                h2 { (title) " " span.soft { (words::grouped_count(count)) } }
                (diagnostics::rows(listed, None))
                @if count > listed.len() { p.soft { (words::more(count - listed.len())) } }
            }
        }
    }
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
