//! `PUT` and `DELETE /v1/projects/{projectId}/preview-password`.

use axum::{extract::State, http::StatusCode};
use serde::Deserialize;
use utoipa::ToSchema;

use crate::{
    api::{ProjectPath, body::Body, text::Text},
    audit::Change,
    authorize::Admin,
    error::{ApiError, Error},
    parameters::Path,
    password,
    state::AppState,
};

/// A password of previews.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PreviewPassword {
    /// The password. It is kept as a hash, and never shown.
    #[schema(value_type = String, min_length = 1, max_length = 200, pattern = r"^[^\x00]*[^\x00-\x20\x7f-\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000][^\x00]*$", example = "correct horse battery staple")]
    password: Text<200>,
}

/// Protect previews
///
/// Each preview of the project asks for this password from now on, open ones too. Who gave another one before
/// is asked again.
#[utoipa::path(
    put,
    path = "/v1/projects/{projectId}/preview-password",
    tag = "Previews",
    operation_id = "setPreviewPassword",
    params(ProjectPath),
    request_body = PreviewPassword,
    responses(
        (status = 204, description = "Previews ask for the password"),
        (status = 404, description = "There is no such project", body = Error),
        (status = 429, description = "Too many passwords are being checked", body = Error, headers(("Retry-After" = i64))),
    ),
)]
pub(crate) async fn set(
    State(app): State<AppState>,
    caller: Admin,
    Path(ProjectPath { project_id }): Path<ProjectPath>,
    body: Result<Body<PreviewPassword>, ApiError>,
) -> Result<StatusCode, ApiError> {
    let project = caller.project(&app, &project_id).await?;
    let Body { value, .. } = body?;
    let hash = password::hash(&project.organization_id, value.password.into()).await?;
    let change = Change::of("preview_password.set", Some(&project.organization_id));
    let database = caller.recording(&app, change);
    database.set_preview_password(&project.id, Some(&hash)).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Open previews
///
/// Previews of the project ask for no password any more.
#[utoipa::path(
    delete,
    path = "/v1/projects/{projectId}/preview-password",
    tag = "Previews",
    operation_id = "removePreviewPassword",
    params(ProjectPath),
    responses(
        (status = 204, description = "Previews ask for no password"),
        (status = 404, description = "There is no such project", body = Error),
    ),
)]
pub(crate) async fn remove(
    State(app): State<AppState>,
    caller: Admin,
    Path(ProjectPath { project_id }): Path<ProjectPath>,
) -> Result<StatusCode, ApiError> {
    let project = caller.project(&app, &project_id).await?;
    let change = Change::of("preview_password.remove", Some(&project.organization_id));
    let database = caller.recording(&app, change);
    database.set_preview_password(&project.id, None).await?;
    Ok(StatusCode::NO_CONTENT)
}
