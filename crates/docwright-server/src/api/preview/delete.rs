//! `DELETE /v1/projects/{projectId}/previews/{previewId}`.

use axum::{extract::State, http::StatusCode};
use serde_json::json;

use super::{PreviewPath, missing};
use crate::{
    audit::Change,
    authorize::Writer,
    error::{ApiError, Error},
    parameters::Path,
    state::AppState,
};

/// Close a preview
///
/// Nothing is served at its address any more. A push to its pull request, or asking for its branch, opens it
/// again. Closing one that is closed does nothing.
#[utoipa::path(
    delete,
    path = "/v1/projects/{projectId}/previews/{previewId}",
    tag = "Previews",
    operation_id = "closePreview",
    params(PreviewPath),
    responses(
        (status = 204, description = "The preview is closed"),
        (status = 404, description = "There is no such project or preview", body = Error),
    ),
)]
pub(crate) async fn delete(
    State(app): State<AppState>,
    caller: Writer,
    Path(PreviewPath { project_id, preview_id }): Path<PreviewPath>,
) -> Result<StatusCode, ApiError> {
    let project = caller.project(&app, &project_id).await?;
    let preview = app.database.preview(&project.id, &preview_id).await?.ok_or_else(missing)?;
    let change = Change::of("preview.close", Some(&project.organization_id))
        .before(json!({ "projectId": project.id, "branch": preview.branch }));
    let database = caller.recording(&app, change);
    database.close_preview(&project.id, &preview.id, app.now()).await?;
    Ok(StatusCode::NO_CONTENT)
}
