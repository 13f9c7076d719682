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

#[cfg(test)]
mod tests {
    use super::Plan;

    #[test]
    fn plans_are_written_and_read_by_name() {
        for (plan, name) in
            [(Plan::Free, "free"), (Plan::Team, "team"), (Plan::Enterprise, "enterprise")]
        {
            assert_eq!(plan.to_string(), name);
            assert_eq!(name.parse(), Ok(plan));
        }
        assert!("Free".parse::<Plan>().unwrap_err().contains("no plan `Free`"));
    }

    #[test]
    fn static_export_is_for_enterprise_plans_only() {
        assert!(Plan::Enterprise.has_static_export());
        assert!(!Plan::Team.has_static_export() && !Plan::Free.has_static_export());
    }
}
