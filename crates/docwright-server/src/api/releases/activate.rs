//! `POST /v1/releases/{releaseId}/activate`.

use axum::{Json, extract::State};
use serde_json::json;

use super::{Release, ReleasePath, find};
use crate::{
    audit::Change,
    authorize::Writer,
    error::{ApiError, Error},
    parameters::Path,
    state::AppState,
};

/// Serve a release
///
/// Makes a ready release of a whole site the one that is served, such as an earlier one. It stays until a
/// newer commit is released.
#[utoipa::path(
    post,
    path = "/v1/releases/{releaseId}/activate",
    tag = "Releases",
    operation_id = "activateRelease",
    params(ReleasePath),
    responses(
        (status = 200, description = "The release, active", body = Release),
        (status = 404, description = "There is no such release", body = Error),
        (status = 409, description = "The release is not ready, or not one of a whole site", body = Error),
    ),
)]
pub(crate) async fn activate(
    State(app): State<AppState>,
    caller: Writer,
    Path(ReleasePath { release_id }): Path<ReleasePath>,
) -> Result<Json<Release>, ApiError> {
    let release = find(&app, &caller, &release_id).await?;
    if let Some(bundle) = &release.bundle
        && app.lost_bundles.is_lost(&bundle.key).await?
    {
        return Err(being_rebuilt(&release.id));
    }
    let site = app.database.site(&release.site_id).await?;
    let active = site.and_then(|site| site.active_release_id);
    let change = Change::of("release.activate", Some(&release.organization_id))
        .before(json!({ "projectId": release.project_id, "activeReleaseId": active }))
        .after(json!({ "projectId": release.project_id, "activeReleaseId": release.id }));
    if !caller.recording(&app, change).activate_release(&release.id, app.now()).await? {
        return Err(ApiError::Conflict(format!(
            "There is no ready release {release_id} of a whole site, or it was removed because of its age; see `docwright admin release list`."
        )));
    }
    Ok(Json(Release::read(&app, &caller, &release_id).await?))
}

fn being_rebuilt(id: &str) -> ApiError {
    ApiError::Conflict(format!(
        "The bundle of release {id} was lost and is being built again. Activate the release when it is ready."
    ))
}
