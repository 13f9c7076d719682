//! One line of Markdown, as banners and descriptions have it: code, bold, links.

use maud::{Markup, html};

use super::PageView;

/// A piece of a line.
#[derive(Debug, PartialEq, Eq)]
enum Piece<'a> {
    Text(&'a str),
    Code(&'a str),
    Bold(Vec<Piece<'a>>),
    Link { label: Vec<Piece<'a>>, href: &'a str },
}

/// The line as HTML. A link that leads nowhere is its text.
pub(super) fn markup(line: &str, view: &PageView<'_>) -> Markup {
    show(&pieces(line), view)
}

/// The line without its marks.
pub(super) fn plain(line: &str) -> String {
    let mut text = String::with_capacity(line.len());
    push_text(&pieces(line), &mut text);
    text
}

fn show(pieces: &[Piece<'_>], view: &PageView<'_>) -> Markup {
    html! {
        @for piece in pieces {
            @match piece {
                Piece::Text(text) => (text),
                Piece::Code(code) => code { (code) },
                Piece::Bold(inner) => strong { (show(inner, view)) },
                Piece::Link { label, href } => {
                    @if let Some(href) = address(href, view) { a href=(href) { (show(label, view)) } }
                    @else { (show(label, view)) }
                }
            }
        }
    }
}

/// Only what leads to a page for certain: what is relative depends on where the line is shown.
fn address(href: &str, view: &PageView<'_>) -> Option<String> {
    let elsewhere =
        ["https://", "http://", "mailto:", "#"].iter().any(|start| href.starts_with(start));
    if elsewhere || href.starts_with('/') { view.href(href) } else { None }
}

fn push_text(pieces: &[Piece<'_>], text: &mut String) {
    for piece in pieces {
        match piece {
            Piece::Text(part) | Piece::Code(part) => text.push_str(part),
            Piece::Bold(inner) | Piece::Link { label: inner, .. } => push_text(inner, text),
        }
    }
}

fn pieces(line: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let (mut rest, mut at) = (line, 0);
    while let Some(found) = rest[at..].find(['`', '*', '[']) {
        let mark = at + found;
        let Some((piece, end)) = piece(&rest[mark..]) else {
            at = mark + 1;
            continue;
        };
        if mark > 0 {
            pieces.push(Piece::Text(&rest[..mark]));
        }
        pieces.push(piece);
        rest = &rest[mark + end..];
        at = 0;
    }
    if !rest.is_empty() {
        pieces.push(Piece::Text(rest));
    }
    pieces
}

/// The piece that begins with the mark at the start of a text, and its length.
fn piece(text: &str) -> Option<(Piece<'_>, usize)> {
    if let Some(code) = text.strip_prefix('`') {
        let end = code.find('`').filter(|end| *end > 0)?;
        return Some((Piece::Code(&code[..end]), end + 2));
    }
    if let Some(bold) = text.strip_prefix("**") {
        let end = bold.find("**").filter(|end| *end > 0)?;
        return Some((Piece::Bold(pieces(&bold[..end])), end + 4));
    }
    let (label, after) = text.strip_prefix('[')?.split_once("](")?;
    if label.contains(['[', ']']) {
        return None;
    }
    let (href, _) = after.split_once(')')?;
    Some((Piece::Link { label: pieces(label), href }, label.len() + href.len() + 4))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_have_the_meaning_of_markdown() {
        use Piece::{Bold, Code, Link, Text};
        let link = |label, href| Link { label: vec![Text(label)], href };
        for (line, expected) in [
            ("plain", vec![Text("plain")]),
            ("", vec![]),
            ("The `Player.Root` part", vec![Text("The "), Code("Player.Root"), Text(" part")]),
            ("**Now**: 5 * 3", vec![Bold(vec![Text("Now")]), Text(": 5 * 3")]),
            ("a [b](/c).", vec![Text("a "), link("b", "/c"), Text(".")]),
            ("x[0] [b](/c)", vec![Text("x[0] "), link("b", "/c")]),
            ("**a `b`", vec![Text("**a "), Code("b")]),
            ("a ` b [c](d", vec![Text("a ` b [c](d")]),
            ("ü`é`*", vec![Text("ü"), Code("é"), Text("*")]),
            ("****", vec![Text("****")]),
        ] {
            assert_eq!(pieces(line), expected, "{line}");
        }
        assert_eq!(plain("See **the [`x`](/y)** of [it](z)"), "See the x of it");
    }

    #[test]
    fn many_open_marks_are_read_in_time() {
        for mark in ["[", "**", "`", "[]("] {
            assert!(!plain(&mark.repeat(20_000)).is_empty());
        }
    }
}
