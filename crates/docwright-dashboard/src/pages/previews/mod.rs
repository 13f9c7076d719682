//! The previews of a project: of pull requests, and of branches on request.

pub(super) mod show;

use axum::{
    extract::{Query, State},
    http::StatusCode,
    response::Response,
};
use docwright_operations::{
    OperationError, can,
    fields::field,
    idempotency::Idempotency,
    previews::{self, ListPreviews, Preview, PreviewPassword},
};
use docwright_types::{account::Role, preview::PreviewState};
use maud::{Markup, html};
use serde::Deserialize;

use super::releases::of_status;
use crate::{
    Dashboard,
    forms::Form,
    frame::with_secret,
    parts::{
        Action, Field, FormError, ListQuery, Tone, at, empty, filter, live, nothing_found, search,
        state,
    },
    project_context::ProjectContext,
    refusal::Refusal,
    words::{self, Done},
};

#[derive(Deserialize)]
pub(super) struct NewPreview {
    branch: String,
}

#[derive(Deserialize)]
pub(super) struct Password {
    /// All states if it is left out.
    password: Option<String>,
}

/// A preview, prepared for display.
pub(super) trait PreviewView {
    /// Its display name.
    fn name(&self) -> &str;
    /// Whether it is served.
    fn is_open(&self) -> bool;
    /// Whether its newest release is queued or building.
    fn is_running(&self) -> bool;
    /// Closed, or the status of its newest release.
    fn standing(&self) -> Markup;
}

impl PreviewView for Preview {
    fn name(&self) -> &str {
        self.title.as_deref().filter(|title| !title.trim().is_empty()).unwrap_or(&self.branch)
    }

    fn is_open(&self) -> bool {
        self.state == PreviewState::Open
    }

    fn is_running(&self) -> bool {
        self.is_open() && self.release_status.is_some_and(|status| !status.is_final())
    }

    fn standing(&self) -> Markup {
        match self.release_status {
            _ if !self.is_open() => state(Tone::Neutral, words::CLOSED),
            Some(status) => of_status(status),
            None => state(Tone::Waiting, words::WAITING),
        }
    }
}

pub(super) async fn list(
    State(dashboard): State<Dashboard>,
    place: ProjectContext,
    Query(asked): Query<ListQuery>,
) -> Result<Response, Refusal> {
    page(&dashboard, &place, &asked, None).await
}

pub(super) async fn create(
    State(dashboard): State<Dashboard>,
    place: ProjectContext,
    Form(new): Form<NewPreview>,
) -> Result<Response, Refusal> {
    let (caller, no_key) = (place.of.caller.allowed()?, Idempotency::default());
    let started = match field("branch", new.branch.trim()) {
        Ok(branch) => {
            let (id, input) = (&place.project.id, previews::NewPreview { branch });
            previews::start(&dashboard.operations, &caller, id, input, &no_key).await.map(drop)
        }
        Err(error) => Err(error),
    };
    answer(&dashboard, &place, (started, Done::PreviewCreated), Some(&new.branch)).await
}

pub(super) async fn set_password(
    State(dashboard): State<Dashboard>,
    place: ProjectContext,
    Form(given): Form<Password>,
) -> Result<Response, Refusal> {
    let (app, caller, id) = (&dashboard.operations, &place.of.caller, &place.project.id);
    let changed = match given.password.map(|text| field("password", text)) {
        Some(Ok(password)) => {
            let input = PreviewPassword { password };
            previews::set_password(app, &caller.allowed()?, id, input).await
        }
        Some(Err(error)) => Err(error),
        None => previews::remove_password(app, &caller.allowed()?, id).await,
    };
    answer(&dashboard, &place, (changed, Done::PreviewPasswordSaved), None).await
}

/// The list, after a form or with its error.
async fn answer(
    dashboard: &Dashboard,
    place: &ProjectContext,
    (outcome, done): (Result<(), OperationError>, Done),
    branch: Option<&str>,
) -> Result<Response, Refusal> {
    match outcome.map_err(Refusal::from) {
        Ok(()) => Ok(place.of.person.browser.done(done, &place.path("previews"))),
        Err(refusal) => {
            let sentence = refusal.into_problem()?;
            let wrong = Some((sentence.as_str(), branch.unwrap_or_default()));
            page(dashboard, place, &ListQuery::default(), wrong).await
        }
    }
}

