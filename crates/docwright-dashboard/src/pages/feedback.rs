//! What readers say of the pages of a project, and what the authors make of it.

use axum::{
    extract::{Path, Query, State},
    http::StatusCode,
    response::{IntoResponse, Redirect, Response},
};
use docwright_operations::{
    OperationError, can,
    feedback::{self, FeedbackAnswer, FeedbackChange, ListFeedbackAnswers},
    fields::field,
};
use docwright_types::feedback::FeedbackState;
use maud::{Markup, html};
use serde::Deserialize;

use crate::{
    Dashboard,
    forms::Form,
    parts::{ListQuery, Tone, at, empty, filter, nothing_found, problem, search, state},
    paths::encoded,
    project_context::ProjectContext,
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

impl Change {
    fn input(&self) -> Result<FeedbackChange, OperationError> {
        // Browsers end the lines of a text with a return.
        let note = self.note.replace("\r\n", "\n");
        Ok(FeedbackChange {
            state: Some(self.state.parse().map_err(OperationError::Invalid)?),
            note: Some(field("note", note)?),
        })
    }
}

pub(super) async fn list(
    State(dashboard): State<Dashboard>,
    place: ProjectContext,
    Query(asked): Query<ListQuery>,
) -> Result<Response, Refusal> {
    page(&dashboard, &place, &asked, None).await
}

pub(super) async fn update(
    State(dashboard): State<Dashboard>,
    place: ProjectContext,
    Path((_, id)): Path<(String, String)>,
    Form(change): Form<Change>,
) -> Result<Response, Refusal> {
    let caller = place.of.caller.allowed()?;
    let updated = match change.input() {
        Ok(input) => {
            let of = (place.project.id.as_str(), id.as_str());
            feedback::update(&dashboard.operations, &caller, of, input).await
        }
        Err(error) => Err(error),
    };
    let shown = ListQuery { state: change.shown, search: change.search, ..ListQuery::default() };
    match updated.map_err(Refusal::from) {
        Ok(_) => Ok(Redirect::to(&shown.here(&place.path("feedback"))).into_response()),
        Err(refusal) => {
            let sentence = refusal.into_problem()?;
            page(&dashboard, &place, &shown, Some(&sentence)).await
        }
    }
}

async fn page(
    dashboard: &Dashboard,
    place: &ProjectContext,
    asked: &ListQuery,
    sentence: Option<&str>,
) -> Result<Response, Refusal> {
    let query = ListFeedbackAnswers { state: asked.in_state()?, search: asked.searched()? };
    let (caller, page) = (place.of.caller.allowed()?, asked.page(None)?);
    let list =
        feedback::list(&dashboard.operations, &caller, &place.project.id, &query, &page).await?;
    let (here, next) = (place.path("feedback"), list.next_cursor.as_deref());
    let states =
        FeedbackState::ALL.map(|state| (state.name(), words::feedback_state(state.name())));
    let body = html! {
        h1 { (words::FEEDBACK) }
        (problem(sentence))
        @if list.items.is_empty() && asked.is_all() {
            (empty(words::NO_FEEDBACK, words::NO_FEEDBACK_WHY, &Markup::default()))
        } @else {
            @if asked.is_long(list.items.len(), next) { (search(&here, words::FIND_PAGE, asked)) }
            (filter(&here, "state", &states, asked))
            @if list.items.is_empty() { (nothing_found(&here, asked)) }
            ul.answers {
                @for each in &list.items { (answer(place, dashboard, each, asked)) }
            }
            (asked.pager(&here, next))
        }
    };
    let status = if sentence.is_some() { StatusCode::BAD_REQUEST } else { StatusCode::OK };
    Ok(place.page_with(status, "feedback", words::FEEDBACK, &body))
}

fn answer(
    place: &ProjectContext,
    dashboard: &Dashboard,
    each: &FeedbackAnswer,
    shown: &ListQuery,
) -> Markup {
    let now = dashboard.operations.now();
    let path = place.path(&format!("feedback/{}", encoded(&each.id)));
    let (state_id, note_id) = (format!("state-{}", each.id), format!("note-{}", each.id));
    html! {
        li.answer {
            p.standing {
                (standing(each.state)) " "
                (if each.helpful { state(Tone::Good, words::HELPED) } else { state(Tone::Bad, words::DID_NOT_HELP) })
                @let page = format!("{}/{}", each.domain, each.page);
                " " a href=[dashboard.operations.site_address(&page)] { "/" (each.page) }
                " " (at(now, Some(&each.created_at)))
            }
            @if let Some(comment) = &each.comment { blockquote { (comment) } }
            @if place.of.caller.can::<can::UpdateFeedback>() {
                form.inline method="post" action=(path) {
                    @if let Some(shown) = &shown.state { input type="hidden" name="shown" value=(shown); }
                    @if let Some(search) = &shown.search { input type="hidden" name="search" value=(search); }
                    div.field {
                        label for=(state_id) { (words::STATE) }
                        select id=(state_id) name="state" {
                            @for known in FeedbackState::ALL {
                                option value=(known.name()) selected[known == each.state] { (words::feedback_state(known.name())) }
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

fn standing(of: FeedbackState) -> Markup {
    let tone = match of {
        FeedbackState::Resolved => Tone::Good,
        FeedbackState::InProgress => Tone::Running,
        FeedbackState::Pending => Tone::Waiting,
        FeedbackState::Dismissed => Tone::Neutral,
    };
    state(tone, words::feedback_state(of.name()))
}
