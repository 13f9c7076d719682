//! Web analytics: sums of views by hour and day, and of days by dimension. Nothing tells who a reader is.
//!
//! Nodes count in memory and write batches here. A request of a reader reads and writes nothing.

mod read;
mod retention;
mod visitors;
mod write;

use docwright_types::{
    analytics::Dimension,
    timestamp::{DAY, HOUR, Timestamp},
};

pub use read::{DeadLink, PageViews, ValueViews};
pub use retention::{KEPT_ANALYTICS, KEPT_HOURS};
pub use visitors::{DayVisitors, VisitorKey, VisitorSketch};

/// Tables with rows of domains.
pub(super) const TABLES: [(&str, &str); 5] = [
    ("analytics_hours", "domain, starts_at, page"),
    ("analytics_days", "domain, starts_at, page"),
    ("analytics_values", "domain, dimension, page, starts_at, value"),
    ("analytics_visitors", "domain, starts_at"),
    ("analytics_sketches", "domain, starts_at, reader"),
];

/// Views by people, AI agents, and bots.
pub type Views = [i64; 3];

/// Views of a page in an hour.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ViewSum {
    /// The site's domain.
    pub domain: String,
    /// Start of the hour.
    pub hour: Timestamp,
    /// Path of the page.
    pub page: String,
    /// How many.
    pub views: Views,
}

/// Views in a day with one value of a dimension.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValueSum {
    /// The site's domain.
    pub domain: String,
    /// Start of the day.
    pub day: Timestamp,
    /// The dimension.
    pub dimension: Dimension,
    /// Path of the page; empty for the whole site.
    pub page: String,
    /// The value; empty for all values beyond the limits.
    pub value: String,
    /// How many.
    pub views: i64,
}

/// Sums to add at once. Each key of a sum occurs once.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AnalyticsBatch {
    /// Id of the batch. A batch counts once, however often it is added.
    pub id: String,
    /// Views of pages.
    pub views: Vec<ViewSum>,
    /// Views by dimension.
    pub values: Vec<ValueSum>,
}

/// A range of time. Ranges that start in the last 30 days are read by the hour, and others by the day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AnalyticsRange {
    /// Its start, at an hour or a day.
    pub from: Timestamp,
    /// Its end, which isn't part of it.
    pub to: Timestamp,
    /// The length of its sums: an hour or a day.
    pub step: Timestamp,
}

impl AnalyticsRange {
    /// The sums that contain a range, at the finest step that is stored at a time.
    pub const fn new((from, to): (Timestamp, Timestamp), now: Timestamp) -> Self {
        let step = if from >= now - KEPT_HOURS { HOUR } else { DAY };
        Self::of((from, to), step)
    }

    /// The days that contain a range.
    #[must_use]
    pub const fn days(self) -> Self {
        Self::of((self.from, self.to), DAY)
    }

    const fn of((from, to): (Timestamp, Timestamp), step: Timestamp) -> Self {
        let from = from - from.rem_euclid(step);
        let to = to + (step - to.rem_euclid(step)).rem_euclid(step);
        Self { from, to, step }
    }

    /// The table with sums of its step.
    const fn table(self) -> &'static str {
        if self.step == HOUR { "analytics_hours" } else { "analytics_days" }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn range_has_whole_steps() {
        let now = 100 * DAY;
        let recent = AnalyticsRange::new((now - 2 * HOUR - 1, now - 1), now);
        assert_eq!(recent, AnalyticsRange { from: now - 3 * HOUR, to: now, step: HOUR });
        assert_eq!(recent.days(), AnalyticsRange { from: now - DAY, to: now, step: DAY });
        let old = AnalyticsRange::new((now - 40 * DAY - 1, now), now);
        assert_eq!(old, AnalyticsRange { from: now - 41 * DAY, to: now, step: DAY });
    }
}
