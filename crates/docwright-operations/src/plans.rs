//! Plans: limits and features of organizations.

use docwright_storage::database;
use docwright_types::plan::{self, Plan};
use serde::{Deserialize, Serialize};
use serde_json::{Number, Value, json};
use utoipa::ToSchema;

use crate::{
    Allowed, OperationError, Operations,
    audit::Change,
    can,
    fields::{Revision, require_current},
};

/// The most that a number of things can be.
const MOST: i64 = 1_000_000;
/// The most that a number of bytes can be: a pebibyte.
const MOST_BYTES: i64 = 1 << 50;

/// Limits and features of a plan.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Limits {
    /// Whether the plan includes static exports.
    #[schema(example = true)]
    pub static_export: bool,
    /// Maximum number of projects of an organization; no limit if null.
    #[schema(value_type = Option<i64>, minimum = 0, maximum = 1_000_000, example = 10)]
    pub projects: Option<Amount>,
    /// Maximum number of members of an organization; no limit if null.
    #[schema(value_type = Option<i64>, minimum = 1, maximum = 1_000_000, example = 25)]
    pub members: Option<Amount<1>>,
    /// Maximum number of prompts per project in any hour, follow-ups included.
    #[schema(value_type = i64, minimum = 0, maximum = 1_000_000, example = 100)]
    pub prompts_an_hour: Amount,
    /// Maximum storage of an organization for bundles, repositories, and clones, in bytes; no limit
    /// if null.
    #[schema(value_type = Option<i64>, minimum = 0, maximum = 1_125_899_906_842_624_i64, example = 20_000_000_000_i64)]
    pub storage_bytes: Option<Amount<0, MOST_BYTES>>,
}

/// A number of things.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(try_from = "Number", into = "i64")]
pub struct Amount<const LEAST: i64 = 0, const UP_TO: i64 = MOST>(i64);

impl<const LEAST: i64, const UP_TO: i64> TryFrom<Number> for Amount<LEAST, UP_TO> {
    type Error = String;

    /// A number such as `5.0` is an integer in JSON Schema, and here as well.
    fn try_from(number: Number) -> Result<Self, String> {
        let whole = || number.as_f64()?.to_string().parse().ok();
        number.as_i64().or_else(whole).and_then(Self::within).ok_or_else(Self::rule)
    }
}

impl<const LEAST: i64, const UP_TO: i64> TryFrom<String> for Amount<LEAST, UP_TO> {
    type Error = String;

    /// Reads digits.
    fn try_from(text: String) -> Result<Self, String> {
        text.parse().ok().and_then(Self::within).ok_or_else(Self::rule)
    }
}

impl<const LEAST: i64, const UP_TO: i64> Amount<LEAST, UP_TO> {
    fn within(number: i64) -> Option<Self> {
        (LEAST..=UP_TO).contains(&number).then_some(Self(number))
    }

    fn rule() -> String {
        format!("must be a whole number from {LEAST} to {UP_TO}")
    }
}

impl<const LEAST: i64, const UP_TO: i64> From<Amount<LEAST, UP_TO>> for i64 {
    fn from(amount: Amount<LEAST, UP_TO>) -> Self {
        amount.0
    }
}

/// A plan with its limits and features.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct PlanLimits {
    /// Name of the plan.
    pub name: Plan,
    /// Limits and features of the plan.
    pub limits: Limits,
    /// Revision of the object, which each update increments. An update can name it.
    #[schema(minimum = 1, example = 1)]
    pub revision: i64,
}

