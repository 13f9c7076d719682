//! Feedback of readers on the pages of a project, and its triage.

use axum::{
    extract::{Path, Query, State},
    http::StatusCode,
    response::Response,
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
    forms::{Form, is_stale, revision},
    parts::{
        self, ListQuery, Tone, at, empty, filter, nothing_found, problem, search, state, stored,
    },
    paths::encoded,
    project_context::ProjectContext,
    refusal::Refusal,
    words::{self, Done},
};

#[derive(Deserialize)]
pub(super) struct Change {
    state: String,
    note: String,
    revision: Option<String>,
    /// The state and the search of the list.
    shown: Option<String>,
    search: Option<String>,
}

impl Change {
    fn input(&self) -> Result<FeedbackChange, OperationError> {
        // Browsers end lines of text with CRLF.
        let note = self.note.replace("\r\n", "\n");
        Ok(FeedbackChange {
            state: Some(self.state.parse().map_err(OperationError::Invalid)?),
            note: Some(field("note", note)?),
            revision: revision(self.revision.as_deref())?,
        })
    }
}

/// A change that was refused.
struct Refused {
    sentence: String,
    /// The entry that is stored now.
    entry: FeedbackAnswer,
    /// The form, which is shown again.
    change: Change,
    is_stale: bool,
}

impl Refused {
    async fn read(
        dashboard: &Dashboard,
        (project_id, id): (&str, &str),
        mut change: Change,
        refusal: Refusal,
    ) -> Result<Self, Refusal> {
        let entry = dashboard.operations.database.feedback_of_id(project_id, id).await?;
        let entry = FeedbackAnswer::from(entry.ok_or(Refusal::Missing)?);
        let is_stale = is_stale(&refusal, change.revision.as_deref(), entry.revision);
        if is_stale {
            change.revision = Some(entry.revision.to_string());
        }
        Ok(Self { sentence: refusal.into_problem()?, entry, change, is_stale })
    }

    const fn status(&self) -> StatusCode {
        if self.is_stale { StatusCode::CONFLICT } else { StatusCode::BAD_REQUEST }
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
    let of = (place.project.id.as_str(), id.as_str());
    let updated = match change.input() {
        Ok(input) => feedback::update(&dashboard.operations, &caller, of, input).await,
        Err(error) => Err(error),
    };
    let shown = ListQuery {
        state: change.shown.clone(),
        search: change.search.clone(),
        ..ListQuery::default()
    };
    match updated.map_err(Refusal::from) {
        Ok(_) => {
            let path = shown.here(&place.path("feedback"));
            Ok(place.of.person.browser.done(Done::FeedbackSaved, &path))
        }
        Err(refusal) => {
            let refused = Refused::read(&dashboard, of, change, refusal).await?;
            page(&dashboard, &place, &shown, Some(&refused)).await
        }
    }
}

async fn page(
    dashboard: &Dashboard,
    place: &ProjectContext,
    asked: &ListQuery,
    refused: Option<&Refused>,
) -> Result<Response, Refusal> {
    let query = ListFeedbackAnswers { state: asked.in_state()?, search: asked.searched()? };
    let (caller, page) = (place.of.caller.allowed()?, asked.page(None)?);
    let list =
        feedback::list(&dashboard.operations, &caller, &place.project.id, &query, &page).await?;
    let (here, next) = (place.path("feedback"), list.next_cursor.as_deref());
    // The form of a refused change comes first, also if the filter no longer shows its entry.
    let is_other = |each: &&FeedbackAnswer| refused.is_none_or(|one| one.entry.id != each.id);
    let others = list.items.iter().filter(is_other).map(|each| (each, None));
    let first = refused.map(|refused| (&refused.entry, Some(refused)));
    let entries: Vec<_> = first.into_iter().chain(others).collect();
    let states =
        FeedbackState::ALL.map(|state| (state.name(), words::feedback_state(state.name())));
    let body = html! {
        h1 { (words::FEEDBACK) }
        (problem(refused.map(|refused| refused.sentence.as_str())))
        @if entries.is_empty() && asked.is_all() {
            (empty(words::NO_FEEDBACK, words::NO_FEEDBACK_WHY, &Markup::default()))
        } @else {
            @if asked.is_long(entries.len(), next) { (search(&here, words::FIND_PAGE, asked)) }
            (filter(&here, "state", &states, asked))
            @if entries.is_empty() { (nothing_found(&here, asked)) }
            ul.answers {
                @for (each, refused) in entries { (answer((place, dashboard), each, asked, refused)) }
            }
            (asked.pager(&here, next))
        }
    };
    let status = refused.map_or(StatusCode::OK, Refused::status);
    Ok(place.page_with(status, "feedback", words::FEEDBACK, &body))
}

fn answer(
    (place, dashboard): (&ProjectContext, &Dashboard),
    each: &FeedbackAnswer,
    shown: &ListQuery,
    refused: Option<&Refused>,
) -> Markup {
    let now = dashboard.operations.now();
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
                @if refused.is_some_and(|refused| refused.is_stale) { (stored(&facts(each))) }
                (form(place, each, shown, refused.map(|refused| &refused.change)))
            } @else if let Some(note) = &each.note { p { span.soft { (words::NOTE) ": " } (note) } }
            @if each.changed_at.is_some() { p.hint { (words::LAST_CHANGE) " " (at(now, each.changed_at.as_deref())) } }
        }
    }
}

/// The form of an entry, with what is stored or what was typed.
fn form(
    place: &ProjectContext,
    each: &FeedbackAnswer,
    shown: &ListQuery,
    typed: Option<&Change>,
) -> Markup {
    let path = place.path(&format!("feedback/{}", encoded(&each.id)));
    let (state_id, note_id) = (format!("state-{}", each.id), format!("note-{}", each.id));
    let stored = each.revision.to_string();
    let (chosen, note, revision) = typed.map_or_else(
        || (each.state.name(), each.note.as_deref().unwrap_or_default(), Some(stored.as_str())),
        |typed| (typed.state.as_str(), typed.note.as_str(), typed.revision.as_deref()),
    );
    html! {
        form.inline method="post" action=(path) {
            (parts::revision(revision))
            @if let Some(shown) = &shown.state { input type="hidden" name="shown" value=(shown); }
            @if let Some(search) = &shown.search { input type="hidden" name="search" value=(search); }
            div.field {
                label for=(state_id) { (words::STATE) }
                select id=(state_id) name="state" {
                    @for known in FeedbackState::ALL.map(FeedbackState::name) {
                        option value=(known) selected[known == chosen] { (words::feedback_state(known)) }
                    }
                }
            }
            div.field.grow {
                label for=(note_id) { (words::NOTE) }
                textarea id=(note_id) name="note" rows="1" maxlength="2000" { (note) }
            }
            button type="submit" { (words::SAVE) }
        }
    }
}

fn facts(each: &FeedbackAnswer) -> Markup {
    html! {
        dl.facts {
            dt { (words::STATE) } dd { (words::feedback_state(each.state.name())) }
            @if let Some(note) = &each.note { dt { (words::NOTE) } dd { (note) } }
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
