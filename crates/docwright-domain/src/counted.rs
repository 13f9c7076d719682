//! Numbers of things, in words.

use std::fmt::Display;

/// So many of something, such as `1 page` and `2 pages`. `what` is a word whose plural ends with an s.
pub fn counted<N: Display + PartialEq + From<u8>>(count: N, what: &str) -> String {
    let plural = if count == N::from(1) { "" } else { "s" };
    format!("{count} {what}{plural}")
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
}
