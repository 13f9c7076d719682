//! Feedback: a reader's rating and comment on a page, with its state.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// State of a feedback entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum FeedbackState {
    /// Nobody has read it.
    Pending,
    /// Someone works on it.
    InProgress,
    /// The page was changed for it.
    Resolved,
    /// There is nothing to do about it.
    Dismissed,
}

impl FeedbackState {
    /// Every state.
    pub const ALL: [Self; 4] = [Self::Pending, Self::InProgress, Self::Resolved, Self::Dismissed];

    /// Its name in the database and the API.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::InProgress => "in_progress",
            Self::Resolved => "resolved",
            Self::Dismissed => "dismissed",
        }
    }
}

impl fmt::Display for FeedbackState {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl FromStr for FeedbackState {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|state| state.name() == text);
        found.ok_or_else(|| format!("`{text}` isn't a state of feedback; check the spelling"))
    }
}

/// Where feedback was given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GivenFrom {
    /// A page of the site.
    Site,
    /// An agent, with the MCP server of the site.
    Mcp,
}

impl GivenFrom {
    /// Every place.
    pub const ALL: [Self; 2] = [Self::Site, Self::Mcp];

    /// Its name in the database.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Site => "site",
            Self::Mcp => "mcp",
        }
    }
}

impl FromStr for GivenFrom {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|from| from.name() == text);
        found.ok_or_else(|| format!("`{text}` isn't a place of feedback; check the spelling"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for state in FeedbackState::ALL {
            assert_eq!(state.to_string().parse(), Ok(state));
        }
        assert!("done".parse::<FeedbackState>().is_err());
        for from in GivenFrom::ALL {
            assert_eq!(from.name().parse(), Ok(from));
        }
        assert!("page".parse::<GivenFrom>().is_err());
    }
}
