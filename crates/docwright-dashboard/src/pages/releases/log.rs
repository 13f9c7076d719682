//! The log of a release, as a text file.

use axum::{
    extract::{Path, State},
    http::header,
    response::{IntoResponse, Response},
};
use docwright_operations::releases;

use super::find;
use crate::{Dashboard, project_context::ProjectContext, refusal::Refusal};

pub(in crate::pages) async fn download(
    State(dashboard): State<Dashboard>,
    place: ProjectContext,
    Path((_, id)): Path<(String, String)>,
) -> Result<Response, Refusal> {
    let release = find(&dashboard, &place, &id).await?.release;
    let caller = place.of.caller.allowed()?;
    let log = releases::log(&dashboard.operations, &caller, &id).await?;
    let name = format!("attachment; filename=\"release-{}.txt\"", release.number);
    let headers = [
        (header::CONTENT_TYPE, "text/plain; charset=utf-8"),
        (header::CONTENT_DISPOSITION, name.as_str()),
        (header::CACHE_CONTROL, "no-store"),
    ];
    Ok((headers, log).into_response())
}
