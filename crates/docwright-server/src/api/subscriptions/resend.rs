//! `POST /v1/subscriptions/{subscriptionId}/notifications/{notificationId}/resend`.

use axum::{Json, extract::State, http::StatusCode};
use serde::Deserialize;
use utoipa::IntoParams;

use super::{Notification, own};
use crate::{
    audit::Change,
    authorize::Admin,
    error::{ApiError, Error},
    parameters::Path,
    state::AppState,
};

/// A notification of a subscription.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Path)]
pub(crate) struct NotificationPath {
    /// Identifier of the subscription.
    #[param(example = "sub_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    subscription_id: String,
    /// Identifier of the notification.
    #[param(example = "msg_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    notification_id: String,
}

/// Send a notification again
///
/// Sends a notification as soon as possible, whatever became of it before. It keeps its id, so that a
/// server which took it already can tell.
#[utoipa::path(
    post,
    path = "/v1/subscriptions/{subscriptionId}/notifications/{notificationId}/resend",
    tag = "Notifications",
    operation_id = "resendNotification",
    params(NotificationPath),
    responses(
        (status = 202, description = "It is to be sent", body = Notification),
        (status = 404, description = "There is no such notification", body = Error),
    ),
)]
pub(crate) async fn resend(
    State(app): State<AppState>,
    caller: Admin,
    Path(NotificationPath { subscription_id, notification_id }): Path<NotificationPath>,
) -> Result<(StatusCode, Json<Notification>), ApiError> {
    let subscription = own(&app, &caller, &subscription_id).await?;
    let id = (subscription.id.as_str(), notification_id.as_str());
    let change = Change::of("notification.resend", Some(&subscription.organization_id));
    let found = caller.recording(&app, change).resend_notification(id, app.now()).await?;
    let found =
        found.ok_or_else(|| ApiError::NotFound("There is no such notification.".to_owned()))?;
    Ok((StatusCode::ACCEPTED, Json(found.into())))
}
