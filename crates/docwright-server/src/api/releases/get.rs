//! `GET /v1/releases/{releaseId}`.

use axum::{Json, extract::State};

use super::{Release, ReleasePath};
use crate::{
    authorize::Reader,
    error::{ApiError, Error},
    parameters::Path,
    state::AppState,
};

/// Get a release
#[utoipa::path(
    get,
    path = "/v1/releases/{releaseId}",
    tag = "Releases",
    operation_id = "getRelease",
    security(("key" = ["read"])),
    params(ReleasePath),
    responses(
        (status = 200, description = "The release", body = Release),
        (status = 404, description = "There is no such release", body = Error),
    ),
)]
pub(crate) async fn get(
    State(app): State<AppState>,
    caller: Reader,
    Path(ReleasePath { release_id }): Path<ReleasePath>,
) -> Result<Json<Release>, ApiError> {
    Ok(Json(Release::read(&app, &caller, &release_id).await?))
}
