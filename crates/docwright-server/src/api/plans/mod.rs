//! Plans: what organisations may have.

pub(super) mod list;
pub(super) mod set;

use docwright_domain::plan;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::{IntoParams, ToSchema};

use super::organizations::Plan;

/// The most that a limit can say.
const MOST: i64 = 1_000_000;

/// What a plan includes.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct Limits {
    /// Whether sites can be exported.
    #[schema(example = true)]
    static_export: bool,
    /// Projects of an organisation; as many as it likes if null or left out.
    #[schema(value_type = Option<i64>, minimum = 0, maximum = 1_000_000, example = 10)]
    projects: Option<Amount>,
    /// Members of an organisation; as many as it likes if null or left out.
    #[schema(value_type = Option<i64>, minimum = 1, maximum = 1_000_000, example = 25)]
    members: Option<Amount<1>>,
    /// Prompts that each project may send in any hour, follow-up messages included.
    #[schema(value_type = i64, minimum = 0, maximum = 1_000_000, example = 100)]
    prompts_an_hour: Amount,
}

/// A number of things.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(try_from = "i64", into = "i64")]
struct Amount<const LEAST: i64 = 0>(i64);

impl<const LEAST: i64> TryFrom<i64> for Amount<LEAST> {
    type Error = String;

    fn try_from(number: i64) -> Result<Self, String> {
        if (LEAST..=MOST).contains(&number) {
            return Ok(Self(number));
        }
        Err(format!("must be a whole number from {LEAST} to {MOST}"))
    }
}

impl<const LEAST: i64> From<Amount<LEAST>> for i64 {
    fn from(amount: Amount<LEAST>) -> Self {
        amount.0
    }
}

/// A plan with what it includes.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PlanLimits {
    /// Its name.
    name: Plan,
    /// What it includes.
    limits: Limits,
}

/// A plan.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct PlanPath {
    /// Its name.
    #[param(inline, value_type = Plan)]
    plan: Plan,
}

impl From<plan::Limits> for Limits {
    fn from(limits: plan::Limits) -> Self {
        Self {
            static_export: limits.static_export,
            projects: limits.projects.map(Amount),
            members: limits.members.map(Amount),
            prompts_an_hour: Amount(limits.prompts_an_hour),
        }
    }
}

impl From<Limits> for plan::Limits {
    fn from(limits: Limits) -> Self {
        Self {
            static_export: limits.static_export,
            projects: limits.projects.map(i64::from),
            members: limits.members.map(i64::from),
            prompts_an_hour: limits.prompts_an_hour.into(),
        }
    }
}

/// What the audit log says of a plan.
fn state(limits: plan::Limits) -> Value {
    json!(Limits::from(limits))
}
