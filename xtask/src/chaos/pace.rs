//! Times in the format of logs, and waiting for other processes.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use time::{OffsetDateTime, format_description::well_known::Rfc3339};

/// Milliseconds since the start of 1970.
pub(super) type Moment = i64;

/// The current time.
pub(super) fn now() -> Moment {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

/// Parses a time in a response or log.
pub(super) fn parse(text: &str) -> Option<Moment> {
    let time = OffsetDateTime::parse(text, &Rfc3339).ok()?;
    i64::try_from(time.unix_timestamp_nanos() / 1_000_000).ok()
}

/// Sleeps.
#[expect(
    clippy::disallowed_methods,
    reason = "a run is spread over time, and other processes do not say when they are ready"
)]
pub(super) fn wait(time: Duration) {
    std::thread::sleep(time);
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn times_of_logs_and_of_answers_are_read() {
        assert_eq!(parse("1970-01-01T00:00:01.234567Z"), Some(1234));
        assert_eq!(parse("1970-01-01T00:00:01.5Z"), Some(1500));
        assert_eq!(parse("yesterday"), None);
    }
}
