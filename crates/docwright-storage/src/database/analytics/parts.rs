//! Ranges in parts: sums of months where whole months are summed, then of days, then of hours. So a year has few rows.

use docwright_types::{
    analytics::Dimension,
    timestamp::{DAY, HOUR, Timestamp, month_of, next_month},
};
use sqlx::{Any, AssertSqlSafe, Row, any::AnyArguments, query::Query};

use super::AnalyticsFilter;
use crate::{StorageError, database::Database};

/// Parameters that [`Parts::bind`] binds. Further ones have the next numbers.
pub(super) const PARAMETERS: usize = 12;

/// The condition that values are of the path: of the page, and of the folder. Without a path, they are of whole sites.
pub(super) const AT_PATH: &str = "page IN ($2, $2 || '/')";

/// The sums of a project's sites.
const OF_PROJECT: &str = "domain IN (SELECT name FROM domains WHERE project_id = $1)";

/// A start and an end, which isn't part of it.
type Span = (Timestamp, Timestamp);

/// An empty span.
const NONE: Span = (0, 0);

/// A range in spans that don't overlap. A statement reads all of them, the empty ones too, so it is the same for every
/// range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Parts {
    months: Span,
    /// Before the months, and after them.
    days: [Span; 2],
    /// Before the days, and after them.
    hours: [Span; 2],
}

impl Parts {
    /// The parts of a filter's range, if the months before a time are summed.
    fn of(filter: AnalyticsFilter<'_>, summed_until: Timestamp) -> Self {
        let range = filter.range;
        let (from, to) = (range.from, range.to);
        // With hours, days begin at the first whole day, and end after the last one.
        let first = from + (DAY - from.rem_euclid(DAY)).rem_euclid(DAY);
        let last = to - to.rem_euclid(DAY);
        if first >= last {
            return Self { months: NONE, days: [NONE; 2], hours: [(from, to), NONE] };
        }
        let hours = [(from, first), (last, to)];
        let start = if month_of(first) == first { first } else { next_month(first) };
        let end = month_of(last).min(summed_until);
        if start >= end {
            return Self { months: NONE, days: [(first, last), NONE], hours };
        }
        Self { months: (start, end), days: [(first, start), (end, last)], hours }
    }

    /// Binds the project, the path, and the parts.
    pub(super) fn bind<'q>(
        self,
        query: Query<'q, Any, AnyArguments>,
        filter: AnalyticsFilter<'q>,
    ) -> Query<'q, Any, AnyArguments> {
        let mut query = query.bind(filter.project_id).bind(filter.path);
        let [first, last] = self.days;
        let [before, after] = self.hours;
        for (from, to) in [self.months, first, last, before, after] {
            query = query.bind(from).bind(to);
        }
        query
    }
}

impl Database {
    /// The parts of a filter's range. Months that are summed stay so, and sums that come later count in their month
    /// too: parts can be read after this.
    pub(super) async fn parts(&self, filter: AnalyticsFilter<'_>) -> Result<Parts, StorageError> {
        let sql = "SELECT MIN(COALESCE(summed_until, 0)) AS summed_until FROM domains \
             LEFT JOIN analytics_months ON domain = name WHERE project_id = $1";
        let row = sqlx::query(sql).bind(filter.project_id).fetch_one(&self.pool).await?;
        let summed_until: Option<Timestamp> = row.try_get("summed_until")?;
        Ok(Parts::of(filter, summed_until.unwrap_or_default()))
    }

    /// Runs a statement whose rows are of [`views`] or [`values`].
    pub(super) fn of_parts(
        sql: String,
        parts: Parts,
        filter: AnalyticsFilter<'_>,
    ) -> Query<'_, Any, AnyArguments> {
        parts.bind(sqlx::query(AssertSqlSafe(sql)), filter)
    }
}

/// Rows with `page`, `human`, `ai`, and `bot` of pages at and below the path.
pub(super) fn views() -> String {
    let of = |table: &str, step: &str, span: usize| {
        format!(
            "SELECT page, human, ai, bot FROM {table} WHERE {OF_PROJECT}{step} AND {} AND {}",
            in_span(span),
            at_path("page")
        )
    };
    let (days, hours) = (format!(" AND step = {DAY}"), format!(" AND step = {HOUR}"));
    let parts = [
        of("analytics_month_views", "", 0),
        of("analytics_views", &days, 1),
        of("analytics_views", &days, 2),
        of("analytics_views", &hours, 3),
        of("analytics_views", &hours, 4),
    ];
    parts.join(" UNION ALL ")
}

