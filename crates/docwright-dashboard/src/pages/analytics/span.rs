//! The ranges that a user can choose, and their steps. All days and months are of UTC.

use docwright_operations::analytics::AnalyticsQuery;
use docwright_types::timestamp::{DAY, HOUR, Timestamp};
use time::{Date, Duration, Month, OffsetDateTime};

use crate::words;

/// A range up to now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Span {
    Day,
    Week,
    Month,
    Year,
}

impl Span {
    pub(super) const ALL: [Self; 4] = [Self::Day, Self::Week, Self::Month, Self::Year];

    pub(super) fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|span| span.name() == name)
    }

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Day => "day",
            Self::Week => "week",
            Self::Month => "month",
            Self::Year => "year",
        }
    }

    pub(super) const fn title(self) -> &'static str {
        match self {
            Self::Day => words::LAST_DAY,
            Self::Week => words::LAST_WEEK,
            Self::Month => words::LAST_MONTH,
            Self::Year => words::LAST_YEAR,
        }
    }

    /// The starts of its steps, the earliest first: hours, days, or months.
    pub(super) fn starts(self, now: Timestamp) -> Vec<Timestamp> {
        let back = |step: Timestamp, count: i64| {
            let last = now - now.rem_euclid(step);
            (0..count).rev().map(|steps| last - steps * step).collect()
        };
        match self {
            Self::Day => back(HOUR, 24),
            Self::Week => back(DAY, 7),
            Self::Month => back(DAY, 30),
            Self::Year => months(now),
        }
    }

    /// The range, and the one of the same length before it.
    pub(super) fn queries(self, now: Timestamp) -> [AnalyticsQuery; 2] {
        let step = if self == Self::Day { HOUR } else { DAY };
        let end = now - now.rem_euclid(step) + step;
        let start = self.starts(now).first().copied().unwrap_or(end - step);
        [AnalyticsQuery::between(start, end), AnalyticsQuery::between(start - (end - start), start)]
    }

    /// The name of a step.
    pub(super) fn label(self, start: Timestamp) -> String {
        let time = time_of(start);
        let month = &time.month().to_string()[..3];
        match self {
            Self::Day => format!("{month} {}, {:02}:00", time.day(), time.hour()),
            Self::Week | Self::Month => format!("{month} {}, {}", time.day(), time.year()),
            Self::Year => format!("{month} {}", time.year()),
        }
    }
}

/// The first days of the last twelve months.
fn months(now: Timestamp) -> Vec<Timestamp> {
    let today = time_of(now).date();
    let first = |year: i32, month: Month| {
        let date = Date::from_calendar_date(year, month, 1).unwrap_or(today);
        date.midnight().assume_utc().unix_timestamp() * 1000
    };
    let (mut year, mut month) = (today.year(), today.month());
    let mut starts = Vec::with_capacity(12);
    for _ in 0..12 {
        starts.push(first(year, month));
        if month == Month::January {
            year -= 1;
        }
        month = month.previous();
    }
    starts.reverse();
    starts
}

fn time_of(time: Timestamp) -> OffsetDateTime {
    OffsetDateTime::UNIX_EPOCH + Duration::milliseconds(time)
}

#[cfg(test)]
mod tests {
    use docwright_types::timestamp::{iso, parse_iso};

    use super::*;

    #[test]
    fn ranges_have_steps_up_to_now() {
        let now = parse_iso("2026-02-10T09:30:00Z").unwrap();
        for (span, count, first, label) in [
            (Span::Day, 24, "2026-02-09T10:00:00Z", "Feb 9, 10:00"),
            (Span::Week, 7, "2026-02-04T00:00:00Z", "Feb 4, 2026"),
            (Span::Month, 30, "2026-01-12T00:00:00Z", "Jan 12, 2026"),
            (Span::Year, 12, "2025-03-01T00:00:00Z", "Mar 2025"),
        ] {
            let starts = span.starts(now);
            assert_eq!((starts.len(), iso(starts[0])), (count, first.to_owned()));
            assert_eq!(span.label(starts[0]), label);
            let [range, before] = span.queries(now);
            let ends = |query: AnalyticsQuery| [query.from, query.to].map(|time| time.unwrap().0);
            let ([from, to], [earlier, until]) = (ends(range), ends(before));
            assert_eq!((from, until, to - from), (starts[0], from, until - earlier));
            assert!(to > now && to <= now + DAY);
        }
    }
}
