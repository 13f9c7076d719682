//! `GET /v1/project/update-status/{statusId}`.

use axum::{Json, extract::State};
use docwright_domain::{
    release::{Release, ReleaseStatus},
    timestamp::{Timestamp, iso},
};

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
    let mut logs = Vec::new();
    for release in &mut releases {
        log(&app, release, &mut logs).await?;
        let Some(id) = release.replaced_by.as_deref() else { continue };
        // Until the release that stands for this one is ready, the update has not ended.
        let standing = app.database.release(id).await?;
        if let Some(standing) = standing.filter(|each| each.status != ReleaseStatus::Ready) {
            let (created_at, trigger) = (release.created_at, release.trigger);
            log(&app, &standing, &mut logs).await?;
            *release = Release { created_at, trigger, ..standing };
        }
    }
    // Steps of one moment stay in their order.
    logs.sort_by_key(|(time, _)| *time);
    let logs = logs.into_iter().map(|(time, line)| format!("{} {line}", iso(time))).collect();
    let update = Update::of(id, &releases, logs);
    update.map(Json).ok_or_else(|| ApiError::NotFound("There is no such update.".to_owned()))
}

/// Adds the steps of a release, and why it could not be reported to its host.
async fn log(
    app: &AppState,
    release: &Release,
    lines: &mut Vec<(Timestamp, String)>,
) -> Result<(), ApiError> {
    let id = &release.id;
    for (time, step) in app.database.release_log(id).await? {
        lines.push((time, format!("{id}: {step}")));
    }
    if release.status == ReleaseStatus::Building {
        let (percent, pages) = (release.progress, release.page_count);
        lines.push((release.updated_at, format!("{id}: building, {percent}%, {pages} pages")));
    }
    let report = app.database.report(id).await?.unwrap_or_default();
    if let Some(error) = report.error {
        lines.push((
            release.updated_at,
            format!("{id}: it could not be reported to the git host: {error}"),
        ));
    }
    Ok(())
}
