//! Plans: what organisations may have.

pub(super) mod list;
pub(super) mod set;

use docwright_domain::plan;
use serde::{Deserialize, Serialize};
use serde_json::{Number, Value, json};
use utoipa::{IntoParams, ToSchema};

use super::organizations::Plan;

/// The most that a number of things can be.
const MOST: i64 = 1_000_000;
/// The most that a number of bytes can be: a pebibyte.
const MOST_BYTES: i64 = 1 << 50;

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
    /// Bytes of storage that an organization can use, for bundles, repositories, and clones; no limit if null or
    /// left out.
    #[schema(value_type = Option<i64>, minimum = 0, maximum = 1_125_899_906_842_624_i64, example = 20_000_000_000_i64)]
    storage_bytes: Option<Amount<0, MOST_BYTES>>,
}

/// A number of things.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(try_from = "Number", into = "i64")]
struct Amount<const LEAST: i64 = 0, const UP_TO: i64 = MOST>(i64);

impl<const LEAST: i64, const UP_TO: i64> TryFrom<Number> for Amount<LEAST, UP_TO> {
    type Error = String;

    /// What is written as `5.0` is a whole number in JSON Schema, and so here.
    fn try_from(number: Number) -> Result<Self, String> {
        let whole = || number.as_f64()?.to_string().parse().ok();
        let whole = number.as_i64().or_else(whole);
        let amount = whole.filter(|number| (LEAST..=UP_TO).contains(number)).map(Self);
        amount.ok_or_else(|| format!("must be a whole number from {LEAST} to {UP_TO}"))
    }
}

impl<const LEAST: i64, const UP_TO: i64> From<Amount<LEAST, UP_TO>> for i64 {
    fn from(amount: Amount<LEAST, UP_TO>) -> Self {
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

/// What the audit log says of a plan.
fn state(limits: plan::Limits) -> Value {
    json!(Limits::from(limits))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_whole_numbers_however_they_are_written() {
        let read = |text: &str| serde_json::from_str::<Amount<1>>(text).map(|amount| amount.0);
        assert_eq!((read("5").unwrap(), read("5.0").unwrap(), read("1e6").unwrap()), (5, 5, MOST));
        for wrong in ["0", "-1", "1.5", "1000001", "1e300", "\"5\"", "null"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
