//! Gaps: questions that the pages don't answer.

use axum::{Json, extract::State};
use docwright_http::{
    error::{ApiError, Error},
    parameters::{Path, Query},
};
use docwright_operations::{
    Allowed, can,
    gaps::{self, GapList},
    questions::QuestionRange,
};

use super::ProjectPath;
use crate::state::ApiState;

/// List gaps
///
/// Returns what readers asked the assistant of a project's sites and the pages don't answer: questions that were
/// refused, and those whose answer was rated not helpful. Questions that ask the same are one gap. To fill a gap, start
/// an agent job with its `prompt`.
#[utoipa::path(
    get,
    path = "/v1/analytics/{projectId}/gaps",
    tag = "Assistant",
    operation_id = "listGaps",
    params(ProjectPath, QuestionRange),
    responses(
        (status = 200, description = "The gaps, the most frequent first.", body = GapList),
        (status = 404, description = "Project not found.", body = Error),
    ),
)]
pub(crate) async fn list(
    State(app): State<ApiState>,
    caller: Allowed<can::ListGaps>,
    Path(ProjectPath { project_id }): Path<ProjectPath>,
    range: Result<Query<QuestionRange>, ApiError>,
) -> Result<Json<GapList>, ApiError> {
    Ok(Json(gaps::list(&app, &caller, &project_id, &range?.0).await?))
}
