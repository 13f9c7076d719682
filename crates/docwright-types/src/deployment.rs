//! Types of deployment, and the reader features of each.

use serde::{Deserialize, Serialize};

/// Where a site is served.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
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

/// Reader features of a built site. Disabled features leave no code behind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[expect(clippy::struct_excessive_bools, reason = "a row of the requirement's table of features")]
pub struct Features {
    /// Search that needs no network.
    pub search: bool,
    /// The AI assistant.
    pub assistant: bool,
    /// The analytics of `integrations`.
    pub analytics: bool,
    /// Sending requests from API pages.
    pub playground: bool,
}

impl Default for Features {
    fn default() -> Self {
        Self::of(DeploymentType::ClientHosted)
    }
}

impl Features {
    /// Default features of a type of deployment. Search needs no network, so every type has it.
    pub const fn of(deployment: DeploymentType) -> Self {
        let hosted = matches!(deployment, DeploymentType::Cloud);
        let connected = !matches!(deployment, DeploymentType::AirGapped);
        Self { search: true, assistant: hosted, analytics: hosted, playground: connected }
    }
}

#[cfg(test)]
mod tests {
    use super::{DeploymentType, Features};

    #[test]
    fn type_has_features_that_its_network_allows() {
        let features = |assistant, analytics, playground| Features {
            search: true,
            assistant,
            analytics,
            playground,
        };
        assert_eq!(Features::of(DeploymentType::Cloud), features(true, true, true));
        assert_eq!(Features::of(DeploymentType::ClientHosted), features(false, false, true));
        assert_eq!(Features::of(DeploymentType::AirGapped), features(false, false, false));
    }
}
