//! Compares two versions of a page, and marks the words of each that differ.

use std::{
    fmt::Write,
    time::{Duration, Instant},
};

use similar::{Algorithm, DiffTag, capture_diff_slices_deadline};

use super::html::{Token, inside, is_void, name, tokens};

/// Longer HTML is not compared. Bytes.
const LONGEST: usize = 2 * 1024 * 1024;
/// After this time the rest is compared less exactly.
const TIME: Duration = Duration::from_secs(1);

/// A page before and after, as HTML.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Compared {
    /// Both versions, if they exist; words of only one of them are marked.
    Sides { before: Option<String>, after: Option<String> },
    /// The page is too long.
    TooLong,
}

/// Compares the contents of two pages, of which one might not exist.
pub(super) fn compare(before: Option<&str>, after: Option<&str>) -> Compared {
    compare_until(before, after, Instant::now() + TIME)
}

/// The same, with a deadline after which larger parts are compared as a whole.
fn compare_until(before: Option<&str>, after: Option<&str>, deadline: Instant) -> Compared {
    if [before, after].into_iter().flatten().any(|page| page.len() > LONGEST) {
        return Compared::TooLong;
    }
    let content = |page| inside(page, "article", "dw-content").unwrap_or_default();
    let (before, after) = (before.map(content), after.map(content));
    let (old, new) = (tokens(before.unwrap_or_default()), tokens(after.unwrap_or_default()));
    let mut sides = [Side::new("del"), Side::new("ins")];
    if before.is_some() && after.is_some() {
        let keys = [&old, &new].map(|tokens| tokens.iter().map(key).collect::<Vec<_>>());
        let all =
            capture_diff_slices_deadline(Algorithm::Myers, &keys[0], &keys[1], Some(deadline));
        for each in all {
            let is_equal = each.tag() == DiffTag::Equal;
            sides[0].add(&old[each.old_range()], !is_equal);
            sides[1].add(&new[each.new_range()], !is_equal);
        }
    } else {
        // A page that exists on one side only is new or removed as a whole.
        sides[0].add(&old, false);
        sides[1].add(&new, false);
    }
    let [old, new] = sides.map(Side::end);
    Compared::Sides { before: before.map(|_| old), after: after.map(|_| new) }
}

/// The comparable part of a token: attributes of tags don't matter, except those of images.
fn key<'a>(token: &Token<'a>) -> Token<'a> {
    match token {
        Token::Tag(tag) if name(tag) != "img" => {
            let end = tag.find(name(tag)).unwrap_or(0) + name(tag).len();
            Token::Tag(&tag[..end.min(tag.len())])
        }
        other => *other,
    }
}

/// One of the two versions while it is written.
struct Side {
    html: String,
    /// The element that marks words.
    mark: &'static str,
    is_marking: bool,
}

impl Side {
    const fn new(mark: &'static str) -> Self {
        Self { html: String::new(), mark, is_marking: false }
    }

    fn add(&mut self, tokens: &[Token<'_>], marks: bool) {
        for (number, token) in tokens.iter().enumerate() {
            match token {
                Token::Tag(tag) => {
                    let is_image = marks && name(tag) == "img" && is_void(tag);
                    self.set_marking(is_image);
                    self.html.push_str(tag);
                    self.set_marking(false);
                }
                Token::Word(word) => {
                    // Space is marked only between words.
                    let is_space = word.trim().is_empty();
                    let goes_on = self.is_marking && is_word(tokens.get(number + 1));
                    self.set_marking(marks && (!is_space || goes_on));
                    self.html.push_str(word);
                }
            }
        }
        self.set_marking(false);
    }

    fn set_marking(&mut self, marks: bool) {
        if marks != self.is_marking {
            let slash = if marks { "" } else { "/" };
            // Writing to a string never fails.
            let _written = write!(self.html, "<{slash}{}>", self.mark);
            self.is_marking = marks;
        }
    }

    fn end(mut self) -> String {
        self.set_marking(false);
        self.html
    }
}

fn is_word(token: Option<&Token<'_>>) -> bool {
    matches!(token, Some(Token::Word(word)) if !word.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(body: &str) -> String {
        format!("<body><article class=\"dw-content\">{body}</article>foot</body>")
    }

    fn compared(before: &str, after: &str) -> (String, String) {
        match compare(Some(&page(before)), Some(&page(after))) {
            Compared::Sides { before: Some(before), after: Some(after) } => (before, after),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn words_on_one_side_only_are_marked() {
        let (before, after) =
            compared("<p>Install it with npm now.</p>", "<p>Install it with cargo add now.</p>");
        assert_eq!(before, "<p>Install it with <del>npm</del> now.</p>");
        assert_eq!(after, "<p>Install it with <ins>cargo add</ins> now.</p>");
        let (before, after) = compared("<p>One</p>", "<p>One</p><ul><li>Two three</li></ul>");
        assert_eq!(before, "<p>One</p>");
        assert_eq!(after, "<p>One</p><ul><li><ins>Two three</ins></li></ul>");
    }

    #[test]
    fn marks_never_cross_a_tag() {
        let (_, after) = compared("<p>a</p>", "<p>x <b>y</b> z</p>");
        assert_eq!(after, "<p><ins>x</ins> <b><ins>y</ins></b> <ins>z</ins></p>");
        let (before, after) = compared("<img src=\"a.png\">", "<img src=\"b.png\">");
        assert_eq!(before, "<del><img src=\"a.png\"></del>");
        assert_eq!(after, "<ins><img src=\"b.png\"></ins>");
        // Readers don't see attributes.
        let (before, after) = compared("<p id=\"a\">x</p>", "<p id=\"b\">x</p>");
        assert_eq!((before.as_str(), after.as_str()), ("<p id=\"a\">x</p>", "<p id=\"b\">x</p>"));
    }

    #[test]
    fn long_page_is_refused_and_hard_comparison_ends() {
        let long = page(&"x ".repeat(LONGEST));
        assert_eq!(compare(Some(&long), Some(&page("a"))), Compared::TooLong);
        let words = |seed: u32| {
            let word = |number: u32| (number.wrapping_mul(2_654_435_761) ^ seed).to_string();
            (0..100_000).map(word).collect::<Vec<_>>().join(" ")
        };
        // Without a limit this takes minutes.
        let (before, _) = compared(&words(1), &words(0xabcd));
        assert!(before.contains("<del>"));
    }

    #[test]
    fn comparison_is_coarse_after_its_time_limit() {
        let (before, after) = (page("<p>a b c d e</p>"), page("<p>a x c y e</p>"));
        let marked = |deadline| match compare_until(Some(&before), Some(&after), deadline) {
            Compared::Sides { after: Some(after), .. } => after,
            other => panic!("{other:?}"),
        };
        let now = Instant::now();
        assert_eq!(marked(now + TIME), "<p>a <ins>x</ins> c <ins>y</ins> e</p>");
        assert_eq!(marked(now), "<p>a <ins>x c y</ins> e</p>");
    }

    #[test]
    fn page_can_be_on_one_side_only() {
        let new = page("<p>New</p>");
        let expected = Compared::Sides { before: None, after: Some("<p>New</p>".to_owned()) };
        assert_eq!(compare(None, Some(&new)), expected);
    }
}