/// Rows with `dimension`, `page`, `value`, `views`, and `last_at` of some dimensions that meet a condition.
pub(super) fn values(dimensions: &[Dimension], condition: &str) -> String {
    let names: Vec<_> =
        dimensions.iter().map(|dimension| format!("'{}'", dimension.name())).collect();
    let is_one = match names.as_slice() {
        [name] => format!("dimension = {name}"),
        names => format!("dimension IN ({})", names.join(", ")),
    };
    let part = |table: &str, span: usize| {
        format!(
            "SELECT dimension, page, value, views, last_at FROM {table} WHERE {OF_PROJECT} AND {is_one} \
             AND {condition} AND {}",
            in_span(span)
        )
    };
    let parts = [
        part("analytics_month_values", 0),
        part("analytics_values", 1),
        part("analytics_values", 2),
    ];
    parts.join(" UNION ALL ")
}

/// The condition that values are of single pages at and below the path.
pub(super) fn of_pages() -> String {
    format!("page <> '' AND page NOT LIKE '%/' AND {}", at_path("page"))
}

/// The condition that values are of whole sites, and consist of paths at and below the path.
pub(super) fn of_site_at_path(column: &str) -> String {
    format!("page = '' AND {}", at_path(column))
}

/// The condition that a row starts in one of the spans, by its place.
fn in_span(place: usize) -> String {
    let first = 3 + 2 * place;
    format!("starts_at >= ${first} AND starts_at < ${}", first + 1)
}

/// The condition that a page is at or below the path.
fn at_path(column: &str) -> String {
    format!("($2 = '' OR {column} = $2 OR SUBSTR({column}, 1, LENGTH($2) + 1) = $2 || '/')")
}

#[cfg(test)]
mod tests {
    use docwright_types::timestamp::parse_iso;

    use super::*;
    use crate::database::AnalyticsRange;

    fn time(text: &str) -> Timestamp {
        parse_iso(&format!("{text}:00:00Z")).unwrap()
    }

    fn parts(from: &str, to: &str, summed_until: &str) -> Parts {
        let range = AnalyticsRange::new((time(from), time(to)), time("2026-11-26T12"));
        Parts::of(AnalyticsFilter::new("project", range), time(summed_until))
    }

    #[test]
    fn year_is_months_and_days() {
        let span = |from, to| (time(from), time(to));
        let none = |at| (time(at), time(at));
        let year = parts("2025-12-01T00", "2026-11-27T00", "2026-11-01T00");
        assert_eq!(year.months, span("2025-12-01T00", "2026-11-01T00"));
        assert_eq!(year.days, [none("2025-12-01T00"), span("2026-11-01T00", "2026-11-27T00")]);
        assert_eq!(year.hours, [none("2025-12-01T00"), none("2026-11-27T00")]);
        let unaligned = parts("2025-11-20T00", "2026-11-19T00", "2026-10-01T00");
        assert_eq!(unaligned.months, span("2025-12-01T00", "2026-10-01T00"));
        let days = [span("2025-11-20T00", "2025-12-01T00"), span("2026-10-01T00", "2026-11-19T00")];
        assert_eq!(unaligned.days, days);
        let unsummed = parts("2025-12-01T00", "2026-11-27T00", "1970-01-01T00");
        assert_eq!((unsummed.months, unsummed.days[1]), (NONE, NONE));
        assert_eq!(unsummed.days[0], span("2025-12-01T00", "2026-11-27T00"));
    }

    #[test]
    fn recent_range_has_hours_at_its_ends() {
        let span = |from, to| (time(from), time(to));
        let week = parts("2026-11-19T15", "2026-11-26T13", "2026-11-01T00");
        assert_eq!(week.months, NONE);
        assert_eq!(week.days, [span("2026-11-20T00", "2026-11-26T00"), NONE]);
        let hours =
            [span("2026-11-19T15", "2026-11-20T00"), span("2026-11-26T00", "2026-11-26T13")];
        assert_eq!(week.hours, hours);
        let day = parts("2026-11-25T14", "2026-11-26T13", "2026-11-01T00");
        assert_eq!(
            (day.days, day.hours),
            ([NONE; 2], [span("2026-11-25T14", "2026-11-26T13"), NONE])
        );
        let month = parts("2026-10-30T03", "2026-11-26T13", "2026-11-01T00");
        assert_eq!(month.days, [span("2026-10-31T00", "2026-11-26T00"), NONE]);
    }
}
