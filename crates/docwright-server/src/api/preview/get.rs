//! `GET /v1/projects/{projectId}/previews/{previewId}`.

use axum::{Json, extract::State};

use super::{Preview, PreviewPath, missing};
use crate::{
    authorize::Reader,
    error::{ApiError, Error},
    parameters::Path,
    state::AppState,
};

/// Get a preview
///
/// Where a preview is, and how it stands.
#[utoipa::path(
    get,
    path = "/v1/projects/{projectId}/previews/{previewId}",
    tag = "Previews",
    operation_id = "getPreview",
    security(("key" = ["read"])),
    params(PreviewPath),
    responses(
        (status = 200, description = "The preview", body = Preview),
        (status = 404, description = "There is no such project or preview", body = Error),
    ),
)]
pub(crate) async fn get(
    State(app): State<AppState>,
    caller: Reader,
    Path(PreviewPath { project_id, preview_id }): Path<PreviewPath>,
) -> Result<Json<Preview>, ApiError> {
    let project = caller.project(&app, &project_id).await?;
    let preview = app.database.preview(&project.id, &preview_id).await?.ok_or_else(missing)?;
    let newest = app.database.newest_releases(&[&preview.site_id]).await?.remove(&preview.site_id);
    Ok(Json(Preview::of(&app, preview, newest)))
}
