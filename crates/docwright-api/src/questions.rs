//! Questions of readers to the assistant.

use std::io;

use axum::{
    Json,
    body::Body,
    extract::State,
    http::header,
    response::{IntoResponse, Response},
};
use docwright_http::{
    error::{ApiError, Error},
    parameters::{Path, Query},
};
use docwright_operations::{
    Allowed, can,
    lists::Page,
    questions::{
        self, CallerStats, Conversation, ConversationList, DeletedQuestions, ListConversations,
        QuestionRange, Thread,
    },
};
use futures::stream;
use serde::Deserialize;
use utoipa::IntoParams;
use utoipa_axum::{router::OpenApiRouter, routes};

use super::ProjectPath;
use crate::state::ApiState;

/// The operations of questions.
pub(crate) fn router() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .routes(routes!(list, delete_all))
        .routes(routes!(export))
        .routes(routes!(caller_stats))
        .routes(routes!(thread, delete_thread))
}

/// A conversation.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Path)]
struct ThreadPath {
    /// ID of the project.
    #[param(example = "prj_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    project_id: String,
    /// ID of the conversation.
    #[param(example = "q0Xw1mGZ7dYb2nJ5s8LrTA")]
    thread_id: String,
}

/// List conversations
///
/// Returns a page of the questions that readers asked the assistant of a project's sites, with its answers and their
/// ratings, newest first. docwright keeps them for as long as the cloud deployment says.
#[utoipa::path(
    get,
    path = "/v1/analytics/{projectId}/assistant",
    tag = "Assistant",
    operation_id = "listConversations",
    params(ProjectPath, QuestionRange, ListConversations, Page),
    responses(
        (status = 200, description = "A page of questions.", body = ConversationList),
        (status = 404, description = "Project not found.", body = Error),
    ),
)]
async fn list(
    State(app): State<ApiState>,
    caller: Allowed<can::ListConversations>,
    Path(ProjectPath { project_id }): Path<ProjectPath>,
    range: Result<Query<QuestionRange>, ApiError>,
    filter: Result<Query<ListConversations>, ApiError>,
    page: Result<Query<Page>, ApiError>,
) -> Result<Json<ConversationList>, ApiError> {
    let which = (&range?.0, filter?.0);
    Ok(Json(questions::list(&app, &caller, &project_id, which, &page?.0).await?))
}

/// Export conversations
///
/// Returns all questions in a range as JSON Lines, newest first: each line is an object as in the list.
#[utoipa::path(
    get,
    path = "/v1/analytics/{projectId}/assistant/export",
    tag = "Assistant",
    operation_id = "exportConversations",
    params(ProjectPath, QuestionRange),
    responses(
        (status = 200, description = "The questions, one on each line.", content_type = "application/jsonl", body = Conversation),
        (status = 404, description = "Project not found.", body = Error),
    ),
)]
async fn export(
    State(app): State<ApiState>,
    caller: Allowed<can::ExportConversations>,
    Path(ProjectPath { project_id }): Path<ProjectPath>,
    range: Result<Query<QuestionRange>, ApiError>,
) -> Result<Response, ApiError> {
    let export = questions::export(&app, &caller, &project_id, &range?.0).await?;
    let parts = stream::try_unfold(export, |mut export| async move {
        let part = export.next().await.map_err(|_| io::Error::other("the export broke off"))?;
        Ok::<_, io::Error>(part.map(|lines| (lines, export)))
    });
    let headers = [
        (header::CONTENT_TYPE, "application/jsonl"),
        (header::CONTENT_DISPOSITION, "attachment; filename=\"conversations.jsonl\""),
    ];
    Ok((headers, Body::from_stream(parts)).into_response())
}

/// Get caller stats
///
/// Counts the questions in a range by where they were asked.
#[utoipa::path(
    get,
    path = "/v1/analytics/{projectId}/assistant/caller-stats",
    tag = "Assistant",
    operation_id = "getCallerStats",
    params(ProjectPath, QuestionRange),
    responses(
        (status = 200, description = "The numbers of questions.", body = CallerStats),
        (status = 404, description = "Project not found.", body = Error),
    ),
)]
async fn caller_stats(
    State(app): State<ApiState>,
    caller: Allowed<can::GetCallerStats>,
    Path(ProjectPath { project_id }): Path<ProjectPath>,
    range: Result<Query<QuestionRange>, ApiError>,
) -> Result<Json<CallerStats>, ApiError> {
    Ok(Json(questions::caller_stats(&app, &caller, &project_id, &range?.0).await?))
}

/// Get a thread
///
/// Returns the questions of one conversation, oldest first.
#[utoipa::path(
    get,
    path = "/v1/analytics/{projectId}/assistant/threads/{threadId}",
    tag = "Assistant",
    operation_id = "getThread",
    params(ThreadPath),
    responses(
        (status = 200, description = "The conversation.", body = Thread),
        (status = 404, description = "Project or thread not found.", body = Error),
    ),
)]
async fn thread(
    State(app): State<ApiState>,
    caller: Allowed<can::GetThread>,
    Path(ThreadPath { project_id, thread_id }): Path<ThreadPath>,
) -> Result<Json<Thread>, ApiError> {
    Ok(Json(questions::thread(&app, &caller, (&project_id, &thread_id)).await?))
}

/// Delete a thread
///
/// Permanently deletes the questions of one conversation.
#[utoipa::path(
    delete,
    path = "/v1/analytics/{projectId}/assistant/threads/{threadId}",
    tag = "Assistant",
    operation_id = "deleteThread",
    params(ThreadPath),
    responses(
        (status = 200, description = "The number of deleted questions.", body = DeletedQuestions),
        (status = 404, description = "Project or thread not found.", body = Error),
    ),
)]
async fn delete_thread(
    State(app): State<ApiState>,
    caller: Allowed<can::DeleteThread>,
    Path(ThreadPath { project_id, thread_id }): Path<ThreadPath>,
) -> Result<Json<DeletedQuestions>, ApiError> {
    Ok(Json(questions::delete_thread(&app, &caller, (&project_id, &thread_id)).await?))
}

/// Delete all conversations
///
/// Permanently deletes all questions of a project's sites.
#[utoipa::path(
    delete,
    path = "/v1/analytics/{projectId}/assistant",
    tag = "Assistant",
    operation_id = "deleteConversations",
    params(ProjectPath),
    responses(
        (status = 200, description = "The number of deleted questions.", body = DeletedQuestions),
        (status = 404, description = "Project not found.", body = Error),
    ),
)]
async fn delete_all(
    State(app): State<ApiState>,
    caller: Allowed<can::DeleteConversations>,
    Path(ProjectPath { project_id }): Path<ProjectPath>,
) -> Result<Json<DeletedQuestions>, ApiError> {
    Ok(Json(questions::delete_all(&app, &caller, &project_id).await?))
}
