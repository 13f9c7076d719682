//! Counts in words.

use std::fmt::Display;

/// A count with its noun, such as `1 page` and `2 pages`. `what` is a noun whose plural ends with an s.
pub fn counted<N: Display + PartialEq + From<u8>>(count: N, what: &str) -> String {
    let plural = if count == N::from(1) { "" } else { "s" };
    format!("{} {what}{plural}", grouped(count))
}

/// An integer with a comma before every three digits, such as `1,482`.
pub fn grouped(number: impl Display) -> String {
    let number = number.to_string();
    let (sign, digits) =
        number.strip_prefix('-').map_or(("", number.as_str()), |digits| ("−", digits));
    let groups: Vec<_> = digits.as_bytes().rchunks(3).rev().map(String::from_utf8_lossy).collect();
    format!("{sign}{}", groups.join(","))
}

/// Diagnostics by severity, such as `3 new errors, 1 new warning`, where `adjective` is `new` or empty.
/// A severity without any is left out.
pub fn severities(errors: usize, warnings: usize, adjective: &str) -> String {
    let counts = [(errors, "error"), (warnings, "warning")].into_iter();
    let parts: Vec<_> = counts
        .filter(|(count, _)| *count > 0)
        .map(|(count, name)| counted(count, format!("{adjective} {name}").trim()))
        .collect();
    parts.join(", ")
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
    fn one_item_is_singular() {
        assert_eq!(counted(0_i64, "page"), "0 pages");
        assert_eq!(counted(1_usize, "page"), "1 page");
        assert_eq!(counted(2_i64, "new diagnostic"), "2 new diagnostics");
    }

    #[test]
    fn numbers_have_comma_before_every_three_digits() {
        let said: Vec<_> = [0, 999, 1_482, -12_345, 1_000_000].map(grouped).into();
        assert_eq!(said, ["0", "999", "1,482", "−12,345", "1,000,000"]);
        assert_eq!(counted(1_482_usize, "page"), "1,482 pages");
    }

    #[test]
    fn severities_without_diagnostics_are_left_out() {
        assert_eq!(severities(3, 1, ""), "3 errors, 1 warning");
        assert_eq!(severities(0, 1_200, "new"), "1,200 new warnings");
        assert_eq!(severities(1, 0, "new"), "1 new error");
    }

    #[test]
    fn bytes_use_largest_fitting_unit() {
        assert_eq!((bytes(1), bytes(999)), ("1 byte".into(), "999 bytes".into()));
        assert_eq!((bytes(0), bytes(1_000)), ("0 bytes".into(), "1.0 kB".into()));
        assert_eq!((bytes(3_450_000), bytes(2 << 30)), ("3.4 MB".into(), "2.1 GB".into()));
    }
}
