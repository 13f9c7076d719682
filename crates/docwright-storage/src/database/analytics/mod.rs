//! Web analytics: sums of views by hour and day, and of days by dimension. Nothing tells who a reader is.
//!
//! Nodes count in memory and write batches here. A request of a reader reads and writes nothing.

mod activations;
mod indexes;
mod live;
mod measures;
mod numbers;
mod parts;
mod ranked;
mod ratings;
mod read;
mod retention;
mod searches;
mod visitors;
mod weeks;
mod write;

use docwright_types::{
    analytics::Dimension,
    timestamp::{DAY, HOUR, Timestamp, month_of, next_month},
};
use serde::{Deserialize, Serialize};

pub use activations::ActiveRelease;
pub use live::{LiveKind, LiveViews, MinuteSum};
pub use measures::{Measured, MeasuredPage};
pub use ratings::PageRatings;
pub use read::{DeadLink, PageViews, ValueViews};
pub use retention::{KEPT_ANALYTICS, KEPT_DAYS_OF_PAGES, KEPT_HOURS};
pub use searches::SearchSum;
pub use visitors::{DayVisitors, VisitorKey, VisitorSketch};
pub use weeks::WeeklyProject;

/// Tables with sums of sites, and their keys.
const SITE_TABLES: [(&str, &str); 5] = [
    ("analytics_views", "site, step, start, page"),
    ("analytics_totals", "site, folder, step, start"),
    ("analytics_values", "site, dimension, start, page, value"),
    ("analytics_month_views", "site, start, page"),
    ("analytics_month_values", "site, dimension, start, page, value"),
];

/// Tables with sums of domains, and their keys.
const DOMAIN_TABLES: [(&str, &str); 3] = [
    ("analytics_minutes", "domain, starts_at, kind, value"),
    ("analytics_visitors", "domain, starts_at"),
    ("analytics_sketches", "domain, starts_at, reader"),
];

/// Tables that name domains.
pub(super) fn tables_with_domains() -> impl Iterator<Item = &'static str> {
    DOMAIN_TABLES.into_iter().map(|(table, _)| table).chain(["analytics_sites"])
}

/// The tables with sums, their keys, and which rows are of the domains that a condition names.
pub(super) fn sums_of_domains(
    domains: &str,
) -> impl Iterator<Item = (&'static str, &'static str, String)> {
    let of_sites = of_sites(domains);
    let of_sites = SITE_TABLES.into_iter().map(move |(table, key)| (table, key, of_sites.clone()));
    let domains = domains.to_owned();
    let of_domains =
        DOMAIN_TABLES.into_iter().map(move |(table, key)| (table, key, domains.clone()));
    of_sites.chain(of_domains)
}

/// All tables, in the order in which rows can be deleted, and which rows are of the domains that a condition names.
pub(super) fn rows_of_domains(domains: &str) -> impl Iterator<Item = (&'static str, String)> {
    let sums = sums_of_domains(domains).map(|(table, _, which)| (table, which));
    let numbers = [("analytics_texts", of_sites(domains)), ("analytics_sites", domains.to_owned())];
    sums.chain(numbers)
}

fn of_sites(domains: &str) -> String {
    format!("site IN (SELECT id FROM analytics_sites WHERE {domains})")
}

/// Views by people, AI agents, and bots.
pub type Views = [i64; 3];

/// Views of a page in an hour.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
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
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnalyticsBatch {
    /// Id of the batch. A batch counts once, however often it is added.
    pub id: String,
    /// Views of pages.
    pub views: Vec<ViewSum>,
    /// Views by dimension.
    pub values: Vec<ValueSum>,
    /// Views by minute.
    pub minutes: Vec<MinuteSum>,
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
    /// Start of the first month whose pages have sums of days. Earlier ones have only those of the month.
    pages_from: Timestamp,
    /// The present.
    now: Timestamp,
}

impl AnalyticsRange {
    /// The sums that contain a range, at the finest step that is stored at a time.
    pub fn new((from, to): (Timestamp, Timestamp), now: Timestamp) -> Self {
        let step = if from >= now - KEPT_HOURS { HOUR } else { DAY };
        Self::of((from, to), step, now)
    }

    /// The days that contain a range.
    #[must_use]
    pub fn days(self) -> Self {
        Self::of((self.from, self.to), DAY, self.now)
    }

    /// The range of sums of pages that contains a range: its ends in months without sums of days move to those of
    /// their months.
    #[must_use]
    pub fn of_pages(self) -> Self {
        let Self { pages_from, .. } = self;
        let from = if self.from < pages_from { month_of(self.from) } else { self.from };
        let to = if self.to < pages_from && self.to > month_of(self.to) {
            next_month(self.to)
        } else {
            self.to
        };
        Self { from, to, ..self }
    }

    /// Whether pages have sums of each of its days.
    pub fn has_days_of_pages(self) -> bool {
        self.from >= self.pages_from
    }

    fn of((from, to): (Timestamp, Timestamp), step: Timestamp, now: Timestamp) -> Self {
        let from = from - from.rem_euclid(step);
        let to = to + (step - to.rem_euclid(step)).rem_euclid(step);
        Self { from, to, step, pages_from: month_of(now - KEPT_DAYS_OF_PAGES), now }
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
    pub fn days(self) -> Self {
        Self { range: self.range.days(), ..self }
    }

    /// The filter with a range of sums of pages.
    #[must_use]
    pub fn of_pages(self) -> Self {
        Self { range: self.range.of_pages(), ..self }
    }
}

#[cfg(test)]
mod tests {
    use docwright_types::timestamp::{iso, parse_iso};

    use super::*;

    fn ends(range: AnalyticsRange) -> (Timestamp, Timestamp, Timestamp) {
        (range.from, range.to, range.step)
    }

    #[test]
    fn range_has_whole_steps() {
        let now = 100 * DAY;
        let recent = AnalyticsRange::new((now - 2 * HOUR - 1, now - 1), now);
        assert_eq!(ends(recent), (now - 3 * HOUR, now, HOUR));
        assert_eq!(ends(recent.days()), (now - DAY, now, DAY));
        let old = AnalyticsRange::new((now - 40 * DAY - 1, now), now);
        assert_eq!(ends(old), (now - 41 * DAY, now, DAY));
    }

    #[test]
    fn old_range_of_pages_has_whole_months() {
        let time = |text: &str| parse_iso(&format!("{text}T00:00:00Z")).unwrap();
        let range = |from, to| {
            let range = AnalyticsRange::new((time(from), time(to)), time("2026-11-26")).of_pages();
            (iso(range.from), iso(range.to))
        };
        let months = |from, to| (iso(time(from)), iso(time(to)));
        assert_eq!(range("2026-05-02", "2026-07-20"), months("2026-05-02", "2026-07-20"));
        assert_eq!(range("2026-04-30", "2026-07-20"), months("2026-04-01", "2026-07-20"));
        assert_eq!(range("2024-02-02", "2024-03-02"), months("2024-02-01", "2024-04-01"));
        assert_eq!(range("2024-02-01", "2024-03-01"), months("2024-02-01", "2024-03-01"));
    }
}
