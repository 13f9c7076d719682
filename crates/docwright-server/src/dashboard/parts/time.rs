//! When something was: how long ago, with the exact time at hand.

use docwright_domain::timestamp::{DAY, HOUR, MINUTE, Timestamp, iso};
use maud::{Markup, html};

/// A time that may lie ahead as well.
pub(in crate::dashboard) fn ago(now: Timestamp, at: Timestamp) -> Markup {
    let exact = iso(at);
    html! { time datetime=(exact) title=(exact) { (words(now - at)) } }
}

fn words(age: i64) -> String {
    let distance = age.abs();
    let (count, unit) = match distance {
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
    fn ages_are_said_in_the_largest_unit() {
        for (age, said) in [
            (5_000, "just now"),
            (MINUTE, "1 minute ago"),
            (59 * MINUTE, "59 minutes ago"),
            (HOUR, "1 hour ago"),
            (49 * HOUR, "2 days ago"),
            (70 * DAY, "2 months ago"),
            (800 * DAY, "2 years ago"),
            (-3 * DAY, "in 3 days"),
        ] {
            assert_eq!(words(age), said);
        }
    }
}
