//! The previews of a project: of pull requests, and of branches that somebody asks for.

pub(super) mod show;

use axum::{
    extract::{Query, State},
    http::{Method, StatusCode},
    response::{IntoResponse, Redirect, Response},
};
use docwright_domain::account::Role;
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::json;

use super::releases::of_status;
use crate::dashboard::{
    Dashboard,
    forms::Form,
    operations::encoded,
    parts::{
        Action, Asked, Field, Tone, at, empty, filter, live, nothing_found, problem, search, state,
    },
    place::ProjectPlace,
    refusal::Refusal,
    words,
};

#[derive(Deserialize)]
pub(super) struct NewPreview {
    branch: String,
}

#[derive(Deserialize)]
pub(super) struct Password {
    /// None of them, if it is left out.
    password: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PreviewList {
    pub(super) previews: Vec<Preview>,
    next_cursor: Option<String>,
    asks_for_password: bool,
    unavailable: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Preview {
    id: String,
    branch: String,
    pull_request: Option<i64>,
    pull_request_url: Option<String>,
    title: Option<String>,
    is_fork: bool,
    pub(super) state: String,
    closed_because: Option<String>,
    #[expect(clippy::struct_field_names, reason = "the API calls it so")]
    preview_url: String,
    release_id: Option<String>,
    release_status: Option<String>,
    error: Option<String>,
    commit: Option<String>,
    warnings: Option<i64>,
    created_at: String,
    changed_at: String,
    closed_at: Option<String>,
}

impl Preview {
    /// What people know it by.
    fn name(&self) -> &str {
        self.title.as_deref().filter(|title| !title.trim().is_empty()).unwrap_or(&self.branch)
    }

    fn is_open(&self) -> bool {
        self.state == "open"
    }

    /// Whether it changes by itself.
    fn is_running(&self) -> bool {
        self.is_open() && matches!(self.release_status.as_deref(), Some("queued" | "building"))
    }

    /// How it stands: that it is closed, or how its newest release does.
    fn standing(&self) -> Markup {
        match &self.release_status {
            _ if !self.is_open() => state(Tone::Neutral, words::CLOSED),
            Some(status) => of_status(status),
            None => state(Tone::Waiting, words::WAITING),
        }
    }
}

pub(super) async fn list(
    State(dashboard): State<Dashboard>,
    place: ProjectPlace,
    Query(asked): Query<Asked>,
) -> Result<Response, Refusal> {
    page(&dashboard, &place, &asked, None).await
}

pub(super) async fn create(
    State(dashboard): State<Dashboard>,
    place: ProjectPlace,
    Form(new): Form<NewPreview>,
) -> Result<Response, Refusal> {
    let path = format!("/v1/project/preview/{}", place.project.id);
    let body = json!({ "branch": new.branch.trim() });
    done(&dashboard, &place, (Method::POST, &path, Some(body)), Some(&new.branch)).await
}

pub(super) async fn set_password(
    State(dashboard): State<Dashboard>,
    place: ProjectPlace,
    Form(given): Form<Password>,
) -> Result<Response, Refusal> {
    let path = format!("/v1/projects/{}/preview-password", place.project.id);
    let request = match given.password {
        Some(password) => (Method::PUT, path.as_str(), Some(json!({ "password": password }))),
        None => (Method::DELETE, path.as_str(), None),
    };
    done(&dashboard, &place, request, None).await
}

/// Makes a request, and shows the list, with what was wrong.
async fn done(
    dashboard: &Dashboard,
    place: &ProjectPlace,
    (method, path, body): (Method, &str, Option<serde_json::Value>),
    branch: Option<&str>,
) -> Result<Response, Refusal> {
    match place.of.operations.send(method, path, body).await {
        Ok(_) => Ok(Redirect::to(&place.path("previews")).into_response()),
        Err(refusal) => {
            let sentence = refusal.into_problem()?;
            let wrong = Some((sentence.as_str(), branch.unwrap_or_default()));
            page(dashboard, place, &Asked::default(), wrong).await
        }
    }
}

async fn page(
    dashboard: &Dashboard,
    place: &ProjectPlace,
    asked: &Asked,
    wrong: Option<(&str, &str)>,
) -> Result<Response, Refusal> {
    let path = format!("/v1/projects/{}/previews", place.project.id);
    let list: PreviewList = place.of.operations.get(&asked.operation(&path, &[])).await?;
    let (path, next) = (place.path("previews"), list.next_cursor.as_deref());
    let is_running = list.previews.iter().any(Preview::is_running);
    let branch = wrong.map(|(_, branch)| branch).unwrap_or_default();
    let may_make = place.of.may(Role::Editor) && list.unavailable.is_none();
    let body = html! {
        h1 { (words::PREVIEWS) }
        (problem(wrong.map(|(sentence, _)| sentence)))
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
        @if may_make {
            h2 { (words::NEW_PREVIEW) }
            form.wide method="post" action=(path) {
                (Field::text("branch", words::BRANCH, branch).hint(words::NEW_PREVIEW_HINT).show())
                button type="submit" { (words::MAKE_PREVIEW) }
            }
        }
        @if list.unavailable.is_none() { (password(place, list.asks_for_password)) }
    };
    let status = if wrong.is_some() { StatusCode::BAD_REQUEST } else { StatusCode::OK };
    Ok(place.page_with(status, "previews", words::PREVIEWS, &body))
}

/// Previews as a table.
pub(super) fn table(dashboard: &Dashboard, place: &ProjectPlace, previews: &[Preview]) -> Markup {
    let now = dashboard.app.now();
    html! {
        div.scroll tabindex="0" { table {
            thead { tr {
                th { (words::STATE) } th { (words::PREVIEW) } th { (words::PULL_REQUEST) }
                th { (words::SITE) } th.number { (words::MISTAKES) } th { (words::LAST_CHANGE) }
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
                        td { (pull_request(preview)) }
                        td { @if preview.is_open() { a href=(preview.preview_url) { (words::OPEN) } } @else { span.soft { "–" } } }
                        td.number { @if let Some(count) = preview.warnings { (count) } @else { "–" } }
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

/// Whether previews ask for a password, and what an admin can do about it.
fn password(place: &ProjectPlace, is_set: bool) -> Markup {
    let path = place.path("previews/password");
    html! {
        h2 { (words::PREVIEW_PASSWORD) }
        p { (if is_set { words::PASSWORD_IS_SET } else { words::PASSWORD_IS_NOT_SET }) }
        @if place.of.may(Role::Admin) {
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

/// The path of an operation of a preview.
fn address(place: &ProjectPlace, id: &str) -> String {
    format!("/v1/projects/{}/previews/{}", place.project.id, encoded(id))
}
