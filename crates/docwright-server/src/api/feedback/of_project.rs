//! `GET /v1/projects/{projectId}/feedback`.

use axum::{Json, extract::State as Shared};
use docwright_domain::feedback::FeedbackState;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{FeedbackAnswer, State};
use crate::{
    api::{
        ProjectPath,
        paging::{Page, Search},
    },
    authorize::Reader,
    error::{ApiError, Error},
    parameters::{Path, Query},
    state::AppState,
};

/// Which answers to list.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct Filter {
    /// Only answers in this state.
    #[param(inline, value_type = State, required = false)]
    state: Option<State>,
    /// Only those whose page begins so, in any case of ASCII letters. Those with the same one stand together then.
    #[param(value_type = String, required = false, max_length = 200, pattern = r"^[^\x00]*$", example = "guides/")]
    search: Option<Search>,
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
    params(ProjectPath, Filter, Page),
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
    page: Result<Page, ApiError>,
) -> Result<Json<FeedbackAnswerList>, ApiError> {
    let project = caller.project(&app, &project_id).await?;
    let (Query(Filter { state, search }), page) = (filter?, page?);
    // The names of pages begin without the slash that addresses have.
    let search = search.map(|search| search.without("/"));
    let wanted = page.searched(search.as_ref());
    let state = state.map(FeedbackState::from);
    let read = app.database.feedback_of_project(&project.id, state, wanted).await?;
    let (read, next_cursor) =
        page.cut(read, |answer| wanted.position(Some(&answer.page), &answer.id));
    let feedback = read.into_iter().map(FeedbackAnswer::from).collect();
    Ok(Json(FeedbackAnswerList { feedback, next_cursor }))
}
