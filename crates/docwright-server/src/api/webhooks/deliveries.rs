//! `GET /v1/projects/{projectId}/deliveries`.

use axum::{Json, extract::State};
use docwright_storage::database::Position;
use serde::Serialize;
use utoipa::ToSchema;

use super::Delivery;
use crate::{
    api::{ProjectPath, paging::Page},
    authorize::Reader,
    error::{ApiError, Error},
    parameters::Path,
    state::AppState,
};

/// A page of deliveries, newest first.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DeliveryList {
    /// The deliveries.
    deliveries: Vec<Delivery>,
    /// What to ask for the next page with; null on the last one.
    next_cursor: Option<String>,
}

/// List deliveries
///
/// What a git host delivered for a project, newest first, a page at a time. The newest 200 are kept.
#[utoipa::path(
    get,
    path = "/v1/projects/{projectId}/deliveries",
    tag = "Webhooks",
    operation_id = "listDeliveries",
    params(ProjectPath, Page),
    responses(
        (status = 200, description = "A page of deliveries", body = DeliveryList),
        (status = 404, description = "There is no such project", body = Error),
    ),
)]
pub(crate) async fn list(
    State(app): State<AppState>,
    caller: Reader,
    Path(ProjectPath { project_id }): Path<ProjectPath>,
    page: Result<Page, ApiError>,
) -> Result<Json<DeliveryList>, ApiError> {
    let project = caller.project(&app, &project_id).await?;
    let page = page?;
    let (after, limit) = page.by_id();
    let read = app.database.deliveries(&project.id, after, limit).await?;
    let (deliveries, next_cursor) = page.cut(read, |delivery| Position::of_id(&delivery.id));
    let deliveries = deliveries.into_iter().map(Delivery::from).collect();
    Ok(Json(DeliveryList { deliveries, next_cursor }))
}
