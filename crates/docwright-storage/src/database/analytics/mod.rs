//! Web analytics: sums of views by hour and day, and of days by dimension. Nothing tells who a reader is.
//!
//! Nodes count in memory and write batches here. A request of a reader reads and writes nothing.

mod measures;
mod ratings;
mod read;
mod retention;
mod searches;
mod visitors;
mod write;

use docwright_types::{
    analytics::Dimension,
    timestamp::{DAY, HOUR, Timestamp},
};

pub use measures::{Measured, MeasuredPage};
pub use ratings::PageRatings;
pub use read::{DeadLink, PageViews, ValueViews};
pub use retention::{KEPT_ANALYTICS, KEPT_HOURS};
pub use searches::SearchSum;
pub use visitors::{DayVisitors, VisitorKey, VisitorSketch};

/// Tables with rows of domains.
pub(super) const TABLES: [(&str, &str); 4] = [
    ("analytics_views", "domain, step, starts_at, page"),
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
}

/// Which sums to read: those of all sites of a project, in a range, of pages at and below a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AnalyticsFilter<'a> {
    /// The project.
    pub project_id: &'a str,
    /// The range.
    pub range: AnalyticsRange,
    /// A page, or a folder of pages, without slashes at its ends; empty for all pages.
    pub path: &'a str,
}

impl<'a> AnalyticsFilter<'a> {
    /// All pages of a project.
    pub const fn new(project_id: &'a str, range: AnalyticsRange) -> Self {
        Self { project_id, range, path: "" }
    }

    /// The filter with the days that contain its range.
    #[must_use]
    pub const fn days(self) -> Self {
        Self { range: self.range.days(), ..self }
    }

    /// The condition on rows of sums, with the project as `$1`, the range as `$2` and `$3`, and the path as `$4`.
    /// `column` is the one to compare with the path.
    fn condition(column: &str) -> String {
        format!(
            "domain IN (SELECT name FROM domains WHERE project_id = $1) AND starts_at >= $2 AND starts_at < $3 \
             AND ($4 = '' OR {column} = $4 OR SUBSTR({column}, 1, LENGTH($4) + 1) = $4 || '/')"
        )
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
