//! Subscriptions: targets of an organization's notifications, and their history.

use std::fmt;

use docwright_jobs::notify::is_address;
use docwright_storage::database::{self, MAXIMUM_SUBSCRIPTIONS, NewSubscription, Position};
use docwright_types::{
    notification::{EventKind, NotificationStatus, Target},
    timestamp::iso,
};
use serde::{Deserialize, Serialize};
use serde_json::json;
use url::Url;
use utoipa::{IntoParams, ToSchema};

use crate::{
    Allowed, Caller, Listed, OperationError, Operations, audit::Change,
    callers::unnamed_organization, can, fields::Id, listed::Item, lists::Page,
};

/// Longest target, in characters.
const LONGEST_TARGET: usize = 2_000;

/// A subscription: the target and events of notifications.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Subscription {
    /// ID of the subscription.
    #[schema(example = "sub_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    pub id: String,
    /// Target of notifications: a URL, or `mailto:` and an email address.
    #[schema(example = "https://hooks.example.com/docwright")]
    pub target: String,
    /// Events to send.
    pub events: Vec<EventKind>,
    /// ID of the only project to send events of; null for every project.
    #[schema(example = "prj_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    pub project_id: Option<String>,
    /// Time when the subscription was created.
    #[schema(format = DateTime)]
    pub created_at: String,
}

/// Which subscriptions to list.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct ListSubscriptions {
    /// ID of the organization. Only operator keys need it: other keys belong to one organization.
    #[param(value_type = String, required = false, pattern = r"^[^\x00]*$", example = "org_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    pub organization_id: Option<String>,
}

/// All subscriptions of an organization, oldest first. There are at most 20.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct SubscriptionList {
    /// The subscriptions.
    pub subscriptions: Vec<Subscription>,
}

/// A subscription to create.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct CreateSubscription {
    /// Target of notifications: a URL that accepts webhooks, or `mailto:` and an email address.
    #[schema(value_type = String, max_length = 2000, example = "https://hooks.example.com/docwright")]
    pub target: SubscriptionTarget,
    /// Events to send. If omitted, a URL gets all events except `analytics.weekly`, and an email address gets
    /// failures.
    #[schema(min_items = 1)]
    pub events: Option<Events>,
    /// ID of the only project to send events of. If omitted, events of every project are sent.
    pub project_id: Option<Id>,
    /// ID of the organization. Only operator keys need it: other keys belong to one organization.
    pub organization_id: Option<Id>,
}

/// Events, at least one.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(try_from = "Vec<EventKind>")]
#[schema(value_type = Vec<EventKind>)]
pub struct Events(Vec<EventKind>);

impl TryFrom<Vec<EventKind>> for Events {
    type Error = &'static str;

    fn try_from(mut events: Vec<EventKind>) -> Result<Self, &'static str> {
        events.sort_unstable();
        events.dedup();
        if events.is_empty() {
            return Err("must be an array of at least one event");
        }
        Ok(Self(events))
    }
}

/// A URL that accepts webhooks, or `mailto:` and an address.
#[derive(Debug, Deserialize)]
#[serde(try_from = "String")]
pub struct SubscriptionTarget(String);

impl TryFrom<String> for SubscriptionTarget {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, &'static str> {
        if text.chars().count() > LONGEST_TARGET {
            return Err("is longer than 2000 characters; make it shorter");
        }
        match Target::of(&text) {
            Target::Email(address) if is_address(address) => Ok(Self(text)),
            Target::Email(_) => {
                Err("must be an address after `mailto:`, such as mailto:ops@example.com")
            }
            Target::Webhook(url) => match Url::parse(url) {
                Ok(url) if !matches!(url.scheme(), "https" | "http") => {
                    Err("must start with https://, http://, or mailto:")
                }
                Ok(url) if !url.username().is_empty() || url.password().is_some() => Err(
                    "contains a name or a password; leave them out, and verify the signature instead",
                ),
                Ok(url) => Ok(Self(url.to_string())),
                Err(_) => Err("must be a URL, or `mailto:` and an address"),
            },
        }
    }
}

