//! The table of features by type of deployment.

use docwright_types::deployment::{Availability, DeploymentType, FeatureName};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A feature, and what each type of deployment offers of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FeatureRow {
    /// The feature.
    pub feature: FeatureName,
    /// Title of the feature.
    #[schema(example = "Documentation search")]
    pub title: String,
    /// One cell for each type of deployment.
    pub cells: Vec<FeatureCell>,
}

/// What a type of deployment offers of a feature.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FeatureCell {
    /// Type of the deployment.
    #[serde(rename = "type")]
    pub kind: DeploymentType,
    /// What it offers of the feature.
    pub availability: Availability,
    /// Reason why the feature is unavailable.
    #[schema(example = json!(null))]
    pub reason: Option<String>,
}

impl FeatureRow {
    /// All rows, in the order in which tables show them.
    pub fn all() -> Vec<Self> {
        FeatureName::ALL.into_iter().map(Self::of).collect()
    }

    fn of(feature: FeatureName) -> Self {
        let cell = |kind: DeploymentType| {
            let cell = feature.cell(kind);
            let reason = cell.reason.map(str::to_owned);
            FeatureCell { kind, availability: cell.availability, reason }
        };
        let cells = DeploymentType::ALL.into_iter().map(cell).collect();
        Self { feature, title: feature.title().to_owned(), cells }
    }
}
