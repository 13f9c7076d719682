//! Feedback.

use axum::{Json, extract::State};
use docwright_http::{
    error::{ApiError, Error},
    parameters::{Path, Query},
};
use docwright_operations::{
    Allowed, can,
    feedback::{
        self, Feedback, FeedbackAnswer, FeedbackAnswerList, FeedbackChange, FeedbackFilter,
        ListFeedbackAnswers,
    },
    lists::Page,
};
use serde::Deserialize;
use utoipa::IntoParams;

use super::{ProjectPath, body::Body};
use crate::state::ApiState;

/// An answer of a reader.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Path)]
pub(crate) struct FeedbackPath {
    /// ID of the project.
    #[param(example = "prj_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    project_id: String,
    /// ID of the feedback entry.
    #[param(example = "feedback_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    feedback_id: String,
}

/// List feedback
///
/// Returns the ratings and comments of a domain's pages. Pages that helped least come first.
#[utoipa::path(
    get,
    path = "/v1/feedback",
    tag = "Feedback",
    operation_id = "listFeedback",
    params(FeedbackFilter),
    responses(
        (status = 200, description = "The feedback.", body = Feedback),
        (status = 404, description = "Domain not found.", body = Error),
    ),
)]
pub(crate) async fn of_domain(
    State(app): State<ApiState>,
    caller: Allowed<can::ListFeedback>,
    filter: Result<Query<FeedbackFilter>, ApiError>,
) -> Result<Json<Feedback>, ApiError> {
    Ok(Json(feedback::of_domain(&app, &caller, &filter?.0).await?))
}

/// List feedback entries
///
/// Returns a page of a project's feedback entries, newest first, with the state of each.
#[utoipa::path(
    get,
    path = "/v1/projects/{projectId}/feedback",
    tag = "Feedback",
    operation_id = "listProjectFeedback",
    params(ProjectPath, ListFeedbackAnswers, Page),
    responses(
        (status = 200, description = "A page of feedback entries.", body = FeedbackAnswerList),
        (status = 404, description = "Project not found.", body = Error),
    ),
)]
pub(crate) async fn list(
    State(app): State<ApiState>,
    caller: Allowed<can::ListProjectFeedback>,
    Path(ProjectPath { project_id }): Path<ProjectPath>,
    filter: Result<Query<ListFeedbackAnswers>, ApiError>,
    page: Result<Query<Page>, ApiError>,
) -> Result<Json<FeedbackAnswerList>, ApiError> {
    Ok(Json(feedback::list(&app, &caller, &project_id, &filter?.0, &page?.0).await?))
}

/// Update a feedback entry
///
/// Updates the state and note of a feedback entry. Readers don't see them.
#[utoipa::path(
    patch,
    path = "/v1/projects/{projectId}/feedback/{feedbackId}",
    tag = "Feedback",
    operation_id = "updateFeedback",
    params(FeedbackPath),
    request_body = FeedbackChange,
    responses(
        (status = 200, description = "The updated feedback entry.", body = FeedbackAnswer),
        (status = 404, description = "Project or feedback entry not found.", body = Error),
        (status = 409, description = "The feedback entry no longer has the revision that the update names.", body = Error),
    ),
)]
pub(crate) async fn update(
    State(app): State<ApiState>,
    caller: Allowed<can::UpdateFeedback>,
    Path(FeedbackPath { project_id, feedback_id }): Path<FeedbackPath>,
    body: Result<Body<FeedbackChange>, ApiError>,
) -> Result<Json<FeedbackAnswer>, ApiError> {
    let of = (project_id.as_str(), feedback_id.as_str());
    Ok(Json(feedback::update(&app, &caller, of, body?.value).await?))
}
