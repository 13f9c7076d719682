//! Points in time, as docwright stores and writes them.

use time::{OffsetDateTime, Time, format_description::well_known::Rfc3339};

/// Milliseconds since the start of 1970, UTC.
pub type Timestamp = i64;

/// One second.
pub const SECOND: Timestamp = 1000;
/// One minute.
pub const MINUTE: Timestamp = 60 * SECOND;
/// One hour.
pub const HOUR: Timestamp = 60 * MINUTE;
/// One day.
pub const DAY: Timestamp = 24 * HOUR;

/// ISO 8601 in UTC, with milliseconds.
pub fn iso(timestamp: Timestamp) -> String {
    OffsetDateTime::from_unix_timestamp_nanos(i128::from(timestamp) * 1_000_000)
        .ok()
        .and_then(|time| time.format(&Rfc3339).ok())
        .unwrap_or_default()
}

/// Parses a time in ISO 8601 with its zone, such as `2026-11-22T09:00:00Z`.
pub fn parse_iso(text: &str) -> Option<Timestamp> {
    let time = OffsetDateTime::parse(text, &Rfc3339).ok()?;
    Timestamp::try_from(time.unix_timestamp_nanos() / 1_000_000).ok()
}

/// Start of the month (UTC) of a time.
pub fn month_of(time: Timestamp) -> Timestamp {
    let start = OffsetDateTime::from_unix_timestamp(time.div_euclid(SECOND)).ok();
    let start = start.and_then(|time| time.replace_time(Time::MIDNIGHT).replace_day(1).ok());
    start.map_or(time, |start| start.unix_timestamp() * SECOND)
}

/// Start of the month after that of a time.
pub fn next_month(time: Timestamp) -> Timestamp {
    // No month has more than 31 days, and none fewer than 28.
    month_of(month_of(time).saturating_add(31 * DAY))
}

#[cfg(test)]
mod tests {
    use super::{DAY, HOUR, MINUTE, iso, month_of, next_month, parse_iso};

    #[test]
    fn months_start_at_their_first_day() {
        let time = |text: &str| parse_iso(text).unwrap();
        for (at, month, next) in [
            ("2026-01-31T23:59:59.999Z", "2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z"),
            ("2028-02-29T12:00:00Z", "2028-02-01T00:00:00Z", "2028-03-01T00:00:00Z"),
            ("2026-12-01T00:00:00Z", "2026-12-01T00:00:00Z", "2027-01-01T00:00:00Z"),
            ("1969-12-31T23:00:00Z", "1969-12-01T00:00:00Z", "1970-01-01T00:00:00Z"),
        ] {
            assert_eq!((month_of(time(at)), next_month(time(at))), (time(month), time(next)));
        }
        assert_eq!(month_of(i64::MIN), i64::MIN, "a time without a date");
    }

    #[test]
    fn timestamps_are_written_in_utc_with_milliseconds() {
        assert_eq!(iso(1), "1970-01-01T00:00:00.001Z");
        assert_eq!(iso(1_763_776_496_789), "2025-11-22T01:54:56.789Z");
    }

    #[test]
    fn written_time_is_read_back() {
        for time in [0, 1, 1_763_776_496_789] {
            assert_eq!(parse_iso(&iso(time)), Some(time));
        }
        assert_eq!(parse_iso("1970-01-01T01:00:00+01:00"), Some(0));
        assert_eq!(parse_iso("1970-01-01"), None);
    }

    #[test]
    fn units_are_in_milliseconds() {
        assert_eq!(iso(DAY + 2 * HOUR + 3 * MINUTE), "1970-01-02T02:03:00Z");
    }
}
