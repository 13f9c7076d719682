//! `PATCH /v1/projects/{projectId}/feedback/{feedbackId}`.

use axum::{Json, extract::State as Shared};
use serde::Deserialize;
use serde_json::json;
use utoipa::{IntoParams, ToSchema};

use super::{FeedbackAnswer, State};
use crate::{
    api::body::Body,
    audit::Change,
    authorize::Writer,
    error::{ApiError, Error},
    parameters::Path,
    state::AppState,
};

/// Longest note, in characters.
const LONGEST: usize = 2_000;

/// An answer of a reader.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Path)]
pub(crate) struct FeedbackPath {
    /// Identifier of the project.
    #[param(example = "prj_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    project_id: String,
    /// Identifier of the answer.
    #[param(example = "feedback_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    feedback_id: String,
}

/// What to change of an answer; what is left out stays.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct FeedbackChange {
    /// What became of it.
    #[schema(value_type = Option<State>)]
    state: Option<State>,
    /// A note of the authors, which readers don't see; empty for none.
    #[schema(value_type = Option<String>, max_length = 2000, pattern = r"^[^\x00]*$", example = "The page names the version now.")]
    note: Option<Note>,
}

/// A note, which may be empty.
#[derive(Debug, Deserialize)]
#[serde(try_from = "String")]
struct Note(String);

impl TryFrom<String> for Note {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        if text.contains('\0') {
            return Err("holds a NUL character; leave it out".to_owned());
        }
        if text.chars().count() > LONGEST {
            return Err(format!("is longer than {LONGEST} characters; make it shorter"));
        }
        Ok(Self(text))
    }
}

/// Change an answer
///
/// Says what became of what a reader said. Readers see nothing of it.
#[utoipa::path(
    patch,
    path = "/v1/projects/{projectId}/feedback/{feedbackId}",
    tag = "Feedback",
    operation_id = "updateFeedback",
    params(FeedbackPath),
    request_body = FeedbackChange,
    responses(
        (status = 200, description = "The answer as it is since", body = FeedbackAnswer),
        (status = 404, description = "There is no such project or answer", body = Error),
    ),
)]
pub(crate) async fn update(
    Shared(app): Shared<AppState>,
    caller: Writer,
    Path(FeedbackPath { project_id, feedback_id: id }): Path<FeedbackPath>,
    body: Result<Body<FeedbackChange>, ApiError>,
) -> Result<Json<FeedbackAnswer>, ApiError> {
    let missing = || ApiError::NotFound("This project has no such answer.".to_owned());
    let project = caller.project(&app, &project_id).await?;
    let FeedbackChange { state, note } = body?.value;
    let before = app.database.feedback_of_id(&project.id, &id).await?.ok_or_else(missing)?;
    let state = state.map_or(before.state, Into::into);
    let note = note.map_or(before.note.clone(), |Note(text)| {
        Some(text.trim().to_owned()).filter(|text| !text.is_empty())
    });
    let change = Change::of("feedback.update", Some(&project.organization_id))
        .before(json!({ "state": before.state.name(), "note": before.note }))
        .after(json!({ "projectId": project.id, "state": state.name(), "note": note }));
    let database = caller.recording(&app, change);
    let (whose, made) = ((project.id.as_str(), id.as_str()), (state, note.as_deref()));
    if !database.update_feedback(whose, made, app.now()).await? {
        return Err(missing());
    }
    let after = app.database.feedback_of_id(&project.id, &id).await?.ok_or_else(missing)?;
    Ok(Json(after.into()))
}
