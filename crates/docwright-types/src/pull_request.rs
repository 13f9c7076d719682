//! Pull requests of docwright's own git host.

use std::str::FromStr;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::timestamp::Timestamp;

/// State of a pull request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum PullRequestState {
    /// It can be merged or closed.
    Open,
    /// Its changes are in the base branch.
    Merged,
    /// It was closed without a merge.
    Closed,
}

impl PullRequestState {
    /// As stored and shown.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Merged => "merged",
            Self::Closed => "closed",
        }
    }
}

impl FromStr for PullRequestState {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "open" => Ok(Self::Open),
            "merged" => Ok(Self::Merged),
            "closed" => Ok(Self::Closed),
            other => Err(format!("`{other}` isn't a state of a pull request")),
        }
    }
}

/// How a pull request becomes a part of its base branch.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum MergeMethod {
    /// With a merge commit. The commits of the branch stay.
    #[default]
    Merge,
    /// As one commit with the whole change.
    Squash,
    /// As the commits of the branch, on top of the base branch.
    Rebase,
}

/// A pull request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PullRequest {
    /// The project whose repository it is of.
    pub project_id: String,
    /// Its number within the project, from 1.
    pub number: i64,
    /// The branch that it brings.
    pub head: String,
    /// The branch that it is for.
    pub base: String,
    /// Its title.
    pub title: String,
    /// Its text, in Markdown.
    pub body: String,
    /// The newest commit of the base branch after it was merged.
    pub merge_commit: Option<String>,
    /// The newest commit of the base branch before that, if it is known.
    pub base_before: Option<String>,
    /// Its state.
    pub state: PullRequestState,
    /// When it was opened.
    pub created_at: Timestamp,
}

#[cfg(test)]
mod tests {
    use super::PullRequestState;

    #[test]
    fn states_are_written_and_read_by_name() {
        for (state, name) in [
            (PullRequestState::Open, "open"),
            (PullRequestState::Merged, "merged"),
            (PullRequestState::Closed, "closed"),
        ] {
            assert_eq!(state.name(), name);
            assert_eq!(name.parse(), Ok(state));
        }
        assert!("gone".parse::<PullRequestState>().is_err());
    }
}
