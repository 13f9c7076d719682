//! What can be wrong with a project.

use std::str::FromStr;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The part of a project that a problem is in, which is where people fix it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProblemKind {
    /// The repository can't be read.
    Repository,
    /// The git host refuses the credentials, or needs some.
    Credentials,
    /// A branch of a site doesn't exist.
    Branch,
    /// The newest release failed.
    Release,
    /// The git host doesn't take the status of a commit.
    CommitStatus,
    /// The DNS record of a hostname isn't found, or its name doesn't lead to the service.
    Dns,
    /// A hostname has no valid certificate.
    Certificate,
    /// A subscription doesn't take notifications.
    Notification,
    /// The provider of a model refuses the key, has no quota left, or doesn't respond.
    Model,
    /// The object storage refuses, is full, or doesn't respond.
    Storage,
}

impl ProblemKind {
    /// Every kind.
    pub const ALL: [Self; 10] = [
        Self::Repository,
        Self::Credentials,
        Self::Branch,
        Self::Release,
        Self::CommitStatus,
        Self::Dns,
        Self::Certificate,
        Self::Notification,
        Self::Model,
        Self::Storage,
    ];

    /// Its name in the database and the API.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Repository => "repository",
            Self::Credentials => "credentials",
            Self::Branch => "branch",
            Self::Release => "release",
            Self::CommitStatus => "commit_status",
            Self::Dns => "dns",
            Self::Certificate => "certificate",
            Self::Notification => "notification",
            Self::Model => "model",
            Self::Storage => "storage",
        }
    }
}

impl FromStr for ProblemKind {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|kind| kind.name() == text);
        found.ok_or_else(|| format!("`{text}` isn't a kind of problem"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_stored_by_their_name_in_the_api() {
        for kind in ProblemKind::ALL {
            assert_eq!(kind.name().parse(), Ok(kind));
            assert_eq!(serde_json::json!(kind), kind.name());
        }
    }
}
