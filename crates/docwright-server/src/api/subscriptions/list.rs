//! `GET /v1/subscriptions`.

use axum::{Json, extract::State};
use serde::Serialize;
use utoipa::ToSchema;

use super::Subscription;
use crate::{authorize::Caller, error::ApiError, state::AppState};

/// Every subscription of an organisation, oldest first: there are 20 at most.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SubscriptionList {
    /// The subscriptions.
    subscriptions: Vec<Subscription>,
}

/// List subscriptions
///
/// Where the organisation hears of what happens, oldest first.
#[utoipa::path(
    get,
    path = "/v1/subscriptions",
    tag = "Notifications",
    operation_id = "listSubscriptions",
    responses((status = 200, description = "The subscriptions", body = SubscriptionList)),
)]
pub(crate) async fn list(
    State(app): State<AppState>,
    caller: Caller,
) -> Result<Json<SubscriptionList>, ApiError> {
    let found = app.database.subscriptions(&caller.organization.id).await?;
    Ok(Json(SubscriptionList {
        subscriptions: found.into_iter().map(Subscription::from).collect(),
    }))
}