/// A new subscription with its secret. The secret is shown only once.
#[derive(Serialize, Deserialize, ToSchema)]
pub struct CreatedSubscription {
    /// The subscription.
    #[serde(flatten)]
    pub subscription: Subscription,
    /// Secret to verify the signatures of requests. It isn't shown again; null for an email
    /// address.
    #[schema(example = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=")]
    pub secret: Option<String>,
}

impl fmt::Debug for CreatedSubscription {
    /// The same without the secret.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = formatter.debug_struct("CreatedSubscription");
        shown.field("subscription", &self.subscription).finish_non_exhaustive()
    }
}

/// A notification, and the outcome of sending it.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Notification {
    /// ID of the notification. Servers receive it as `webhook-id`.
    #[schema(example = "msg_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    pub id: String,
    /// Type of the event.
    pub event: EventKind,
    /// Body of the notification.
    #[schema(value_type = Object)]
    pub payload: serde_json::Value,
    /// State of the notification.
    pub status: NotificationStatus,
    /// Number of attempts.
    #[schema(example = 1)]
    pub attempts: i64,
    /// Time of the next attempt; null if the notification is delivered or failed.
    #[schema(format = DateTime)]
    pub next_attempt_at: Option<String>,
    /// Status of the last HTTP response.
    #[schema(example = 503)]
    pub response_status: Option<i64>,
    /// Reason why the last attempt failed.
    #[schema(example = "hooks.example.com answered 503 Service Unavailable")]
    pub error: Option<String>,
    /// Time of the event.
    #[schema(format = DateTime)]
    pub created_at: String,
    /// Time when the notification was delivered, or failed after the last attempt.
    #[schema(format = DateTime)]
    pub ended_at: Option<String>,
}

/// A page of notifications.
pub type NotificationList = Listed<Notification>;

impl Item for Notification {
    const LIST: &'static str = "NotificationList";
    const FIELD: &'static str = "notifications";
    const PAGE: &'static str = "A page of notifications, newest first.";
}

/// Lists the subscriptions of an organization that the caller can access, the oldest first.
pub async fn list(
    operations: &Operations,
    caller: &Allowed<can::ListSubscriptions>,
    filter: &ListSubscriptions,
) -> Result<SubscriptionList, OperationError> {
    let organization = caller.organization(operations, filter.organization_id.as_deref()).await?;
    let organization = organization.ok_or_else(unnamed_organization)?;
    let mut found = operations.database.subscriptions(&organization.id).await?;
    found.retain(|each| can_access(caller, each));
    Ok(SubscriptionList { subscriptions: found.into_iter().map(Subscription::from).collect() })
}

/// Creates a subscription.
pub async fn create(
    operations: &Operations,
    caller: &Allowed<can::CreateSubscription>,
    input: CreateSubscription,
) -> Result<CreatedSubscription, OperationError> {
    let CreateSubscription { target: SubscriptionTarget(target), events, .. } = input;
    let [project_id, organization_id] =
        [input.project_id, input.organization_id].map(|id| id.map(|id| id.as_str().to_owned()));
    // A key that is limited to projects must name one.
    let organization_id = if let Some(id) = &project_id {
        caller.project(operations, id).await?.organization_id
    } else {
        let found = caller.whole_organization(operations, organization_id.as_deref()).await?;
        found.ok_or_else(unnamed_organization)?.id
    };
    let events = events.map_or_else(|| default_events(&target), |Events(events)| events);
    let new = NewSubscription {
        organization_id: &organization_id,
        project_id: project_id.as_deref(),
        target: &target,
        events: &events,
    };
    let keyring = &operations.repositories.keyring;
    let names: Vec<_> = events.iter().map(|kind| kind.name()).collect();
    let change = Change::of("subscription.create", Some(&organization_id))
        .after(json!({ "target": shown(&target), "events": names, "projectId": project_id }));
    let database = caller.recording(operations, change);
    let created = database.create_subscription(new, keyring, operations.now()).await?;
    let (row, secret) = created.ok_or_else(|| {
        OperationError::Conflict(format!(
            "This organization has {MAXIMUM_SUBSCRIPTIONS} subscriptions, the limit. Delete one first."
        ))
    })?;
    Ok(CreatedSubscription { subscription: row.into(), secret })
}

