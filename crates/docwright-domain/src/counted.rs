//! Numbers of things, in words.

use std::fmt::Display;

/// So many of something, such as `1 page` and `2 pages`. `what` is a word whose plural ends with an s.
pub fn counted<N: Display + PartialEq + From<u8>>(count: N, what: &str) -> String {
    let plural = if count == N::from(1) { "" } else { "s" };
    format!("{count} {what}{plural}")
}

/// A size in the largest unit that fits.
pub fn bytes(count: i64) -> String {
    const UNITS: [(i64, &str); 3] = [(1_000_000_000, "GB"), (1_000_000, "MB"), (1_000, "kB")];
    let unit = UNITS.into_iter().find(|(size, _)| count >= *size);
    unit.map_or_else(
        || counted(count, "byte"),
        |(size, unit)| format!("{}.{} {unit}", count / size, count % size * 10 / size),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_of_something_is_no_plural() {
        assert_eq!(counted(0_i64, "page"), "0 pages");
        assert_eq!(counted(1_usize, "page"), "1 page");
        assert_eq!(counted(2_i64, "new finding"), "2 new findings");
    }

    #[test]
    fn bytes_are_in_largest_unit_that_fits() {
        assert_eq!((bytes(1), bytes(999)), ("1 byte".into(), "999 bytes".into()));
        assert_eq!((bytes(0), bytes(1_000)), ("0 bytes".into(), "1.0 kB".into()));
        assert_eq!((bytes(3_450_000), bytes(2 << 30)), ("3.4 MB".into(), "2.1 GB".into()));
    }
}
