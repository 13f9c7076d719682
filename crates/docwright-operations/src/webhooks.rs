//! Webhooks that git hosts send for a project: their secret, and their deliveries.

use std::fmt;

use docwright_storage::database::{self, Position};
use docwright_types::timestamp::iso;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{
    Allowed, Listed, OperationError, Operations, audit::Change, can, listed::Item, lists::Page,
};

/// A webhook that a git host sent for a project.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Delivery {
    /// ID of the delivery.
    #[schema(example = "dlv_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    pub id: String,
    /// The git host's ID for the delivery.
    #[schema(example = "72d3162e-cc78-11e3-81ab-4c9367dc0958")]
    pub delivery: String,
    /// Event, in the words of the git host.
    #[schema(example = "push")]
    pub event: String,
    /// Time when the webhook was received.
    #[schema(format = DateTime)]
    pub received_at: String,
    /// `accepted` until the repository is polled, then `polled`, or `failed` if docwright can't
    /// read the repository.
    #[schema(example = "polled")]
    pub outcome: String,
    /// Result, in a sentence.
    #[schema(example = "`main` is at 8f2c1e0b9a7d, and is being published.")]
    pub summary: String,
}

/// Webhook settings to enter at a git host.
#[derive(Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct WebhookSecret {
    /// URL for webhooks.
    #[schema(
        example = "https://docs-admin.example.com/hooks/prj_0199a1b2c3d4e5f60718293a4b5c6d7e"
    )]
    pub url: String,
    /// Secret that the git host signs webhooks with. It is shown only once.
    #[schema(example = "5f0c6a…")]
    pub secret: String,
}

impl fmt::Debug for WebhookSecret {
    /// Without the secret.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("WebhookSecret").field("url", &self.url).finish_non_exhaustive()
    }
}

/// A page of deliveries.
pub type DeliveryList = Listed<Delivery>;

impl Item for Delivery {
    const LIST: &'static str = "DeliveryList";
    const FIELD: &'static str = "deliveries";
    const PAGE: &'static str = "A page of deliveries, newest first.";
}

/// Lists the deliveries of a project, the newest first.
pub async fn deliveries(
    operations: &Operations,
    caller: &Allowed<can::ListDeliveries>,
    project_id: &str,
    page: &Page,
) -> Result<DeliveryList, OperationError> {
    let project = caller.project(operations, project_id).await?;
    let page = page.of(("deliveries", &project.id))?;
    let (after, limit) = page.by_id();
    let read = operations.database.deliveries(&project.id, after, limit).await?;
    Ok(page.cut(read, |row| Position::of_id(&row.id), Delivery::from))
}

/// Polls the project's repository again, as if the webhook had just been received.
pub async fn redeliver(
    operations: &Operations,
    caller: &Allowed<can::Redeliver>,
    project_id: &str,
    id: &str,
) -> Result<Delivery, OperationError> {
    let project = caller.project(operations, project_id).await?;
    let change = Change::of("delivery.redeliver", Some(&project.organization_id));
    let delivery = caller.recording(operations, change).redeliver(&project.id, id).await?;
    let delivery = delivery
        .ok_or_else(|| OperationError::NotFound("Delivery not found. Check the ID.".to_owned()))?;
    operations.wakes.polls.notify_one();
    Ok(delivery.into())
}

/// Creates the secret that a git host signs the webhooks of a project with. An earlier one stops working.
pub async fn create_secret(
    operations: &Operations,
    caller: &Allowed<can::CreateWebhookSecret>,
    project_id: &str,
) -> Result<WebhookSecret, OperationError> {
    let project = caller.project(operations, project_id).await?;
    let secret = hex::encode(rand::random::<[u8; 32]>());
    let keyring = &operations.repositories.keyring;
    let change = Change::of("webhook_secret.create", Some(&project.organization_id));
    let database = caller.recording(operations, change);
    database.set_webhook_secret(&project.id, &secret, keyring, operations.now()).await?;
    let url = format!("{}/hooks/{}", operations.repositories.public_url, project.id);
    Ok(WebhookSecret { url, secret })
}

impl From<database::Delivery> for Delivery {
    fn from(row: database::Delivery) -> Self {
        let database::Delivery { id, delivery, event, received_at, outcome, summary } = row;
        Self { id, delivery, event, received_at: iso(received_at), outcome, summary }
    }
}