/// Limits and features to set. Omitted limits are removed.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct SetPlan {
    /// Whether the plan includes static exports.
    #[schema(example = true)]
    pub static_export: bool,
    /// Maximum number of projects of an organization; no limit if null or omitted.
    #[schema(value_type = Option<i64>, minimum = 0, maximum = 1_000_000, example = 10)]
    pub projects: Option<Amount>,
    /// Maximum number of members of an organization; no limit if null or omitted.
    #[schema(value_type = Option<i64>, minimum = 1, maximum = 1_000_000, example = 25)]
    pub members: Option<Amount<1>>,
    /// Maximum number of prompts per project in any hour, follow-ups included.
    #[schema(value_type = i64, minimum = 0, maximum = 1_000_000, example = 100)]
    pub prompts_an_hour: Amount,
    /// Maximum storage of an organization for bundles, repositories, and clones, in bytes; no limit
    /// if null or omitted.
    #[schema(value_type = Option<i64>, minimum = 0, maximum = 1_125_899_906_842_624_i64, example = 20_000_000_000_i64)]
    pub storage_bytes: Option<Amount<0, MOST_BYTES>>,
    /// Revision that the update is based on. If the object has another one by then, the update returns a conflict.
    #[schema(value_type = Option<i64>, minimum = 1)]
    pub revision: Option<Revision>,
}

/// All plans.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct PlanList {
    /// The plans, smallest first.
    pub plans: Vec<PlanLimits>,
}

/// Lists the plans of the instance with their limits.
pub async fn list(
    operations: &Operations,
    _caller: &Allowed<can::ListPlans>,
) -> Result<PlanList, OperationError> {
    let mut plans = Vec::new();
    for name in Plan::ALL {
        plans.push(PlanLimits::of(name, operations.database.plan_limits(name).await?));
    }
    Ok(PlanList { plans })
}

/// Sets the limits of a plan.
pub async fn set(
    operations: &Operations,
    caller: &Allowed<can::SetPlan>,
    name: Plan,
    input: SetPlan,
) -> Result<PlanLimits, OperationError> {
    let before = operations.database.plan_limits(name).await?;
    let revision = require_current("plan", before.revision, input.revision)?;
    let limits = input.limits();
    let change =
        Change::of("plan.update", None).before(state(before.limits.into())).after(state(limits));
    let database = caller.recording(operations, change);
    database.set_plan_limits(name, limits.into(), revision).await?;
    Ok(PlanLimits::of(name, operations.database.plan_limits(name).await?))
}

impl SetPlan {
    /// Sets these limits, if the plan still has the revision.
    #[must_use]
    pub const fn new(limits: Limits, revision: Option<Revision>) -> Self {
        let Limits { static_export, projects, members, prompts_an_hour, storage_bytes } = limits;
        Self { static_export, projects, members, prompts_an_hour, storage_bytes, revision }
    }

    const fn limits(self) -> Limits {
        let Self { static_export, projects, members, prompts_an_hour, storage_bytes, .. } = self;
        Limits { static_export, projects, members, prompts_an_hour, storage_bytes }
    }
}

impl PlanLimits {
    fn of(name: Plan, stored: database::PlanLimits) -> Self {
        Self { name, limits: stored.limits.into(), revision: stored.revision }
    }
}

impl From<plan::Limits> for Limits {
    fn from(limits: plan::Limits) -> Self {
        Self {
            static_export: limits.static_export,
            projects: limits.projects.map(Amount),
            members: limits.members.map(Amount),
            prompts_an_hour: Amount(limits.prompts_an_hour),
            storage_bytes: limits.storage_bytes.map(Amount),
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
            storage_bytes: limits.storage_bytes.map(i64::from),
        }
    }
}

/// The state of a plan in the audit log.
fn state(limits: Limits) -> Value {
    json!(limits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amount_is_a_whole_number_in_any_notation() {
        let read = |text: &str| serde_json::from_str::<Amount<1>>(text).map(|amount| amount.0);
        assert_eq!((read("5").unwrap(), read("5.0").unwrap(), read("1e6").unwrap()), (5, 5, MOST));
        for wrong in ["0", "-1", "1.5", "1000001", "1e300", "\"5\"", "null"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
        let typed = |text: &str| Amount::<1>::try_from(text.to_owned()).map(|amount| amount.0);
        assert_eq!(typed("5"), Ok(5));
        assert!(["", "0", "5.0", "1000001"].iter().all(|wrong| typed(wrong).is_err()));
    }
}
