//! Ranges in parts: sums of months where whole months are asked for, then of days, then of hours. So a year has few rows.

use docwright_types::{
    analytics::Dimension,
    timestamp::{DAY, HOUR, Timestamp, month_of, next_month},
};
use sqlx::Row;

use super::{AnalyticsFilter, numbers::hours};
use crate::{StorageError, database::Database};

/// A start and an end, which isn't part of it.
type Span = (Timestamp, Timestamp);

/// A range in spans that don't overlap.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Spans {
    months: Vec<Span>,
    days: Vec<Span>,
    hours: Vec<Span>,
}

/// The sums of a project that a filter asks for. Statements name them by numbers, so that databases know from their
/// statistics how many rows there are.
#[derive(Debug, Clone)]
pub(super) struct Parts {
    spans: Spans,
    /// The sites, and the page and the folder of each at the path. Without a path, they are whole sites.
    sites: Vec<(i64, Vec<i64>)>,
}

/// Which values to read.
#[derive(Debug, Clone, Copy)]
pub(super) enum Of<'a> {
    /// Those of the path: of the page, and of the folder. Without a path, those of whole sites.
    Path,
    /// Those of whole sites. The path has no effect.
    Sites,
    /// Those of all single pages.
    Pages,
    /// Those of some pages.
    Some(&'a [i64]),
}

impl Spans {
    /// The spans of a filter's range.
    fn of(filter: AnalyticsFilter<'_>) -> Self {
        let range = filter.range;
        let (from, to) = (range.from, range.to);
        // With hours, days begin at the first whole day, and end after the last one.
        let first = from + (DAY - from.rem_euclid(DAY)).rem_euclid(DAY);
        let last = to - to.rem_euclid(DAY);
        if first >= last {
            return Self { months: Vec::new(), days: Vec::new(), hours: vec![(from, to)] };
        }
        let hours = some([(from, first), (last, to)]);
        let start = if month_of(first) == first { first } else { next_month(first) };
        // The current month has no sums of the future.
        let end = if last > range.now { next_month(month_of(range.now)) } else { month_of(last) };
        if start >= end {
            return Self { months: Vec::new(), days: vec![(first, last)], hours };
        }
        Self { months: vec![(start, end)], days: some([(first, start), (end, last)]), hours }
    }
}

/// The spans that aren't empty.
fn some(spans: [Span; 2]) -> Vec<Span> {
    spans.into_iter().filter(|(from, to)| from < to).collect()
}

impl Database {
    /// The parts of a filter's range.
    pub(super) async fn parts(&self, filter: AnalyticsFilter<'_>) -> Result<Parts, StorageError> {
        let sql = "SELECT sites.id AS site, texts.id AS page FROM domains \
             JOIN analytics_sites AS sites ON sites.domain = domains.name \
             LEFT JOIN analytics_texts AS texts ON texts.site = sites.id AND texts.text IN ($2, $3) \
             WHERE domains.project_id = $1 ORDER BY sites.id, texts.id";
        let folder =
            if filter.path.is_empty() { String::new() } else { format!("{}/", filter.path) };
        let query = sqlx::query(sql).bind(filter.project_id).bind(filter.path).bind(folder);
        let mut sites: Vec<(i64, Vec<i64>)> = Vec::new();
        for row in query.fetch_all(&self.pool).await? {
            let (site, page): (i64, Option<i64>) = (row.try_get("site")?, row.try_get("page")?);
            if sites.last().is_none_or(|(last, _)| *last != site) {
                sites.push((site, Vec::new()));
            }
            if let Some((_, pages)) = sites.last_mut() {
                pages.extend(page);
            }
        }
        Ok(Parts { spans: Spans::of(filter), sites })
    }
}

impl Parts {
    /// Rows with `site`, `page`, `human`, `ai`, and `bot` of all pages.
    pub(super) fn views(&self) -> String {
        let of = |table: &str, span: Span| {
            format!(
                "SELECT site, page, human, ai, bot FROM {table} WHERE {} AND {}",
                self.of_sites(),
                within(span)
            )
        };
        let months = self.spans.months.iter().map(|span| of("analytics_month_views", *span));
        let steps = [(DAY, &self.spans.days), (HOUR, &self.spans.hours)];
        let steps = steps.into_iter().flat_map(|(step, spans)| {
            let of_step = move |span: &Span| {
                format!("{} AND step = {}", of("analytics_views", *span), hours(step))
            };
            spans.iter().map(of_step)
        });
        let none = "SELECT 0 AS site, 0 AS page, 0 AS human, 0 AS ai, 0 AS bot WHERE 1 = 0";
        union(months.chain(steps).collect(), none)
    }

    /// Rows with `site`, `dimension`, `page`, `value`, `views`, and `last_at`, in hours, of some dimensions.
    pub(super) fn values(&self, dimensions: &[Dimension], of: Of<'_>) -> String {
        let columns = "site, dimension, page, value, views, start + last_hour AS last_at";
        let names = list(dimensions.iter().map(|dimension| dimension.number()));
        let mut parts = Vec::new();
        let in_months = self.spans.months.iter();
        let in_months = in_months.map(|span| ("analytics_month_values", *span, months(*span)));
        let in_days = self.spans.days.iter();
        let in_days = in_days.map(|span| ("analytics_values", *span, days(*span)));
        for (table, span, starts) in in_months.chain(in_days) {
            let at = format!("start IN ({})", list(starts.into_iter().map(hours)));
            let which = match of {
                Of::Pages => {
                    vec![format!("{} AND {} AND page > 0", self.of_sites(), within(span))]
                }
                Of::Sites => vec![format!("{} AND {at} AND page = 0", self.of_sites())],
                Of::Some(pages) => {
                    let pages = list(pages.iter().copied());
                    vec![format!("{} AND {at} AND page IN ({pages})", self.of_sites())]
                }
                Of::Path => self.at_path().map(|site| format!("{site} AND {at}")).collect(),
            };
            parts.extend(which.into_iter().map(|which| {
                format!("SELECT {columns} FROM {table} WHERE dimension IN ({names}) AND {which}")
            }));
        }
        let none = "SELECT 0 AS site, 0 AS dimension, 0 AS page, 0 AS value, 0 AS views, 0 AS last_at WHERE 1 = 0";
        union(parts, none)
    }

