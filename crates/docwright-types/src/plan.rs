//! Plans, and what each includes.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Plan of an organization.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(example = "pro")]
pub enum Plan {
    /// The least.
    #[default]
    Free,
    /// For teams.
    Pro,
    /// Everything.
    Enterprise,
}

/// Limits and features of a plan, set by the operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Whether the plan includes static exports.
    pub static_export: bool,
    /// Projects of an organization; `None` for no limit.
    pub projects: Option<i64>,
    /// Members of an organization; `None` for no limit.
    pub members: Option<i64>,
    /// Prompts that each project can send in any hour, including follow-ups.
    pub prompts_an_hour: i64,
    /// Bytes of storage that an organization can use, for bundles, repositories, and clones; `None` for no limit.
    pub storage_bytes: Option<i64>,
}

impl Plan {
    /// Every plan, the least first.
    pub const ALL: [Self; 3] = [Self::Free, Self::Pro, Self::Enterprise];

    /// Its name in the database, in forms, and in the API.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Free => "free",
            Self::Pro => "pro",
            Self::Enterprise => "enterprise",
        }
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl FromStr for Plan {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "free" => Ok(Self::Free),
            "pro" => Ok(Self::Pro),
            "enterprise" => Ok(Self::Enterprise),
            other => Err(format!("`{other}` isn't a plan; use free, pro, or enterprise")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Plan;

    #[test]
    fn plans_are_written_and_read_by_name() {
        for (plan, name) in Plan::ALL.into_iter().zip(["free", "pro", "enterprise"]) {
            assert_eq!(plan.to_string(), name);
            assert_eq!(name.parse(), Ok(plan));
        }
        assert!("Free".parse::<Plan>().unwrap_err().contains("`Free` isn't a plan"));
    }
}
