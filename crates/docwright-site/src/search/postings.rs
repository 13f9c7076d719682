//! The text of postings, as chunks of terms have it. `browser/index.js` reads it.
//!
//! A page is the step from the page before in base 36, then its weight as a capital letter. `!`, `~`, and `/`
//! follow if the term is in the title, in a division, or in the path. Then come the blocks with the term: the
//! step from the block before in base 36, and `.` for text, or `:` for a heading or `*` for a definition with
//! its number of words as one digit.

use super::counting::{IN_PATH, IN_PLACE, IN_TITLE, Posting, Unit, UnitKind};

/// How much of the postings of a site is written. Larger sites leave more out.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Detail {
    /// Whether the blocks of terms in text are written, if the term is on fewer than this share of the pages.
    pub(super) text_below: f64,
    /// Terms of a page that are only in its text or code: this many at most, the most telling ones, and rare ones.
    pub(super) terms: usize,
}

/// From everything to what fits on the largest sites.
pub(super) const DETAILS: &[Detail] = &[
    Detail { text_below: 1.1, terms: usize::MAX },
    Detail { text_below: 0.2, terms: usize::MAX },
    Detail { text_below: 0.05, terms: usize::MAX },
    Detail { text_below: 0.0, terms: usize::MAX },
    Detail { text_below: 0.0, terms: 300 },
    Detail { text_below: 0.0, terms: 200 },
    Detail { text_below: 0.0, terms: 120 },
    Detail { text_below: 0.0, terms: 70 },
    Detail { text_below: 0.0, terms: 40 },
];

/// Appends the postings of a page.
pub(super) fn push(
    text: &mut String,
    step: usize,
    (posting, units): (&Posting, &[Unit]),
    with_text: bool,
) {
    push_base36(text, step);
    text.push(char::from(b'A' + posting.weight));
    for (bit, mark) in [(IN_TITLE, '!'), (IN_PLACE, '~'), (IN_PATH, '/')] {
        if posting.names & bit != 0 {
            text.push(mark);
        }
    }
    let mut last = 0;
    for Unit { block, kind, length } in units {
        if !with_text && *kind == UnitKind::Text {
            continue;
        }
        push_base36(text, usize::from(*block - last));
        last = *block;
        match kind {
            UnitKind::Text => text.push('.'),
            UnitKind::Heading => text.push(':'),
            UnitKind::Definition => text.push('*'),
        }
        if *kind != UnitKind::Text {
            push_base36(text, usize::from(*length));
        }
    }
}

/// Appends a number in base 36.
pub(super) fn push_base36(text: &mut String, number: usize) {
    if number >= 36 {
        push_base36(text, number / 36);
    }
    text.push(char::from(b"0123456789abcdefghijklmnopqrstuvwxyz"[number % 36]));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn postings_are_short() {
        let unit = |block, kind, length| Unit { block, kind, length };
        let posting = Posting { weight: 3, names: IN_TITLE | IN_PATH, ..Posting::default() };
        let units = [
            unit(1, UnitKind::Text, 0),
            unit(4, UnitKind::Heading, 2),
            unit(40, UnitKind::Definition, 1),
        ];
        let mut text = String::new();
        push(&mut text, 37, (&posting, &units), true);
        push(&mut text, 1, (&posting, &units), false);
        assert_eq!(text, "11D!/1.3:210*11D!/4:210*1");
    }
}
