//! `POST /v1/projects/{projectId}/deliveries/{deliveryId}/redeliver`.

use axum::{Json, extract::State, http::StatusCode};

use super::{Delivery, DeliveryPath};
use crate::{
    audit::Change,
    authorize::Writer,
    error::{ApiError, Error},
    parameters::Path,
    state::AppState,
};

/// Redeliver
///
/// Looks at the repository of a project again, as if a delivery had just come.
#[utoipa::path(
    post,
    path = "/v1/projects/{projectId}/deliveries/{deliveryId}/redeliver",
    tag = "Webhooks",
    operation_id = "redeliver",
    params(DeliveryPath),
    responses(
        (status = 202, description = "The repository will be looked at", body = Delivery),
        (status = 404, description = "There is no such project, or it has no such delivery", body = Error),
    ),
)]
pub(crate) async fn redeliver(
    State(app): State<AppState>,
    caller: Writer,
    Path(DeliveryPath { project_id, delivery_id }): Path<DeliveryPath>,
) -> Result<(StatusCode, Json<Delivery>), ApiError> {
    let project = caller.project(&app, &project_id).await?;
    let change = Change::of("delivery.redeliver", Some(&project.organization_id));
    let delivery = caller.recording(&app, change).redeliver(&project.id, &delivery_id).await?;
    let missing = || ApiError::NotFound("This project has no such delivery.".to_owned());
    let delivery = delivery.ok_or_else(missing)?;
    app.look_wake.notify_one();
    Ok((StatusCode::ACCEPTED, Json(delivery.into())))
}