    /// The number of sites.
    pub(super) fn sites(&self) -> usize {
        self.sites.len()
    }

    /// The condition that rows are of the sites.
    pub(super) fn of_sites(&self) -> String {
        format!("site IN ({})", list(self.sites.iter().map(|(site, _)| *site)))
    }

    /// The conditions that rows are of the path: one for each site that has it, since numbers of pages are of a site.
    fn at_path(&self) -> impl Iterator<Item = String> {
        let sites = self.sites.iter().filter(|(_, pages)| !pages.is_empty());
        sites.map(|(site, pages)| {
            format!("site = {site} AND page IN ({})", list(pages.iter().copied()))
        })
    }

    /// The sites with the path, each with its folder and its page. The number of a folder is below 0.
    pub(super) fn paths(&self) -> impl Iterator<Item = (i64, i64)> {
        self.sites.iter().flat_map(|(site, pages)| pages.iter().map(move |page| (*site, *page)))
    }
}

/// Numbers as a list of SQL. An empty one contains nothing.
pub(super) fn list(numbers: impl Iterator<Item = i64>) -> String {
    let numbers: Vec<_> = numbers.map(|number| number.to_string()).collect();
    if numbers.is_empty() { "NULL".to_owned() } else { numbers.join(", ") }
}

fn union(parts: Vec<String>, none: &str) -> String {
    if parts.is_empty() { none.to_owned() } else { parts.join(" UNION ALL ") }
}

/// The condition that a row starts in a span.
fn within((from, to): Span) -> String {
    format!("start >= {} AND start < {}", hours(from), hours(to))
}

fn days((from, to): Span) -> Vec<Timestamp> {
    std::iter::successors(Some(from), |day| Some(day + DAY)).take_while(|day| *day < to).collect()
}

fn months((from, to): Span) -> Vec<Timestamp> {
    let after = |month: &Timestamp| Some(next_month(*month));
    std::iter::successors(Some(from), after).take_while(|month| *month < to).collect()
}

/// The condition that a text is at or below the path, which is the parameter with a number.
pub(super) fn at_path(text: &str, number: usize) -> String {
    format!(
        "(${number} = '' OR {text} = ${number} OR SUBSTR({text}, 1, LENGTH(${number}) + 1) = ${number} || '/')"
    )
}

#[cfg(test)]
mod tests {
    use docwright_types::timestamp::parse_iso;

    use super::*;
    use crate::database::AnalyticsRange;

    fn time(text: &str) -> Timestamp {
        parse_iso(&format!("{text}:00:00Z")).unwrap()
    }

    fn span(from: &str, to: &str) -> Span {
        (time(from), time(to))
    }

    fn spans(from: &str, to: &str) -> Spans {
        let range = AnalyticsRange::new((time(from), time(to)), time("2026-11-26T12"));
        Spans::of(AnalyticsFilter::new("project", range))
    }

    #[test]
    fn year_is_months_and_days() {
        let year = spans("2025-12-01T00", "2026-11-27T00");
        assert_eq!(year.months, [span("2025-12-01T00", "2026-12-01T00")]);
        assert_eq!((year.days, year.hours), (vec![], vec![]));
        let unaligned = spans("2025-11-20T00", "2026-11-19T00");
        assert_eq!(unaligned.months, [span("2025-12-01T00", "2026-11-01T00")]);
        let days = [span("2025-11-20T00", "2025-12-01T00"), span("2026-11-01T00", "2026-11-19T00")];
        assert_eq!(unaligned.days, days);
    }

    #[test]
    fn recent_range_has_hours_at_its_ends() {
        let week = spans("2026-11-19T15", "2026-11-26T13");
        assert_eq!(week.months, []);
        assert_eq!(week.days, [span("2026-11-20T00", "2026-11-26T00")]);
        let hours =
            [span("2026-11-19T15", "2026-11-20T00"), span("2026-11-26T00", "2026-11-26T13")];
        assert_eq!(week.hours, hours);
        let day = spans("2026-11-25T14", "2026-11-26T13");
        assert_eq!((day.days, day.hours), (vec![], vec![span("2026-11-25T14", "2026-11-26T13")]));
        let month = spans("2026-10-30T03", "2026-11-26T13");
        assert_eq!(month.days, [span("2026-10-31T00", "2026-11-26T00")]);
    }

    #[test]
    fn steps_of_a_span_are_listed() {
        assert_eq!(days(span("2026-11-19T00", "2026-11-21T00")).len(), 2);
        let starts = months(span("2025-12-01T00", "2026-02-01T00"));
        assert_eq!(starts, [time("2025-12-01T00"), time("2026-01-01T00")]);
        assert_eq!(list([].into_iter()), "NULL");
    }
}
