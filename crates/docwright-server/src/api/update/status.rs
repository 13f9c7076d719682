//! `GET /v1/project/update-status/{statusId}`.

use axum::{Json, extract::State};
use docwright_domain::release::{Release, ReleaseStatus};

use super::{Update, UpdatePath};
use crate::{
    authorize::Reader,
    error::{ApiError, Error},
    parameters::Path,
    state::AppState,
};

/// Get an update
///
/// What became of an update. Poll this until `status` is `success`, `failure` or `skipped`.
#[utoipa::path(
    get,
    path = "/v1/project/update-status/{statusId}",
    tag = "Releases",
    operation_id = "getUpdate",
    security(("key" = ["read"])),
    params(UpdatePath),
    responses(
        (status = 200, description = "The update", body = Update),
        (status = 404, description = "There is no such update", body = Error),
    ),
)]
pub(crate) async fn status(
    State(app): State<AppState>,
    caller: Reader,
    Path(UpdatePath { status_id: id }): Path<UpdatePath>,
) -> Result<Json<Update>, ApiError> {
    let mut releases = app.database.releases_of_update(&id).await?;
    releases.retain(|release| caller.reaches(&release.organization_id, &release.project_id));
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
