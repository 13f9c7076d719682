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
    /// ID of the delivery, from the list of deliveries.
    #[param(example = "dlv_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    delivery_id: String,
}

/// List deliveries
///
/// Returns a page of the webhooks that a git host sent for a project, newest first. The newest 200
/// are kept.
#[utoipa::path(
    get,
    path = "/v1/projects/{projectId}/deliveries",
    tag = "Webhooks",
    operation_id = "listDeliveries",
    params(ProjectPath, Page),
    responses(
        (status = 200, description = "A page of deliveries.", body = DeliveryList),
        (status = 404, description = "Project not found.", body = Error),
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

/// Redeliver a webhook
///
/// Polls the project's repository again, as if the webhook had just been received.
#[utoipa::path(
    post,
    path = "/v1/projects/{projectId}/deliveries/{deliveryId}/redeliver",
    tag = "Webhooks",
    operation_id = "redeliver",
    params(DeliveryPath),
    responses(
        (status = 202, description = "Poll scheduled.", body = Delivery),
        (status = 404, description = "Project or delivery not found.", body = Error),
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
/// Creates the secret that signs a project's webhooks, and returns it with the webhook URL. The
/// earlier secret stops working.
#[utoipa::path(
    post,
    path = "/v1/projects/{projectId}/webhook-secret",
    tag = "Webhooks",
    operation_id = "createWebhookSecret",
    params(ProjectPath),
    responses(
        (status = 201, description = "The secret. It is shown only once.", body = WebhookSecret),
        (status = 404, description = "Project not found.", body = Error),
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
