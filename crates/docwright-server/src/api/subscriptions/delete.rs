//! `DELETE /v1/subscriptions/{subscriptionId}`.

use axum::{extract::State, http::StatusCode};

use serde_json::json;

use super::{SubscriptionPath, own, shown};
use crate::{
    audit::Change,
    authorize::Admin,
    error::{ApiError, Error},
    parameters::Path,
    state::AppState,
};

/// Delete a subscription
///
/// Sends nothing more there, and forgets what was sent.
#[utoipa::path(
    delete,
    path = "/v1/subscriptions/{subscriptionId}",
    tag = "Notifications",
    operation_id = "deleteSubscription",
    params(SubscriptionPath),
    responses(
        (status = 204, description = "It is deleted"),
        (status = 404, description = "There is no such subscription", body = Error),
    ),
)]
pub(crate) async fn delete(
    State(app): State<AppState>,
    caller: Admin,
    Path(SubscriptionPath { subscription_id }): Path<SubscriptionPath>,
) -> Result<StatusCode, ApiError> {
    let subscription = own(&app, &caller, &subscription_id).await?;
    let change = Change::of("subscription.delete", Some(&subscription.organization_id))
        .before(json!({ "target": shown(&subscription.target) }));
    caller.recording(&app, change).remove_subscription(&subscription.id).await?;
    Ok(StatusCode::NO_CONTENT)
}