async fn page(
    dashboard: &Dashboard,
    place: &ProjectContext,
    asked: &ListQuery,
    wrong: Option<(&str, &str)>,
) -> Result<Response, Refusal> {
    let query = ListPreviews { state: asked.in_state()?, search: asked.searched()? };
    let (caller, page) = (place.of.caller.allowed()?, asked.page(None)?);
    let list =
        previews::list(&dashboard.operations, &caller, &place.project.id, &query, &page).await?;
    let (path, next) = (place.path("previews"), list.next_cursor.as_deref());
    let is_running = list.previews.iter().any(PreviewView::is_running);
    let branch = wrong.map(|(_, branch)| branch).unwrap_or_default();
    let can_make = place.of.caller.can::<can::StartPreview>() && list.unavailable.is_none();
    let fields =
        [("branch", "branch", words::BRANCH), ("password", "password", words::PREVIEW_PASSWORD)];
    let error = FormError::of(wrong.map(|(sentence, _)| sentence), &fields);
    let body = html! {
        h1 { (words::PREVIEWS) }
        (error.show())
        @if let Some(reason) = &list.unavailable {
            div.notice { p { strong { (words::NO_PREVIEWS_HERE) } } p { (reason) } }
        }
        @if asked.is_long(list.previews.len(), next) {
            (search(&path, words::FIND_BRANCH, asked))
            (filter(&path, "state", &words::PREVIEW_STATES, asked))
        }
        (live("previews", &asked.here(&path), is_running, &html! {
            @if !list.previews.is_empty() {
                (table(dashboard, place, &list.previews))
            } @else if asked.is_all() {
                (empty(words::NO_PREVIEWS, words::NO_PREVIEWS_WHY, &Markup::default()))
            } @else {
                (nothing_found(&path, asked))
            }
            (asked.pager(&path, next))
        }))
        @if can_make {
            h2 { (words::NEW_PREVIEW) }
            form.wide method="post" action=(path) {
                (Field::text("branch", words::BRANCH, branch).hint(words::NEW_PREVIEW_HINT).checked(&error).show())
                button type="submit" { (words::MAKE_PREVIEW) }
            }
        }
        @if list.unavailable.is_none() { (password(place, list.asks_for_password)) }
    };
    let status = if wrong.is_some() { StatusCode::BAD_REQUEST } else { StatusCode::OK };
    // URLs of previews are secrets, and the page repeats what was searched for.
    Ok(with_secret(place.page_with(status, "previews", words::PREVIEWS, &body)))
}

/// Previews as a table.
pub(super) fn table(dashboard: &Dashboard, place: &ProjectContext, previews: &[Preview]) -> Markup {
    let now = dashboard.operations.now();
    html! {
        div.scroll tabindex="0" { table {
            thead { tr {
                th { (words::STATE) } th { (words::PREVIEW) } th.minor { (words::PULL_REQUEST) }
                th { (words::SITE) } th.number.minor { (words::DIAGNOSTICS) } th { (words::LAST_CHANGE) }
            } }
            tbody {
                @for preview in previews {
                    tr {
                        td { (preview.standing()) }
                        td.grow {
                            a href=(place.path(&format!("previews/{}", preview.id))) { (preview.name()) }
                            @if preview.title.is_some() { " " code.soft { (preview.branch) } }
                            @if preview.is_fork { " " span.badge { (words::FORK) } }
                        }
                        td.minor { (pull_request(preview)) }
                        td { @if preview.is_open() { a href=(preview.preview_url) { (words::OPEN) } } @else { span.soft { "–" } } }
                        td.number.minor { @if let Some(count) = preview.warnings { (count) } @else { "–" } }
                        td { (at(now, Some(&preview.changed_at))) }
                    }
                }
            }
        } }
    }
}

fn pull_request(preview: &Preview) -> Markup {
    html! {
        @match (preview.pull_request, &preview.pull_request_url) {
            (Some(number), Some(url)) => a href=(url) { "#" (number) },
            (Some(number), None) => span { "#" (number) },
            (None, _) => span.soft { "–" },
        }
    }
}

/// Whether previews require a password, and the admin's options.
fn password(place: &ProjectContext, is_set: bool) -> Markup {
    let path = place.path("previews/password");
    html! {
        h2 { (words::PREVIEW_PASSWORD) }
        p { (if is_set { words::PASSWORD_IS_SET } else { words::PASSWORD_IS_NOT_SET }) }
        @if place.of.caller.can::<can::SetPreviewPassword>() {
            form.wide method="post" action=(path) {
                (Field::text("password", words::NEW_PASSWORD, "").of("password", "off").hint(words::PREVIEW_PASSWORD_HINT).show())
                button type="submit" { (words::SET_PASSWORD) }
            }
            @if is_set {
                p.below { (Action::new(&path, words::REMOVE_PASSWORD).dangerous(words::REMOVE_PASSWORD_QUESTION).show()) }
            }
        } @else { p.soft { (words::needs(Role::Admin)) } }
    }
}
