//! Checks of repositories.

use axum::{Json, extract::State};
use docwright_http::error::{ApiError, Error};
use docwright_operations::{
    Allowed, can,
    repository_checks::{self, CheckRepository, RepositoryCheck},
};

use super::body::Body;
use crate::state::ApiState;

/// Check a repository
///
/// Reads a repository before you create a project of it: its branches, and the folders that contain `docs.json`.
/// Nothing is stored. `problem` names the input that doesn't work. Each organization can check 60 repositories an
/// hour.
#[utoipa::path(
    post,
    path = "/v1/repositories/check",
    tag = "Projects",
    operation_id = "checkRepository",
    request_body = CheckRepository,
    responses(
        (status = 200, description = "What docwright found.", body = RepositoryCheck),
        (status = 404, description = "Organization not found.", body = Error),
        (status = 429, description = "The organization checked too many repositories, or checks too many at the same time.", body = Error),
    ),
)]
pub(crate) async fn check(
    State(app): State<ApiState>,
    caller: Allowed<can::CheckRepository>,
    body: Result<Body<CheckRepository>, ApiError>,
) -> Result<Json<RepositoryCheck>, ApiError> {
    Ok(Json(repository_checks::check(&app, &caller, body?.value).await?))
}
