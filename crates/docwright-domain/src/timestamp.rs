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

#[cfg(test)]
mod tests {
    use super::{DAY, HOUR, MINUTE, iso};

    #[test]
    fn timestamps_are_written_in_utc_with_milliseconds() {
        assert_eq!(iso(1), "1970-01-01T00:00:00.001Z");
        assert_eq!(iso(1_763_776_496_789), "2025-11-22T01:54:56.789Z");
    }

    #[test]
    fn units_are_in_milliseconds() {
        assert_eq!(iso(DAY + 2 * HOUR + 3 * MINUTE), "1970-01-02T02:03:00Z");
    }
}
