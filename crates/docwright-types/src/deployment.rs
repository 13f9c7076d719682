//! Types of deployment, and the reader features of each.

mod assistant;
mod features;
mod table;

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

pub use assistant::Assistant;
pub use features::{
    Analytics, Features, Playground, PlaygroundMode, SettingError, Switch, Switched, check_address,
};
pub use table::{Availability, Cell, FeatureName};

/// Where a site is served.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    Default,
    Serialize,
    Deserialize,
    ToSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum DeploymentType {
    /// By docwright itself.
    #[default]
    Cloud,
    /// By the customer, from a bundle, on a network.
    ClientHosted,
    /// By the customer, from a bundle, without a network.
    AirGapped,
}

impl DeploymentType {
    /// All types, in the order of the table of features.
    pub const ALL: [Self; 3] = [Self::Cloud, Self::ClientHosted, Self::AirGapped];

    /// The name in the API.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Cloud => "cloud",
            Self::ClientHosted => "client-hosted",
            Self::AirGapped => "air-gapped",
        }
    }
}

impl fmt::Display for DeploymentType {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl FromStr for DeploymentType {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|kind| kind.name() == text);
        found.ok_or_else(|| {
            format!("`{text}` isn't a type of deployment; use cloud, client-hosted, or air-gapped")
        })
    }
}
