//! `GET /v1/projects/{projectId}/deliveries`.

use axum::{Json, extract::State};
use serde::Serialize;
use utoipa::ToSchema;

use super::Delivery;
use crate::{
    api::{
        ProjectPath,
        paging::{Length, Page},
    },
    authorize::Reader,
    error::{ApiError, Error},
    parameters::{Path, Query},
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
    security(("key" = ["read"])),
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
    filter: Result<Query<Page>, ApiError>,
) -> Result<Json<DeliveryList>, ApiError> {
    let project = caller.project(&app, &project_id).await?;
    let Query(filter) = filter?;
    let length = Length::of(filter.limit);
    let cursor = filter.cursor.as_deref();
    let read = app.database.deliveries(&project.id, cursor, length.read()).await?;
    let (deliveries, next_cursor) = length.page(read, |delivery| delivery.id.clone());
    let deliveries = deliveries.into_iter().map(Delivery::from).collect();
    Ok(Json(DeliveryList { deliveries, next_cursor }))
}
