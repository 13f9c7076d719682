//! `GET /v1/projects/{projectId}/feedback`.

use axum::{Json, extract::State as Shared};
use docwright_domain::feedback::FeedbackState;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{FeedbackAnswer, State};
use crate::{
    api::{
        ProjectPath,
        paging::{Length, MAXIMUM},
    },
    authorize::Reader,
    error::{ApiError, Error},
    parameters::{Number, Path, Query},
    state::AppState,
};

/// Which answers to list.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct Filter {
    /// Only answers in this state.
    #[param(inline, value_type = State, required = false)]
    state: Option<State>,
    /// How many answers a page has at most; 20 if left out.
    #[param(value_type = i64, required = false, minimum = 1, maximum = 100)]
    limit: Option<Number<1, MAXIMUM>>,
    /// The `nextCursor` of the page before; the first page if left out.
    #[param(value_type = String, required = false, pattern = r"^[^\x00]*$")]
    cursor: Option<String>,
}

/// A page of readers' answers, newest first.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FeedbackAnswerList {
    /// The answers.
    feedback: Vec<FeedbackAnswer>,
    /// What to ask for the next page with; null on the last one.
    next_cursor: Option<String>,
}

/// List answers
///
/// What readers said of the pages of a project, newest first, a page at a time, and what became of it.
#[utoipa::path(
    get,
    path = "/v1/projects/{projectId}/feedback",
    tag = "Feedback",
    operation_id = "listProjectFeedback",
    security(("key" = ["read"])),
    params(ProjectPath, Filter),
    responses(
        (status = 200, description = "A page of answers", body = FeedbackAnswerList),
        (status = 404, description = "There is no such project", body = Error),
    ),
)]
pub(crate) async fn list(
    Shared(app): Shared<AppState>,
    caller: Reader,
    Path(ProjectPath { project_id }): Path<ProjectPath>,
    filter: Result<Query<Filter>, ApiError>,
) -> Result<Json<FeedbackAnswerList>, ApiError> {
    let project = caller.project(&app, &project_id).await?;
    let Query(Filter { state, limit, cursor }) = filter?;
    let (state, length) = (state.map(FeedbackState::from), Length::of(limit));
    let database = &app.database;
    let read = database.feedback_of_project(&project.id, state, cursor.as_deref(), length.read());
    let (read, next_cursor) = length.page(read.await?, |answer| answer.id.clone());
    let feedback = read.into_iter().map(FeedbackAnswer::from).collect();
    Ok(Json(FeedbackAnswerList { feedback, next_cursor }))
}
