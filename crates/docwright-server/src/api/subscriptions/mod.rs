//! Subscriptions: where an organisation wants to hear of what happens, and what was sent there.

pub(super) mod create;
pub(super) mod delete;
pub(super) mod get;
pub(super) mod list;
pub(super) mod notifications;
pub(super) mod resend;

use docwright_domain::{
    notification::{EventKind, NotificationStatus, Target},
    timestamp::iso,
};
use docwright_storage::database;
use serde::{Deserialize, Serialize};
use url::Url;
use utoipa::{IntoParams, ToSchema};

use crate::{authorize::Caller, error::ApiError, state::AppState};

/// A subscription.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Path)]
pub(crate) struct SubscriptionPath {
    /// Identifier of the subscription.
    #[param(example = "sub_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    subscription_id: String,
}

/// Something that an organisation may want to hear of.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, ToSchema)]
pub(crate) enum Event {
    #[serde(rename = "release.ready")]
    ReleaseReady,
    #[serde(rename = "release.failed")]
    ReleaseFailed,
    #[serde(rename = "export.completed")]
    ExportCompleted,
    #[serde(rename = "export.failed")]
    ExportFailed,
    #[serde(rename = "job.completed")]
    JobCompleted,
    #[serde(rename = "job.failed")]
    JobFailed,
    #[serde(rename = "feedback.created")]
    FeedbackCreated,
}

impl From<Event> for EventKind {
    fn from(event: Event) -> Self {
        match event {
            Event::ReleaseReady => Self::ReleaseReady,
            Event::ReleaseFailed => Self::ReleaseFailed,
            Event::ExportCompleted => Self::ExportCompleted,
            Event::ExportFailed => Self::ExportFailed,
            Event::JobCompleted => Self::JobCompleted,
            Event::JobFailed => Self::JobFailed,
            Event::FeedbackCreated => Self::FeedbackCreated,
        }
    }
}

impl From<EventKind> for Event {
    fn from(kind: EventKind) -> Self {
        match kind {
            EventKind::ReleaseReady => Self::ReleaseReady,
            EventKind::ReleaseFailed => Self::ReleaseFailed,
            EventKind::ExportCompleted => Self::ExportCompleted,
            EventKind::ExportFailed => Self::ExportFailed,
            EventKind::JobCompleted => Self::JobCompleted,
            EventKind::JobFailed => Self::JobFailed,
            EventKind::FeedbackCreated => Self::FeedbackCreated,
        }
    }
}

/// Where an organisation wants to hear of what happens.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Subscription {
    /// Identifier of the subscription.
    #[schema(example = "sub_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    id: String,
    /// Where notifications go: a URL, or `mailto:` and an address.
    #[schema(example = "https://hooks.example.com/docwright")]
    target: String,
    /// What it is about.
    events: Vec<Event>,
    /// The only project that it is about; null for every project.
    #[schema(example = "prj_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    project_id: Option<String>,
    /// When it was made.
    #[schema(format = DateTime)]
    created_at: String,
}

impl From<database::Subscription> for Subscription {
    fn from(row: database::Subscription) -> Self {
        Self {
            id: row.id,
            target: row.target,
            events: row.events.into_iter().map(Event::from).collect(),
            project_id: row.project_id,
            created_at: iso(row.created_at),
        }
    }
}

/// How far a notification is.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum DeliveryStatus {
    /// It is to be sent, for the first time or again.
    Pending,
    /// Its target has taken it.
    Delivered,
    /// Its target did not take it in three days, or never will.
    Failed,
}

/// A notification, and what became of sending it.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Notification {
    /// Identifier of the notification; a server gets it as `webhook-id`.
    #[schema(example = "msg_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    id: String,
    /// What happened.
    event: Event,
    /// What is sent.
    #[schema(value_type = Object)]
    payload: serde_json::Value,
    /// How far it is.
    status: DeliveryStatus,
    /// How often it was sent.
    #[schema(example = 1)]
    attempts: i64,
    /// When it is sent again; null once it is delivered or failed.
    #[schema(format = DateTime)]
    next_attempt_at: Option<String>,
    /// Status of the last answer over HTTP.
    #[schema(example = 503)]
    response_status: Option<i64>,
    /// Why the last attempt failed.
    #[schema(example = "hooks.example.com answered 503 Service Unavailable")]
    error: Option<String>,
    /// When it happened.
    #[schema(format = DateTime)]
    created_at: String,
    /// When it was delivered, or given up.
    #[schema(format = DateTime)]
    ended_at: Option<String>,
}

impl From<database::Notification> for Notification {
    fn from(row: database::Notification) -> Self {
        let (status, pending) = match row.status {
            NotificationStatus::Pending => (DeliveryStatus::Pending, true),
            NotificationStatus::Delivered => (DeliveryStatus::Delivered, false),
            NotificationStatus::Failed => (DeliveryStatus::Failed, false),
        };
        Self {
            id: row.id,
            event: row.event.into(),
            payload: serde_json::from_str(&row.payload).unwrap_or_default(),
            status,
            attempts: row.attempts,
            // One that was not tried yet is due since it happened.
            next_attempt_at: pending.then(|| iso(row.run_after.max(row.created_at))),
            response_status: row.response_status,
            error: row.error,
            created_at: iso(row.created_at),
            ended_at: row.ended_at.map(iso),
        }
    }
}

/// A target as the audit log has it: where it leads to, and not what a URL may hold of secrets.
fn shown(target: &str) -> String {
    match (Target::of(target), Url::parse(target)) {
        (Target::Webhook(_), Ok(url)) => url.origin().ascii_serialization(),
        _ => target.to_owned(),
    }
}

/// Whether a caller reaches a subscription: a key that is limited to projects reaches those of its own.
fn reaches(caller: &Caller, each: &database::Subscription) -> bool {
    caller.reaches(&each.organization_id, each.project_id.as_deref().unwrap_or_default())
}

/// A subscription that the caller reaches. Another answers like one that does not exist.
async fn own(
    app: &AppState,
    caller: &Caller,
    id: &str,
) -> Result<database::Subscription, ApiError> {
    let found = app.database.subscription(id).await?;
    let own = found.filter(|each| reaches(caller, each));
    own.ok_or_else(|| ApiError::NotFound("There is no such subscription.".to_owned()))
}
