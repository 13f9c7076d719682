//! Subscriptions, and the notifications that they send.

use axum::{
    Json,
    extract::State,
    http::{HeaderName, StatusCode, header},
};
use docwright_http::{
    error::{ApiError, Error},
    parameters::{Path, Query},
};
use docwright_operations::{
    Allowed, can,
    lists::Page,
    subscriptions::{
        self, CreateSubscription, CreatedSubscription, ListSubscriptions, Notification,
        NotificationList, Subscription, SubscriptionList,
    },
};
use serde::Deserialize;
use utoipa::IntoParams;

use super::body::Body;
use crate::state::ApiState;

/// A subscription.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Path)]
pub(crate) struct SubscriptionPath {
    /// ID of the subscription.
    #[param(example = "sub_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    subscription_id: String,
}

/// A notification of a subscription.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Path)]
pub(crate) struct NotificationPath {
    /// ID of the subscription.
    #[param(example = "sub_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    subscription_id: String,
    /// ID of the notification.
    #[param(example = "msg_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    notification_id: String,
}

/// List subscriptions
///
/// Returns the subscriptions of an organization, oldest first.
#[utoipa::path(
    get,
    path = "/v1/subscriptions",
    tag = "Notifications",
    operation_id = "listSubscriptions",
    params(ListSubscriptions),
    responses(
        (status = 200, description = "The subscriptions.", body = SubscriptionList),
        (status = 404, description = "Organization not found.", body = Error),
    ),
)]
pub(crate) async fn list(
    State(app): State<ApiState>,
    caller: Allowed<can::ListSubscriptions>,
    filter: Result<Query<ListSubscriptions>, ApiError>,
) -> Result<Json<SubscriptionList>, ApiError> {
    Ok(Json(subscriptions::list(&app, &caller, &filter?.0).await?))
}

/// Create a subscription
///
/// Creates a subscription to events. For each event, docwright sends the target an email or a POST
/// request. Requests are signed according to the Standard Webhooks specification. The server must
/// respond with a success status within 15 seconds. Failed requests are retried for three days.
#[utoipa::path(
    post,
    path = "/v1/subscriptions",
    tag = "Notifications",
    operation_id = "createSubscription",
    request_body = CreateSubscription,
    responses(
        (status = 201, description = "The subscription, with its secret.", body = CreatedSubscription,
            headers(("Location" = String, description = "URL of the subscription."))),
        (status = 404, description = "Project not found.", body = Error),
        (status = 409, description = "The organization reached the limit of subscriptions.", body = Error),
    ),
)]
pub(crate) async fn create(
    State(app): State<ApiState>,
    caller: Allowed<can::CreateSubscription>,
    body: Result<Body<CreateSubscription>, ApiError>,
) -> Result<(StatusCode, [(HeaderName, String); 1], Json<CreatedSubscription>), ApiError> {
    let created = subscriptions::create(&app, &caller, body?.value).await?;
    let location = format!("/v1/subscriptions/{}", created.subscription.id);
    Ok((StatusCode::CREATED, [(header::LOCATION, location)], Json(created)))
}

/// Get a subscription
///
/// Returns a subscription, without its secret.
#[utoipa::path(
    get,
    path = "/v1/subscriptions/{subscriptionId}",
    tag = "Notifications",
    operation_id = "getSubscription",
    params(SubscriptionPath),
    responses(
        (status = 200, description = "The subscription.", body = Subscription),
        (status = 404, description = "Subscription not found.", body = Error),
    ),
)]
pub(crate) async fn get(
    State(app): State<ApiState>,
    caller: Allowed<can::GetSubscription>,
    Path(SubscriptionPath { subscription_id }): Path<SubscriptionPath>,
) -> Result<Json<Subscription>, ApiError> {
    Ok(Json(subscriptions::get(&app, &caller, &subscription_id).await?))
}

/// Delete a subscription
///
/// Deletes a subscription and its notifications.
#[utoipa::path(
    delete,
    path = "/v1/subscriptions/{subscriptionId}",
    tag = "Notifications",
    operation_id = "deleteSubscription",
    params(SubscriptionPath),
    responses(
        (status = 204, description = "Credential deleted."),
        (status = 404, description = "Subscription not found.", body = Error),
    ),
)]
pub(crate) async fn delete(
    State(app): State<ApiState>,
    caller: Allowed<can::DeleteSubscription>,
    Path(SubscriptionPath { subscription_id }): Path<SubscriptionPath>,
) -> Result<StatusCode, ApiError> {
    subscriptions::delete(&app, &caller, &subscription_id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// List notifications
///
/// Returns a page of a subscription's notifications, newest first, with their outcome.
/// Notifications are listed for 30 days after they are delivered or fail.
#[utoipa::path(
    get,
    path = "/v1/subscriptions/{subscriptionId}/notifications",
    tag = "Notifications",
    operation_id = "listNotifications",
    params(SubscriptionPath, Page),
    responses(
        (status = 200, description = "A page of notifications.", body = NotificationList),
        (status = 404, description = "Subscription not found.", body = Error),
    ),
)]
pub(crate) async fn notifications(
    State(app): State<ApiState>,
    caller: Allowed<can::ListNotifications>,
    Path(SubscriptionPath { subscription_id }): Path<SubscriptionPath>,
    page: Result<Query<Page>, ApiError>,
) -> Result<Json<NotificationList>, ApiError> {
    Ok(Json(subscriptions::notifications(&app, &caller, &subscription_id, &page?.0).await?))
}

/// Send a notification again
///
/// Sends a notification again as soon as possible, whatever its outcome. The notification keeps its
/// ID, so your server can ignore duplicates.
#[utoipa::path(
    post,
    path = "/v1/subscriptions/{subscriptionId}/notifications/{notificationId}/resend",
    tag = "Notifications",
    operation_id = "resendNotification",
    params(NotificationPath),
    responses(
        (status = 202, description = "Notification scheduled.", body = Notification),
        (status = 404, description = "Notification not found.", body = Error),
    ),
)]
pub(crate) async fn resend(
    State(app): State<ApiState>,
    caller: Allowed<can::ResendNotification>,
    Path(NotificationPath { subscription_id, notification_id }): Path<NotificationPath>,
) -> Result<(StatusCode, Json<Notification>), ApiError> {
    let sent = subscriptions::resend(&app, &caller, &subscription_id, &notification_id).await?;
    Ok((StatusCode::ACCEPTED, Json(sent)))
}
