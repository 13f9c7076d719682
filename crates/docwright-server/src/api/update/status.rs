//! `GET /v1/project/update-status/{statusId}`.

use axum::{
    Json,
    extract::{Path, State},
};
use docwright_domain::release::{Release, ReleaseStatus};

use super::Update;
use crate::{
    authorize::Caller,
    error::{ApiError, Error},
    state::AppState,
};

/// What became of an update. Poll this until `status` is `success`, `failure` or `skipped`.
#[utoipa::path(
    get,
    path = "/v1/project/update-status/{statusId}",
    tag = "Releases",
    params(("statusId" = String, Path, description = "Identifier that asking for the update returned")),
    responses(
        (status = 200, description = "The update", body = Update, headers(("X-Request-Id" = String))),
        (status = 401, description = "No key, or one that is unknown, revoked or expired", body = Error, headers(("WWW-Authenticate" = String))),
        (status = 403, description = "The key does not allow it", body = Error),
        (status = 404, description = "There is no such update", body = Error),
        (status = 500, description = "A fault of the server's own", body = Error),
        (status = 503, description = "The database does not answer", body = Error, headers(("Retry-After" = String))),
    ),
    security(("key" = []))
)]
pub(crate) async fn status(
    State(app): State<AppState>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Json<Update>, ApiError> {
    let mut releases = app.database.releases_of_update(&id).await?;
    releases.retain(|release| release.organization_id == caller.organization.id);
    for release in &mut releases {
        let Some(id) = release.replaced_by.as_deref() else { continue };
        // Until the release that stands for this one is ready, the update has not ended.
        let standing = app.database.release(id).await?;
        if let Some(standing) = standing.filter(|each| each.status != ReleaseStatus::Ready) {
            let (created_at, trigger) = (release.created_at, release.trigger);
            *release = Release { created_at, trigger, ..standing };
        }
    }
    let update = Update::of(id, &releases);
    update.map(Json).ok_or_else(|| ApiError::NotFound("There is no such update.".to_owned()))
}
