//! Points in time, as docwright stores and writes them.

use time::{OffsetDateTime, format_description::well_known::Rfc3339};

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

#[cfg(test)]
mod tests {
    use super::{DAY, HOUR, MINUTE, iso, parse_iso};

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
