//! Organisations: those who own projects and keys.

pub(super) mod create;
pub(super) mod delete;
pub(super) mod get;
pub(super) mod list;
pub(super) mod update;
pub(super) mod usage;

use docwright_domain::plan;
use docwright_storage::database;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::{IntoParams, ToSchema};

/// Those who own projects and keys.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Organization {
    /// Identifier of the organisation.
    #[schema(example = "org_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    id: String,
    /// Its name.
    #[schema(example = "Acme")]
    name: String,
    /// Its plan.
    plan: Plan,
}

/// What an organisation has subscribed to.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(example = "pro")]
pub(crate) enum Plan {
    /// The least.
    Free,
    /// For teams.
    Pro,
    /// Everything.
    Enterprise,
}

/// An organisation.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Path)]
pub(crate) struct OrganizationPath {
    /// Identifier of the organisation.
    #[param(example = "org_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    pub(super) organization_id: String,
}

impl From<database::Organization> for Organization {
    fn from(organization: database::Organization) -> Self {
        let database::Organization { id, name, plan } = organization;
        Self { id, name, plan: plan.into() }
    }
}

impl From<plan::Plan> for Plan {
    fn from(plan: plan::Plan) -> Self {
        match plan {
            plan::Plan::Free => Self::Free,
            plan::Plan::Pro => Self::Pro,
            plan::Plan::Enterprise => Self::Enterprise,
        }
    }
}

impl From<Plan> for plan::Plan {
    fn from(plan: Plan) -> Self {
        match plan {
            Plan::Free => Self::Free,
            Plan::Pro => Self::Pro,
            Plan::Enterprise => Self::Enterprise,
        }
    }
}

/// What the audit log says of an organisation.
fn state(name: &str, plan: plan::Plan) -> Value {
    json!({ "name": name, "plan": plan.to_string() })
}