/// Returns a subscription, without its secret.
pub async fn get(
    operations: &Operations,
    caller: &Allowed<can::GetSubscription>,
    id: &str,
) -> Result<Subscription, OperationError> {
    Ok(find(operations, caller, id).await?.into())
}

/// Deletes a subscription and its history.
pub async fn delete(
    operations: &Operations,
    caller: &Allowed<can::DeleteSubscription>,
    id: &str,
) -> Result<(), OperationError> {
    let subscription = find(operations, caller, id).await?;
    let change = Change::of("subscription.delete", Some(&subscription.organization_id))
        .before(json!({ "target": shown(&subscription.target) }));
    caller.recording(operations, change).remove_subscription(&subscription.id).await?;
    Ok(())
}

/// Lists the notifications of a subscription, the newest first.
pub async fn notifications(
    operations: &Operations,
    caller: &Allowed<can::ListNotifications>,
    id: &str,
    page: &Page,
) -> Result<NotificationList, OperationError> {
    let subscription = find(operations, caller, id).await?;
    let page = page.of(("notifications", &subscription.id))?;
    let (after, limit) = page.by_id();
    let read = operations.database.notifications(&subscription.id, after, limit).await?;
    Ok(page.cut(read, |row| Position::of_id(&row.id), Notification::from))
}

/// Sends a notification again as soon as possible. It keeps its ID, so that a server can recognize duplicates.
pub async fn resend(
    operations: &Operations,
    caller: &Allowed<can::ResendNotification>,
    id: &str,
    notification_id: &str,
) -> Result<Notification, OperationError> {
    let subscription = find(operations, caller, id).await?;
    let ids = (subscription.id.as_str(), notification_id);
    let change = Change::of("notification.resend", Some(&subscription.organization_id));
    let database = caller.recording(operations, change);
    let found = database.resend_notification(ids, operations.now()).await?;
    let found = found.ok_or_else(|| {
        OperationError::NotFound("Notification not found. Check the ID.".to_owned())
    })?;
    Ok(found.into())
}

impl From<database::Subscription> for Subscription {
    fn from(row: database::Subscription) -> Self {
        Self {
            id: row.id,
            target: row.target,
            events: row.events,
            project_id: row.project_id,
            created_at: iso(row.created_at),
        }
    }
}

impl From<database::Notification> for Notification {
    fn from(row: database::Notification) -> Self {
        let is_pending = row.status == NotificationStatus::Pending;
        Self {
            id: row.id,
            event: row.event,
            payload: serde_json::from_str(&row.payload).unwrap_or_default(),
            status: row.status,
            attempts: row.attempts,
            // An untried notification is due since its event.
            next_attempt_at: is_pending.then(|| iso(row.run_after.max(row.created_at))),
            response_status: row.response_status,
            error: row.error,
            created_at: iso(row.created_at),
            ended_at: row.ended_at.map(iso),
        }
    }
}

/// The default events of a subscription: all but weekly reports for a URL, failures for an email address.
fn default_events(target: &str) -> Vec<EventKind> {
    let is_included = |kind: &EventKind| match Target::of(target) {
        Target::Webhook(_) => !kind.is_by_name(),
        Target::Email(_) => kind.is_failure(),
    };
    EventKind::ALL.into_iter().filter(is_included).collect()
}

/// A target in the audit log: its origin, without secrets of the URL.
fn shown(target: &str) -> String {
    match (Target::of(target), Url::parse(target)) {
        (Target::Webhook(_), Ok(url)) => url.origin().ascii_serialization(),
        _ => target.to_owned(),
    }
}

/// Whether a caller can access a subscription: a key that is limited to projects can access only theirs.
fn can_access(caller: &Caller, each: &database::Subscription) -> bool {
    caller.reaches(&each.organization_id, each.project_id.as_deref().unwrap_or_default())
}

/// A subscription that the caller can access. Any other counts as missing.
async fn find(
    operations: &Operations,
    caller: &Caller,
    id: &str,
) -> Result<database::Subscription, OperationError> {
    let found = operations.database.subscription(id).await?;
    let own = found.filter(|each| can_access(caller, each));
    own.ok_or_else(|| OperationError::NotFound("Subscription not found. Check the ID.".to_owned()))
}
