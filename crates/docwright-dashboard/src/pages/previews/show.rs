//! A preview: its URL, its changes, and its new diagnostics.

use axum::{
    extract::{Path, State},
    response::Response,
};
use docwright_operations::{
    can,
    previews::{self, PreviewDetails},
};
use docwright_types::release::ReleaseStatus;
use maud::{Markup, html};

use super::{PreviewView, pull_request};
use crate::{
    Dashboard,
    pages::diagnostics,
    parts::{Action, at, copied, live},
    project_context::ProjectContext,
    refusal::Refusal,
    words::{self, Done},
};

/// The path on the preview's host that lists changes.
const CHANGES: &str = "/_docwright/changes";

pub(in crate::pages) async fn show(
    State(dashboard): State<Dashboard>,
    place: ProjectContext,
    Path((_, id)): Path<(String, String)>,
) -> Result<Response, Refusal> {
    let (caller, of) = (place.of.caller.allowed()?, (place.project.id.as_str(), id.as_str()));
    let details = previews::get(&dashboard.operations, &caller, of).await?;
    let preview = &details.preview;
    let here = place.path(&format!("previews/{}", preview.id));
    let body = html! {
        p.above { a href=(place.path("previews")) { (words::PREVIEWS) } }
        h1 { (preview.name()) }
        (live("preview", &here, preview.is_running(), &standing(&dashboard, &place, &details)))
    };
    Ok(place.page("previews", preview.name(), &body))
}

pub(in crate::pages) async fn end(
    State(dashboard): State<Dashboard>,
    place: ProjectContext,
    Path((_, id)): Path<(String, String)>,
) -> Result<Response, Refusal> {
    let caller = place.of.caller.allowed()?;
    previews::close(&dashboard.operations, &caller, (&place.project.id, &id)).await?;
    Ok(place.of.person.browser.done(Done::PreviewClosed, &place.path("previews")))
}

fn standing(dashboard: &Dashboard, place: &ProjectContext, details: &PreviewDetails) -> Markup {
    let PreviewDetails { preview, new_diagnostics } = details;
    let now = dashboard.operations.now();
    let is_ready = preview.is_open() && preview.release_status == Some(ReleaseStatus::Ready);
    let end = place.path(&format!("previews/{}/end", preview.id));
    html! {
        p.standing { (preview.standing()) @if preview.is_fork { " " span.badge { (words::FORK) } } }
        @if let Some(reason) = preview.closed_because { p.notice { (words::closed_because(reason.name())) } }
        @if let Some(error) = preview.error.as_ref().filter(|_| preview.is_open()) {
            div.problem role="alert" {
                p { strong { (words::FAILED_BECAUSE) } " " (error) }
                p { (words::PREVIEW_FAILED_NEXT) }
            }
        }
        div.actions {
            @if preview.is_open() { a.button.primary href=(preview.preview_url) { (words::OPEN_PREVIEW) } }
            @if is_ready { a.button href=(format!("{}{CHANGES}", preview.preview_url)) { (words::SIDE_BY_SIDE) } }
            @if preview.is_open() && place.of.caller.can::<can::ClosePreview>() {
                (Action::new(&end, words::END_PREVIEW).dangerous(words::END_PREVIEW_QUESTION).show())
            }
        }
        dl.facts {
            dt { (words::SITE) } dd { (copied(&preview.preview_url)) }
            dt { (words::BRANCH) } dd { code { (preview.branch) } }
            @if preview.pull_request.is_some() { dt { (words::PULL_REQUEST) } dd { (pull_request(preview)) } }
            @if let Some(release) = &preview.release_id {
                dt { (words::RELEASE) }
                dd {
                    a href=(place.path(&format!("releases/{release}"))) {
                        @match &preview.commit {
                            Some(commit) => code { (commit.chars().take(7).collect::<String>()) },
                            None => (words::THAT_RELEASE),
                        }
                    }
                }
            }
            dt { (words::CREATED) } dd { (at(now, Some(&preview.created_at))) }
            dt { (words::LAST_CHANGE) } dd { (at(now, Some(&preview.changed_at))) }
            @if preview.closed_at.is_some() { dt { (words::CLOSED) } dd { (at(now, preview.closed_at.as_deref())) } }
        }
        @if is_ready {
            h2 { (words::NEW_DIAGNOSTICS) }
            @if new_diagnostics.is_empty() { p.soft { (words::NO_NEW_DIAGNOSTICS) } }
            @else {
                @let count = i64::try_from(new_diagnostics.len()).unwrap_or_default();
                (diagnostics::table(new_diagnostics, (count, None), None))
            }
        }
    }
}
