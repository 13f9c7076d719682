//! Relative times, with the exact time available.

use docwright_types::timestamp::{DAY, HOUR, MINUTE, SECOND, Timestamp, iso, parse_iso};
use maud::{Markup, html};

/// A time in the past or the future.
pub(crate) fn ago(now: Timestamp, at: Timestamp) -> Markup {
    let exact = iso(at);
    html! { time datetime=(exact) title=(exact) { (words(now - at)) } }
}

/// A time in the format of the API; empty if there is none.
pub(crate) fn at(now: Timestamp, text: Option<&str>) -> Markup {
    let at = text.and_then(parse_iso);
    html! { @if let Some(at) = at { (ago(now, at)) } @else { span.soft { "–" } } }
}

/// A duration between two times of the API.
pub(crate) fn span(from: &str, to: &str) -> Option<String> {
    let length = parse_iso(to)? - parse_iso(from)?;
    Some(match length {
        length if length < 10 * SECOND => {
            let tenths = length.max(0) / 100;
            format!("{}.{}s", tenths / 10, tenths % 10)
        }
        length if length < MINUTE => format!("{}s", length / SECOND),
        length => format!("{}m {}s", length / MINUTE, length % MINUTE / SECOND),
    })
}

fn words(age: i64) -> String {
    let distance = age.abs();
    let (count, unit) = match distance {
        // Clocks of nodes differ a little.
        d if d < MINUTE && age < -2 * SECOND => return "in less than a minute".to_owned(),
        d if d < MINUTE => return "just now".to_owned(),
        d if d < HOUR => (d / MINUTE, "minute"),
        d if d < DAY => (d / HOUR, "hour"),
        d if d < 60 * DAY => (d / DAY, "day"),
        d if d < 730 * DAY => (d / (30 * DAY), "month"),
        d => (d / (365 * DAY), "year"),
    };
    let plural = if count == 1 { "" } else { "s" };
    if age < 0 {
        format!("in {count} {unit}{plural}")
    } else {
        format!("{count} {unit}{plural} ago")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_rounded_by_length() {
        let from = "2026-11-22T09:00:00.000Z";
        for (to, said) in [
            ("2026-11-22T09:00:01.250Z", "1.2s"),
            ("2026-11-22T09:00:42.900Z", "42s"),
            ("2026-11-22T09:03:04.000Z", "3m 4s"),
            ("2026-11-22T08:59:59.000Z", "0.0s"),
        ] {
            assert_eq!(span(from, to).as_deref(), Some(said));
        }
        assert_eq!(span(from, "soon"), None);
    }

    #[test]
    fn ages_are_written_in_largest_unit() {
        for (age, said) in [
            (5_000, "just now"),
            (MINUTE, "1 minute ago"),
            (59 * MINUTE, "59 minutes ago"),
            (HOUR, "1 hour ago"),
            (49 * HOUR, "2 days ago"),
            (70 * DAY, "2 months ago"),
            (800 * DAY, "2 years ago"),
            (-1_000, "just now"),
            (-30_000, "in less than a minute"),
            (-3 * DAY, "in 3 days"),
        ] {
            assert_eq!(words(age), said);
        }
    }
}
