//! Keys of the assistant.

use axum::{Json, extract::State, http::StatusCode};
use docwright_http::{
    error::{ApiError, Error},
    parameters::{Path, Query},
};
use docwright_operations::{
    Allowed,
    assistant_keys::{
        self, AssistantKeyList, CreateAssistantKey, DeletedAssistantKey, ShownAssistantKey,
    },
    can,
    lists::Page,
};
use serde::Deserialize;
use utoipa::IntoParams;
use utoipa_axum::{router::OpenApiRouter, routes};

use super::{ProjectPath, body::Body};
use crate::state::ApiState;

/// The operations of keys of the assistant.
pub(crate) fn router() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new().routes(routes!(create, list)).routes(routes!(get, delete))
}

/// A key of the assistant.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Path)]
struct AssistantKeyPath {
    /// ID of the project.
    #[param(example = "prj_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    project_id: String,
    /// Public ID of the assistant key.
    #[param(example = "0123456789abcdef")]
    key_id: String,
}

/// Create an assistant key
///
/// Creates a key that asks the assistant of one domain, from pages of the listed origins and from programs. Web pages
/// can contain it. No other operation accepts it.
#[utoipa::path(
    post,
    path = "/v1/projects/{projectId}/assistant-keys",
    tag = "Assistant",
    operation_id = "createAssistantKey",
    params(ProjectPath),
    request_body = CreateAssistantKey,
    responses(
        (status = 201, description = "The key.", body = ShownAssistantKey),
        (status = 404, description = "Project not found.", body = Error),
        (status = 409, description = "The project has 50 assistant keys, the limit.", body = Error),
    ),
)]
async fn create(
    State(app): State<ApiState>,
    caller: Allowed<can::CreateAssistantKey>,
    Path(ProjectPath { project_id }): Path<ProjectPath>,
    body: Result<Body<CreateAssistantKey>, ApiError>,
) -> Result<(StatusCode, Json<ShownAssistantKey>), ApiError> {
    let made = assistant_keys::create(&app, &caller, &project_id, body?.value).await?;
    Ok((StatusCode::CREATED, Json(made)))
}

/// List assistant keys
///
/// Returns a page of a project's assistant keys, without their secrets.
#[utoipa::path(
    get,
    path = "/v1/projects/{projectId}/assistant-keys",
    tag = "Assistant",
    operation_id = "listAssistantKeys",
    params(ProjectPath, Page),
    responses(
        (status = 200, description = "A page of keys.", body = AssistantKeyList),
        (status = 404, description = "Project not found.", body = Error),
    ),
)]
async fn list(
    State(app): State<ApiState>,
    caller: Allowed<can::ListAssistantKeys>,
    Path(ProjectPath { project_id }): Path<ProjectPath>,
    page: Result<Query<Page>, ApiError>,
) -> Result<Json<AssistantKeyList>, ApiError> {
    Ok(Json(assistant_keys::list(&app, &caller, &project_id, &page?.0).await?))
}

/// Get an assistant key
///
/// Returns an assistant key with its secret.
#[utoipa::path(
    get,
    path = "/v1/projects/{projectId}/assistant-keys/{keyId}",
    tag = "Assistant",
    operation_id = "getAssistantKey",
    params(AssistantKeyPath),
    responses(
        (status = 200, description = "The key.", body = ShownAssistantKey),
        (status = 404, description = "Project or key not found.", body = Error),
    ),
)]
async fn get(
    State(app): State<ApiState>,
    caller: Allowed<can::GetAssistantKey>,
    Path(AssistantKeyPath { project_id, key_id }): Path<AssistantKeyPath>,
) -> Result<Json<ShownAssistantKey>, ApiError> {
    Ok(Json(assistant_keys::get(&app, &caller, (&project_id, &key_id)).await?))
}

/// Delete an assistant key
///
/// Deletes an assistant key permanently. Pages that contain it can't ask anymore.
#[utoipa::path(
    delete,
    path = "/v1/projects/{projectId}/assistant-keys/{keyId}",
    tag = "Assistant",
    operation_id = "deleteAssistantKey",
    params(AssistantKeyPath),
    responses(
        (status = 200, description = "The deleted key.", body = DeletedAssistantKey),
        (status = 404, description = "Project or key not found.", body = Error),
    ),
)]
async fn delete(
    State(app): State<ApiState>,
    caller: Allowed<can::DeleteAssistantKey>,
    Path(AssistantKeyPath { project_id, key_id }): Path<AssistantKeyPath>,
) -> Result<Json<DeletedAssistantKey>, ApiError> {
    Ok(Json(assistant_keys::delete(&app, &caller, (&project_id, &key_id)).await?))
}
