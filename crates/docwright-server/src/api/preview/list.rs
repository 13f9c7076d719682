//! `GET /v1/projects/{projectId}/previews`.

use axum::{Json, extract::State};
use docwright_domain::preview;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{Preview, PreviewState};
use crate::{
    api::{
        ProjectPath,
        paging::{Page, Search},
    },
    authorize::Reader,
    error::{ApiError, Error},
    parameters::{Path, Query},
    state::AppState,
};

/// Which previews to list.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct PreviewFilter {
    /// Only those that stand here.
    #[param(inline, value_type = PreviewState, required = false)]
    state: Option<PreviewState>,
    /// Only those whose branch begins so, in any case of ASCII letters. Those with the same one stand together then.
    #[param(value_type = String, required = false, max_length = 200, pattern = r"^[^\x00]*$", example = "new-")]
    search: Option<Search>,
}

/// A page of previews, newest first.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PreviewList {
    /// The previews.
    previews: Vec<Preview>,
    /// What to ask for the next page with; null on the last one.
    next_cursor: Option<String>,
    /// Whether previews of the project ask for a password.
    asks_for_password: bool,
    /// Why this install has no previews, and what its operator can do; null if it has.
    #[schema(example = json!(null))]
    unavailable: Option<String>,
}

/// List previews
///
/// The previews of a project, open or closed, newest first, a page at a time. Closed ones are listed for 30
/// days. Ask for the next page with the `nextCursor` of the page before.
#[utoipa::path(
    get,
    path = "/v1/projects/{projectId}/previews",
    tag = "Previews",
    operation_id = "listPreviews",
    params(ProjectPath, PreviewFilter, Page),
    responses(
        (status = 200, description = "A page of previews", body = PreviewList),
        (status = 404, description = "There is no such project", body = Error),
    ),
)]
pub(crate) async fn list(
    State(app): State<AppState>,
    caller: Reader,
    Path(ProjectPath { project_id }): Path<ProjectPath>,
    filter: Result<Query<PreviewFilter>, ApiError>,
    page: Result<Page, ApiError>,
) -> Result<Json<PreviewList>, ApiError> {
    let project = caller.project(&app, &project_id).await?;
    let (Query(PreviewFilter { state, search }), page) = (filter?, page?);
    let wanted = page.searched(search.as_ref());
    let state = state.map(preview::PreviewState::from);
    let read = app.database.previews(&project.id, state, wanted).await?;
    let (previews, next_cursor) =
        page.cut(read, |preview| wanted.position(Some(&preview.branch), &preview.id));
    let sites: Vec<_> = previews.iter().map(|preview| preview.site_id.as_str()).collect();
    let mut newest = app.database.newest_releases(&sites).await?;
    let previews = previews.into_iter().map(|preview| {
        let newest = newest.remove(&preview.site_id);
        Preview::of(&app, &project, preview, newest)
    });
    let previews = previews.collect();
    let unavailable = app.repositories.previews.as_ref().err().map(ToString::to_string);
    let asks_for_password = app.database.has_preview_password(&project.id).await?;
    Ok(Json(PreviewList { previews, next_cursor, asks_for_password, unavailable }))
}
