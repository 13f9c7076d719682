//! Sites: a branch of a project under a public address.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A site. Its domain serves its active release.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Site {
    /// Its id.
    pub id: String,
    /// Its project.
    pub project_id: String,
    /// The branch that it serves; `None` for the repository's default branch.
    pub branch: Option<String>,
    /// Its domain with the base path, such as `docs.example.com`, or the host of its preview.
    pub domain: String,
    /// The active release.
    pub active_release_id: Option<String>,
}

/// How releases become active.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
#[schema(example = "automatic")]
pub enum Activation {
    /// Automatically, as soon as it is ready and its commit is the newest.
    #[default]
    Automatic,
    /// Automatically, except for a release with errors that the active release doesn't have: it is held until someone
    /// activates it, or a newer release becomes active.
    HoldNewErrors,
    /// Only manually.
    Manual,
}

impl Activation {
    /// Every way.
    pub const ALL: [Self; 3] = [Self::Automatic, Self::HoldNewErrors, Self::Manual];

    /// Its name in the database and the API.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Automatic => "automatic",
            Self::HoldNewErrors => "hold-new-errors",
            Self::Manual => "manual",
        }
    }
}

impl std::str::FromStr for Activation {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let found = Self::ALL.into_iter().find(|way| way.name() == text);
        found.ok_or_else(|| {
            format!("`{text}` is not a way to activate; use automatic, hold-new-errors, or manual")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Activation;

    #[test]
    fn names_are_read_back() {
        for activation in Activation::ALL {
            assert_eq!(activation.name().parse(), Ok(activation));
            assert_eq!(serde_json::to_value(activation).unwrap(), activation.name());
        }
        assert!("never".parse::<Activation>().is_err());
    }
}
