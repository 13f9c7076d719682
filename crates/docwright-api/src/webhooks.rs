//! Webhooks that git hosts send.

use axum::{Json, extract::State, http::StatusCode};
use docwright_http::{
    error::{ApiError, Error},
    parameters::{Path, Query},
};
use docwright_operations::{
    Allowed, can,
    lists::Page,
    webhooks::{self, Delivery, DeliveryList, WebhookSecret},
};
use serde::Deserialize;
use utoipa::IntoParams;

use super::ProjectPath;
use crate::state::ApiState;

/// A delivery of a project.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Path)]
pub(crate) struct DeliveryPath {
    /// ID of the project.
    #[param(example = "prj_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    project_id: String,
    /// ID of the delivery, which the list of deliveries has.
    #[param(example = "dlv_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    delivery_id: String,
}

/// List deliveries
///
/// The webhooks that a git host sent for a project, newest first, a page at a time. The newest 200 are kept.
#[utoipa::path(
    get,
    path = "/v1/projects/{projectId}/deliveries",
    tag = "Webhooks",
    operation_id = "listDeliveries",
    params(ProjectPath, Page),
    responses(
        (status = 200, description = "A page of deliveries", body = DeliveryList),
        (status = 404, description = "Project not found", body = Error),
    ),
)]
pub(crate) async fn deliveries(
    State(app): State<ApiState>,
    caller: Allowed<can::ListDeliveries>,
    Path(ProjectPath { project_id }): Path<ProjectPath>,
    page: Result<Query<Page>, ApiError>,
) -> Result<Json<DeliveryList>, ApiError> {
    Ok(Json(webhooks::deliveries(&app, &caller, &project_id, &page?.0).await?))
}

/// Redeliver
///
/// Polls the repository of a project again, as if a delivery had just been received.
#[utoipa::path(
    post,
    path = "/v1/projects/{projectId}/deliveries/{deliveryId}/redeliver",
    tag = "Webhooks",
    operation_id = "redeliver",
    params(DeliveryPath),
    responses(
        (status = 202, description = "The repository will be polled", body = Delivery),
        (status = 404, description = "Project or delivery not found", body = Error),
    ),
)]
pub(crate) async fn redeliver(
    State(app): State<ApiState>,
    caller: Allowed<can::Redeliver>,
    Path(DeliveryPath { project_id, delivery_id }): Path<DeliveryPath>,
) -> Result<(StatusCode, Json<Delivery>), ApiError> {
    let delivery = webhooks::redeliver(&app, &caller, &project_id, &delivery_id).await?;
    Ok((StatusCode::ACCEPTED, Json(delivery)))
}

/// Create a webhook secret
///
/// Creates the secret that a git host signs the webhooks of a project with, and says where they go. An
/// earlier secret stops working.
#[utoipa::path(
    post,
    path = "/v1/projects/{projectId}/webhook-secret",
    tag = "Webhooks",
    operation_id = "createWebhookSecret",
    params(ProjectPath),
    responses(
        (status = 201, description = "The secret, which is only shown once", body = WebhookSecret),
        (status = 404, description = "Project not found", body = Error),
    ),
)]
pub(crate) async fn create_secret(
    State(app): State<ApiState>,
    caller: Allowed<can::CreateWebhookSecret>,
    Path(ProjectPath { project_id }): Path<ProjectPath>,
) -> Result<(StatusCode, Json<WebhookSecret>), ApiError> {
    let created = webhooks::create_secret(&app, &caller, &project_id).await?;
    Ok((StatusCode::CREATED, Json(created)))
}
