//! `GET /v1/subscriptions`.

use axum::{Json, extract::State};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{Subscription, reaches};
use crate::{
    authorize::{Admin, unnamed_organization},
    error::{ApiError, Error},
    parameters::Query,
    state::AppState,
};

/// Whose subscriptions to list.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub(crate) struct Filter {
    /// Identifier of the organisation, for keys of the install; other keys belong to one.
    #[param(value_type = String, required = false, pattern = r"^[^\x00]*$", example = "org_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    organization_id: Option<String>,
}

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
    params(Filter),
    responses(
        (status = 200, description = "The subscriptions", body = SubscriptionList),
        (status = 404, description = "There is no such organisation", body = Error),
    ),
)]
pub(crate) async fn list(
    State(app): State<AppState>,
    caller: Admin,
    filter: Result<Query<Filter>, ApiError>,
) -> Result<Json<SubscriptionList>, ApiError> {
    let organization = caller.organization(&app, filter?.0.organization_id.as_deref()).await?;
    let organization = organization.ok_or_else(unnamed_organization)?;
    let mut found = app.database.subscriptions(&organization.id).await?;
    found.retain(|each| reaches(&caller, each));
    Ok(Json(SubscriptionList {
        subscriptions: found.into_iter().map(Subscription::from).collect(),
    }))
}
