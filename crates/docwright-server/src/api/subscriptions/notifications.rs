//! `GET /v1/subscriptions/{subscriptionId}/notifications`.

use axum::{Json, extract::State};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{Notification, SubscriptionPath, own};
use crate::{
    authorize::Caller,
    error::{ApiError, Error},
    parameters::{Number, Path, Query},
    state::AppState,
};

/// Notifications on one page unless the caller says otherwise, and at most. The description says the same.
const USUAL: i64 = 20;
const MAXIMUM: i64 = 100;

/// Which notifications to list.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct Page {
    /// How many notifications a page has at most; 20 if left out.
    #[param(value_type = i64, required = false, minimum = 1, maximum = 100)]
    limit: Option<Number<1, MAXIMUM>>,
    /// The `nextCursor` of the page before; the first page if left out.
    #[param(value_type = String, required = false, pattern = r"^[^\x00]*$")]
    cursor: Option<String>,
}

/// A page of notifications, newest first.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct NotificationList {
    /// The notifications.
    notifications: Vec<Notification>,
    /// What to ask for the next page with; null on the last one.
    next_cursor: Option<String>,
}

/// List notifications
///
/// What was sent for a subscription or is to be sent, newest first, with what became of it. Notifications
/// are listed for 30 days after they were delivered, or given up.
#[utoipa::path(
    get,
    path = "/v1/subscriptions/{subscriptionId}/notifications",
    tag = "Notifications",
    operation_id = "listNotifications",
    params(SubscriptionPath, Page),
    responses(
        (status = 200, description = "A page of notifications", body = NotificationList),
        (status = 404, description = "There is no such subscription", body = Error),
    ),
)]
pub(crate) async fn list(
    State(app): State<AppState>,
    caller: Caller,
    Path(SubscriptionPath { subscription_id }): Path<SubscriptionPath>,
    page: Result<Query<Page>, ApiError>,
) -> Result<Json<NotificationList>, ApiError> {
    let subscription = own(&app, &caller, &subscription_id).await?;
    let Query(page) = page?;
    let limit = page.limit.map_or(USUAL, |limit| limit.0);
    // One more tells whether there is another page.
    let found = app.database.notifications(&subscription.id, page.cursor.as_deref(), limit + 1);
    let mut found = found.await?;
    let more = i64::try_from(found.len()).is_ok_and(|count| count > limit);
    found.truncate(usize::try_from(limit).unwrap_or(0));
    let next_cursor = found.last().filter(|_| more).map(|last| last.id.clone());
    let notifications = found.into_iter().map(Notification::from).collect();
    Ok(Json(NotificationList { notifications, next_cursor }))
}
