//! What readers say of the pages of a project, and what the authors make of it.

use axum::{
    extract::{Path, Query, State},
    http::{Method, StatusCode},
    response::{IntoResponse, Redirect, Response},
};
use docwright_domain::account::Role;
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::json;

use crate::dashboard::{
    Dashboard,
    forms::Form,
    operations::encoded,
    parts::{Asked, Tone, at, empty, filter, nothing_found, problem, search, state},
    place::ProjectPlace,
    refusal::Refusal,
    words,
};

#[derive(Deserialize)]
pub(super) struct Change {
    state: String,
    note: String,
    /// The state that the list showed, and what it was searched for.
    shown: Option<String>,
    search: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct FeedbackList {
    pub(super) feedback: Vec<Feedback>,
    next_cursor: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Feedback {
    id: String,
    domain: String,
    pub(super) page: String,
    helpful: bool,
    pub(super) comment: Option<String>,
    state: String,
    note: Option<String>,
    pub(super) created_at: String,
    changed_at: Option<String>,
}

/// The states, in the order in which an answer goes through them.
const STATES: [&str; 4] = ["pending", "in_progress", "resolved", "dismissed"];

pub(super) async fn list(
    State(dashboard): State<Dashboard>,
    place: ProjectPlace,
    Query(asked): Query<Asked>,
) -> Result<Response, Refusal> {
    page(&dashboard, &place, &asked, None).await
}

pub(super) async fn update(
    State(dashboard): State<Dashboard>,
    place: ProjectPlace,
    Path((_, id)): Path<(String, String)>,
    Form(change): Form<Change>,
) -> Result<Response, Refusal> {
    let path = format!("/v1/projects/{}/feedback/{}", place.project.id, encoded(&id));
    // Browsers end the lines of a text with a return.
    let note = change.note.replace("\r\n", "\n");
    let body = json!({ "state": change.state, "note": note });
    let shown = Asked { state: change.shown, search: change.search, ..Asked::default() };
    match place.of.operations.send(Method::PATCH, &path, Some(body)).await {
        Ok(_) => Ok(Redirect::to(&shown.here(&place.path("feedback"))).into_response()),
        Err(refusal) => {
            let sentence = refusal.into_problem()?;
            page(&dashboard, &place, &shown, Some(&sentence)).await
        }
    }
}

/// A page of answers.
pub(super) async fn read(
    place: &ProjectPlace,
    asked: &Asked,
    limit: Option<&str>,
) -> Result<FeedbackList, Refusal> {
    let path = format!("/v1/projects/{}/feedback", place.project.id);
    place.of.operations.get(&asked.operation(&path, &[("limit", limit)])).await
}

async fn page(
    dashboard: &Dashboard,
    place: &ProjectPlace,
    asked: &Asked,
    sentence: Option<&str>,
) -> Result<Response, Refusal> {
    let list = read(place, asked, None).await?;
    let (here, next) = (place.path("feedback"), list.next_cursor.as_deref());
    let states = STATES.map(|name| (name, words::feedback_state(name)));
    let body = html! {
        h1 { (words::FEEDBACK) }
        (problem(sentence))
        @if list.feedback.is_empty() && asked.is_all() {
            (empty(words::NO_FEEDBACK, words::NO_FEEDBACK_WHY, &Markup::default()))
        } @else {
            @if asked.is_long(list.feedback.len(), next) { (search(&here, words::FIND_PAGE, asked)) }
            (filter(&here, "state", &states, asked))
            @if list.feedback.is_empty() { (nothing_found(&here, asked)) }
            ul.answers {
                @for each in &list.feedback { (answer(place, dashboard, each, asked)) }
            }
            (asked.pager(&here, next))
        }
    };
    let status = if sentence.is_some() { StatusCode::BAD_REQUEST } else { StatusCode::OK };
    Ok(place.page_with(status, "feedback", words::FEEDBACK, &body))
}

fn answer(place: &ProjectPlace, dashboard: &Dashboard, each: &Feedback, shown: &Asked) -> Markup {
    let now = dashboard.app.now();
    let path = place.path(&format!("feedback/{}", encoded(&each.id)));
    let (state_id, note_id) = (format!("state-{}", each.id), format!("note-{}", each.id));
    html! {
        li.answer {
            p.standing {
                (standing(&each.state)) " "
                (if each.helpful { state(Tone::Good, words::HELPED) } else { state(Tone::Bad, words::DID_NOT_HELP) })
                @let page = format!("{}/{}", each.domain, each.page);
                " " a href=[dashboard.app.site_address(&page)] { "/" (each.page) }
                " " (at(now, Some(&each.created_at)))
            }
            @if let Some(comment) = &each.comment { blockquote { (comment) } }
            @if place.of.may(Role::Editor) {
                form.inline method="post" action=(path) {
                    @if let Some(shown) = &shown.state { input type="hidden" name="shown" value=(shown); }
                    @if let Some(search) = &shown.search { input type="hidden" name="search" value=(search); }
                    div.field {
                        label for=(state_id) { (words::STATE) }
                        select id=(state_id) name="state" {
                            @for known in STATES {
                                option value=(known) selected[known == each.state] { (words::feedback_state(known)) }
                            }
                        }
                    }
                    div.field.grow {
                        label for=(note_id) { (words::NOTE) }
                        textarea id=(note_id) name="note" rows="1" maxlength="2000" { (each.note.as_deref().unwrap_or_default()) }
                    }
                    button type="submit" { (words::SAVE) }
                }
            } @else if let Some(note) = &each.note { p { span.soft { (words::NOTE) ": " } (note) } }
            @if each.changed_at.is_some() { p.hint { (words::LAST_CHANGE) " " (at(now, each.changed_at.as_deref())) } }
        }
    }
}

fn standing(name: &str) -> Markup {
    let tone = match name {
        "resolved" => Tone::Good,
        "in_progress" => Tone::Running,
        "pending" => Tone::Waiting,
        _ => Tone::Neutral,
    };
    state(tone, words::feedback_state(name))
}
