//! The range of time of a query.

use docwright_storage::database::{AnalyticsRange, KEPT_ANALYTICS};
use docwright_types::timestamp::{DAY, Timestamp};
use serde::{Deserialize, Serialize};
use utoipa::IntoParams;

use crate::{OperationError, audit_log::Time};

/// Length of a range without a start. Milliseconds.
const USUAL: Timestamp = 30 * DAY;

/// Which time to count. Ranges that start in the last 30 days have whole hours, and others whole days (UTC).
#[derive(Debug, Default, Clone, Copy, Deserialize, Serialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct AnalyticsQuery {
    /// Start of the range; 30 days before its end if omitted.
    #[param(value_type = String, required = false, format = DateTime, example = "2026-11-01T00:00:00Z")]
    pub from: Option<Time>,
    /// End of the range; now if omitted.
    #[param(value_type = String, required = false, format = DateTime, example = "2026-12-01T00:00:00Z")]
    pub to: Option<Time>,
}

impl AnalyticsQuery {
    /// The range between two times.
    pub const fn between(from: Timestamp, to: Timestamp) -> Self {
        Self { from: Some(Time(from)), to: Some(Time(to)) }
    }

    pub(super) fn range(&self, now: Timestamp) -> Result<AnalyticsRange, OperationError> {
        let to = self.to.map_or(now, |time| time.0);
        let from = self.from.map_or(to.saturating_sub(USUAL), |time| time.0);
        let refuse = |text: &str| Err(OperationError::Invalid(text.to_owned()));
        if from >= to {
            return refuse("`from` isn't before `to`. Choose an earlier start.");
        }
        if to.saturating_sub(from) > KEPT_ANALYTICS + DAY {
            return refuse("The range from `from` to `to` exceeds 5 years. Choose a shorter one.");
        }
        Ok(AnalyticsRange::new((from, to), now))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn range_is_the_last_30_days_by_default() {
        let now = 20_000 * DAY;
        let range = AnalyticsQuery::default().range(now).unwrap();
        assert_eq!((range.from, range.to), (now - 30 * DAY, now));
        assert!(AnalyticsQuery::between(2, 2).range(now).is_err());
        assert!(AnalyticsQuery::between(now - 6 * 366 * DAY, now).range(now).is_err());
        assert!(AnalyticsQuery::between(i64::MIN, i64::MAX).range(now).is_err());
    }
}
