//! Inputs: a new deployment, and changes of one.

use docwright_types::deployment::{
    Analytics, Assistant, DeploymentType, Features, Playground, Switched,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::fields::{Name, Revision};

/// A deployment to create.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CreateDeployment {
    /// Name of the deployment, unique in the project.
    pub name: Name,
    /// Type of the deployment: `client-hosted` or `air-gapped`. It never changes.
    #[serde(rename = "type")]
    pub kind: DeploymentType,
    /// URL of the site in the deployment, for canonical links, the sitemap, and `llms.txt`. If omitted, the URL of
    /// the domain is used.
    #[schema(max_length = 2000, example = "https://docs.customer.example")]
    pub address: Option<String>,
    /// Features of the site. Omitted ones get the defaults of the type.
    pub features: Option<FeaturesChange>,
}

/// Settings to change in a deployment.
#[derive(Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct UpdateDeployment {
    /// Name of the deployment, unique in the project.
    pub name: Option<Name>,
    /// URL of the site in the deployment; empty for the URL of the domain.
    #[schema(max_length = 2000, example = "https://docs.customer.example")]
    pub address: Option<String>,
    /// Features of the site. Omitted ones stay.
    pub features: Option<FeaturesChange>,
    /// Revision that the update is based on. If the object has another one by then, the update returns a conflict.
    #[schema(value_type = Option<i64>, minimum = 1)]
    pub revision: Option<Revision>,
}

/// Features to set. Omitted ones stay as they are.
#[derive(Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FeaturesChange {
    /// Search that needs no network.
    pub search: Option<Switched>,
    /// The AI assistant.
    pub assistant: Option<Assistant>,
    /// The web analytics of docwright.
    pub analytics: Option<Analytics>,
    /// Sending requests from API pages.
    pub playground: Option<Playground>,
    /// Scripts of other services that the authors name in `integrations`.
    pub integrations: Option<Switched>,
}

impl FeaturesChange {
    /// Features with these changes.
    pub(super) fn applied_to(self, features: Features) -> Features {
        Features {
            search: self.search.unwrap_or(features.search),
            assistant: self.assistant.unwrap_or(features.assistant),
            analytics: self.analytics.unwrap_or(features.analytics),
            playground: self.playground.unwrap_or(features.playground),
            integrations: self.integrations.unwrap_or(features.integrations),
        }
    }
}
