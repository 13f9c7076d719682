//! `GET /v1/subscriptions/{subscriptionId}/notifications`.

use axum::{Json, extract::State};
use docwright_storage::database::Position;
use serde::Serialize;
use utoipa::ToSchema;

use super::{Notification, SubscriptionPath, own};
use crate::{
    api::paging::Page,
    authorize::Admin,
    error::{ApiError, Error},
    parameters::Path,
    state::AppState,
};

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
    caller: Admin,
    Path(SubscriptionPath { subscription_id }): Path<SubscriptionPath>,
    page: Result<Page, ApiError>,
) -> Result<Json<NotificationList>, ApiError> {
    let subscription = own(&app, &caller, &subscription_id).await?;
    let page = page?;
    let (after, limit) = page.by_id();
    let found = app.database.notifications(&subscription.id, after, limit).await?;
    let (found, next_cursor) = page.cut(found, |each| Position::of_id(&each.id));
    let notifications = found.into_iter().map(Notification::from).collect();
    Ok(Json(NotificationList { notifications, next_cursor }))
}
