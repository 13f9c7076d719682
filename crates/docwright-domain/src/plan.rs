//! Plans, and what each includes.

use std::{fmt, str::FromStr};

/// What an organisation has subscribed to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Plan {
    /// The least.
    #[default]
    Free,
    /// For teams.
    Team,
    /// Everything.
    Enterprise,
}

impl Plan {
    /// Static export is for Enterprise plans only.
    pub const fn has_static_export(self) -> bool {
        matches!(self, Self::Enterprise)
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Free => "free",
            Self::Team => "team",
            Self::Enterprise => "enterprise",
        })
    }
}

impl FromStr for Plan {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "free" => Ok(Self::Free),
            "team" => Ok(Self::Team),
            "enterprise" => Ok(Self::Enterprise),
            other => Err(format!("there is no plan `{other}`; use free, team or enterprise")),
        }
    }
}
