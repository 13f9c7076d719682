//! `GET /v1/projects/{projectId}/previews/{previewId}`.

use axum::{Json, extract::State};
use docwright_domain::release::ReleaseStatus;
use serde::Serialize;
use utoipa::ToSchema;

use super::{Preview, PreviewPath, missing};
use crate::{
    api::{
        diagnostic::{Diagnostic, Found},
        web,
    },
    authorize::Reader,
    error::{ApiError, Error},
    parameters::Path,
    state::AppState,
};

/// A preview, with what its newest release found.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PreviewDetails {
    #[serde(flatten)]
    preview: Preview,
    /// The first 200 mistakes in files that what is published does not have.
    new_diagnostics: Vec<Diagnostic>,
}

/// Get a preview
///
/// Where a preview is, how it stands, and which mistakes are new in it.
#[utoipa::path(
    get,
    path = "/v1/projects/{projectId}/previews/{previewId}",
    tag = "Previews",
    operation_id = "getPreview",
    params(PreviewPath),
    responses(
        (status = 200, description = "The preview", body = PreviewDetails),
        (status = 404, description = "There is no such project or preview", body = Error),
    ),
)]
pub(crate) async fn get(
    State(app): State<AppState>,
    caller: Reader,
    Path(PreviewPath { project_id, preview_id }): Path<PreviewPath>,
) -> Result<Json<PreviewDetails>, ApiError> {
    let project = caller.project(&app, &project_id).await?;
    let preview = app.database.preview(&project.id, &preview_id).await?.ok_or_else(missing)?;
    let database = &app.database;
    let newest = database.newest_releases(&[&preview.site_id]).await?.remove(&preview.site_id);
    let mut new_diagnostics = Vec::new();
    if let Some(newest) = newest.as_ref().filter(|each| each.status == ReleaseStatus::Ready) {
        let before = match database.base_of_preview(&preview.id).await? {
            Some(base) => database.findings(&base).await?,
            None => None,
        };
        let found = database.findings(&newest.id).await?;
        let new = found.zip(before).map(|(found, before)| found.new_since(&before));
        let web = web::of_project(&app, &project);
        let found = Found::by(&app, newest, new, web.as_ref()).await?;
        new_diagnostics = found.diagnostics;
        new_diagnostics.retain(|each| each.is_new);
    }
    let preview = Preview::of(&app, &project, preview, newest);
    Ok(Json(PreviewDetails { preview, new_diagnostics }))
}
