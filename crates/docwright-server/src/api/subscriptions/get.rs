//! `GET /v1/subscriptions/{subscriptionId}`.

use axum::{Json, extract::State};

use super::{Subscription, SubscriptionPath, own};
use crate::{
    authorize::Admin,
    error::{ApiError, Error},
    parameters::Path,
    state::AppState,
};

/// Get a subscription
///
/// A subscription, without its secret.
#[utoipa::path(
    get,
    path = "/v1/subscriptions/{subscriptionId}",
    tag = "Notifications",
    operation_id = "getSubscription",
    params(SubscriptionPath),
    responses(
        (status = 200, description = "The subscription", body = Subscription),
        (status = 404, description = "There is no such subscription", body = Error),
    ),
)]
pub(crate) async fn get(
    State(app): State<AppState>,
    caller: Admin,
    Path(SubscriptionPath { subscription_id }): Path<SubscriptionPath>,
) -> Result<Json<Subscription>, ApiError> {
    Ok(Json(own(&app, &caller, &subscription_id).await?.into()))
}
