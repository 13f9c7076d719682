//! Webhooks that git hosts send for a project: their secret, and what was delivered.

pub(super) mod deliveries;
pub(super) mod redeliver;
pub(super) mod secret;

use docwright_domain::timestamp::iso;
use docwright_storage::database;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// A delivery of a project.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Path)]
pub(crate) struct DeliveryPath {
    /// Identifier of the project.
    #[param(example = "prj_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    project_id: String,
    /// Identifier of the delivery, which the list of deliveries has.
    #[param(example = "dlv_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    delivery_id: String,
}

/// Something that a git host delivered for a project.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Delivery {
    /// Identifier of the delivery.
    #[schema(example = "dlv_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    id: String,
    /// What the git host calls it.
    #[schema(example = "72d3162e-cc78-11e3-81ab-4c9367dc0958")]
    #[expect(clippy::struct_field_names, reason = "it is what hosts call it")]
    delivery: String,
    /// What happened, in the git host's word.
    #[schema(example = "push")]
    event: String,
    /// When it came.
    #[schema(format = DateTime)]
    received_at: String,
    /// `accepted` until the repository was looked at, then `looked`, or `failed` if it could not be read.
    #[schema(example = "looked")]
    outcome: String,
    /// What came of it, in a sentence.
    #[schema(example = "`main` is at 8f2c1e0b9a7d, and is being published.")]
    summary: String,
}

impl From<database::Delivery> for Delivery {
    fn from(delivery: database::Delivery) -> Self {
        let database::Delivery { id, delivery, event, received_at, outcome, summary } = delivery;
        Self { id, delivery, event, received_at: iso(received_at), outcome, summary }
    }
}
