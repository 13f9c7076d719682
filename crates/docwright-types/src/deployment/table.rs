//! The table of features by type of deployment: what each type offers, and why it lacks the rest.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::DeploymentType;

/// A row of the table.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, ToSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum FeatureName {
    /// Search that needs no network.
    Search,
    /// The AI assistant.
    Assistant,
    /// The web analytics of docwright.
    Analytics,
    /// Sending requests from API pages.
    Playground,
    /// The bundle of a static export.
    Export,
    /// Scripts of other services that authors name.
    Integrations,
}

/// What a type of deployment offers of a feature.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Availability {
    /// It is there without settings.
    Available,
    /// It depends on the settings of the deployment.
    Configurable,
    /// It can't be there.
    Unavailable,
}

/// A cell of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cell {
    /// What the type offers of the feature.
    pub availability: Availability,
    /// Why the feature is unavailable.
    pub reason: Option<&'static str>,
}

impl FeatureName {
    /// All rows, in the order in which tables show them.
    pub const ALL: [Self; 6] = [
        Self::Search,
        Self::Assistant,
        Self::Analytics,
        Self::Playground,
        Self::Export,
        Self::Integrations,
    ];

    /// The title of the row.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Search => "Documentation search",
            Self::Assistant => "AI assistant",
            Self::Analytics => "Web analytics",
            Self::Playground => "API playground",
            Self::Export => "Static export bundle",
            Self::Integrations => "Integrations",
        }
    }

    /// The cell of the feature for a type of deployment.
    pub const fn cell(self, deployment: DeploymentType) -> Cell {
        use Availability::{Available, Configurable};
        use DeploymentType::{AirGapped, ClientHosted, Cloud};
        let availability = match (self, deployment) {
            (Self::Search | Self::Assistant | Self::Analytics | Self::Playground, Cloud)
            | (Self::Search, AirGapped)
            | (Self::Playground, ClientHosted)
            | (Self::Export, _) => Available,
            (Self::Search | Self::Assistant | Self::Analytics, ClientHosted)
            | (Self::Playground, AirGapped)
            | (Self::Integrations, Cloud | ClientHosted) => Configurable,
            (Self::Assistant, AirGapped) => return unavailable("its bundles can't call a model"),
            (Self::Analytics, AirGapped) => {
                return unavailable("its bundles send nothing to anyone");
            }
            (Self::Integrations, AirGapped) => {
                return unavailable("its bundles load nothing from other hosts");
            }
        };
        Cell { availability, reason: None }
    }
}

const fn unavailable(reason: &'static str) -> Cell {
    Cell { availability: Availability::Unavailable, reason: Some(reason) }
}

impl DeploymentType {
    /// The type with its article, for sentences.
    pub const fn with_article(self) -> &'static str {
        match self {
            Self::Cloud => "a cloud deployment",
            Self::ClientHosted => "a client-hosted deployment",
            Self::AirGapped => "an air-gapped deployment",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{
        Availability::{Available, Configurable, Unavailable},
        DeploymentType, FeatureName,
    };

    #[test]
    fn table_is_that_of_the_requirement_and_search_works_everywhere() {
        let row =
            |feature: FeatureName| DeploymentType::ALL.map(|of| feature.cell(of).availability);
        for (feature, expected) in [
            (FeatureName::Search, [Available, Configurable, Available]),
            (FeatureName::Assistant, [Available, Configurable, Unavailable]),
            (FeatureName::Analytics, [Available, Configurable, Unavailable]),
            (FeatureName::Playground, [Available, Available, Configurable]),
            (FeatureName::Export, [Available, Available, Available]),
        ] {
            assert_eq!(row(feature), expected, "{feature:?}");
        }
    }

    #[test]
    fn unavailable_cells_alone_have_a_reason() {
        for feature in FeatureName::ALL {
            for deployment in DeploymentType::ALL {
                let cell = feature.cell(deployment);
                assert_eq!(cell.reason.is_some(), cell.availability == Unavailable, "{cell:?}");
            }
        }
    }
}
