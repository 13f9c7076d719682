//! Sources with wildcards: their matches, and the resulting destinations.
//!
//! `:name` matches one segment, `:name*` and `*` any number of them, and `text*` everything with that prefix; at
//! the end of a source also everything below. Of several parts that match any number, only the last does; the
//! others match one. The matches are inserted into the destination.

use super::without_suffix;

/// A segment of a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// This text.
    Text(String),
    /// `:name`: any segment.
    Segment,
    /// `:name*` or `*`: any number of segments, or none.
    Rest,
    /// `text*`: a segment with that prefix.
    Beginning(String),
}

/// A piece of a destination.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// This text.
    Text(String),
    /// The match of the part with this number, counting only wildcards.
    Matched(usize),
}

/// A source with its destination.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    /// The parts of the source.
    pub parts: Vec<Part>,
    /// The pieces of the destination.
    pub destination: Vec<Piece>,
}

impl Pattern {
    /// Parses a source and its destination, as written in `docs.json`.
    pub fn new(source: &str, destination: &str) -> Self {
        let segments = without_suffix(source).trim_matches('/').split('/');
        let (mut parts, mut names) = (Vec::new(), Vec::new());
        for segment in segments {
            let part = match part(segment) {
                Part::Rest if parts.contains(&Part::Rest) => Part::Segment,
                part => part,
            };
            if !matches!(part, Part::Text(_)) {
                names.push(if segment.starts_with(':') {
                    segment.trim_end_matches('*')
                } else {
                    "*"
                });
            }
            parts.push(part);
        }
        Self { parts, destination: pieces(destination, &names) }
    }

    /// The text of the source's first segment, if it has no wildcard there.
    pub fn first_text(&self) -> Option<&str> {
        match self.parts.first() {
            Some(Part::Text(text)) => Some(text),
            _ => None,
        }
    }

    /// The target of a path; `None` if the source doesn't match it.
    pub fn apply(&self, path: &str) -> Option<String> {
        Some(self.fill(&self.matched(path)?))
    }

    /// The destination with the texts that the source matched.
    pub fn fill(&self, matched: &[String]) -> String {
        let text = |piece: &Piece| match piece {
            Piece::Text(text) => text.clone(),
            Piece::Matched(number) => matched.get(*number).cloned().unwrap_or_default(),
        };
        self.destination.iter().map(text).collect()
    }

    /// The match of each wildcard, without leading slashes. `None` if the source doesn't match the path.
    pub fn matched(&self, path: &str) -> Option<Vec<String>> {
        let segments: Vec<_> = path.trim_matches('/').split('/').collect();
        let mut path = segments.as_slice();
        let mut matched = Vec::new();
        for (number, part) in self.parts.iter().enumerate() {
            let parts_behind = self.parts.len() - number - 1;
            let taken = match part {
                Part::Rest => path.len().checked_sub(parts_behind)?,
                Part::Beginning(_) if parts_behind == 0 => path.len(),
                _ => 1,
            };
            let (here, behind) = path.split_at_checked(taken)?;
            let text = here.join("/");
            match part {
                Part::Text(expected) => (text == *expected).then_some(())?,
                Part::Segment => matched.push(Some(text).filter(|text| !text.is_empty())?),
                Part::Rest => matched.push(text.trim_start_matches('/').to_owned()),
                Part::Beginning(beginning) => {
                    let rest = text.strip_prefix(beginning.as_str())?;
                    matched.push(rest.trim_start_matches('/').to_owned());
                }
            }
            path = behind;
        }
        path.is_empty().then_some(matched)
    }
}

fn part(segment: &str) -> Part {
    if segment == "*" || (segment.starts_with(':') && segment.ends_with('*')) {
        Part::Rest
    } else if segment.starts_with(':') && segment.len() > 1 {
        Part::Segment
    } else if let Some(beginning) = segment.strip_suffix('*') {
        Part::Beginning(beginning.to_owned())
    } else {
        Part::Text(segment.to_owned())
    }
}

/// Splits a destination at references to these names. The first `*` is the first of the source, and so on.
fn pieces(destination: &str, names: &[&str]) -> Vec<Piece> {
    let mut stars = (0..names.len()).filter(|&number| names[number] == "*");
    let mut pieces = Vec::new();
    let mut text = String::new();
    let mut left = destination;
    while let Some(letter) = left.chars().next() {
        let (matched, length) = match letter {
            ':' => named(left, names).map_or((None, 1), |(number, length)| (Some(number), length)),
            '*' => (stars.next(), 1),
            _ => (None, letter.len_utf8()),
        };
        if let Some(number) = matched {
            pieces.push(Piece::Text(std::mem::take(&mut text)));
            pieces.push(Piece::Matched(number));
        } else {
            text.push_str(&left[..length]);
        }
        left = &left[length..];
    }
    pieces.push(Piece::Text(text));
    pieces.retain(|piece| !matches!(piece, Piece::Text(text) if text.is_empty()));
    pieces
}

/// The longest name that is a prefix of a text (`:ab` is not `:a`), and its length with a following star.
fn named(text: &str, names: &[&str]) -> Option<(usize, usize)> {
    let numbers = 0..names.len();
    let fitting = numbers.filter(|&number| names[number].len() > 1);
    let number = fitting
        .filter(|&number| text.starts_with(names[number]))
        .max_by_key(|&number| names[number].len())?;
    let length = names[number].len();
    Some((number, length + usize::from(text[length..].starts_with('*'))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn captures_are_inserted_into_destination() {
        for (source, destination, path, expected) in [
            ("/a/:id", "/b/:id", "/a/7", Some("/b/7")),
            ("/a/:id", "/b/:id", "/a/7/", Some("/b/7")),
            ("/a/:id", "/b/:id", "/c/7", None),
            ("/a/:id", "/b/:id", "/a", None),
            ("/a/:id", "/b/:id", "/a/7/8", None),
            ("/a/:id/c", "/b/:id", "/a//c", None),
            ("/a/:rest*", "/b/:rest*", "/a/x/y", Some("/b/x/y")),
            ("/a/:rest*", "/b/:rest", "/a/x/y", Some("/b/x/y")),
            ("/a/:rest*", "/b/:rest*", "/a", Some("/b/")),
            ("/a/*", "/b/*", "/a/x/y/", Some("/b/x/y")),
            ("/a/*", "/b", "/a/x", Some("/b")),
            ("/a/*", "/*", "/a//evil.example", Some("/evil.example")),
            ("/a/x-*", "/b/*", "/a/x-1", Some("/b/1")),
            ("/a/x-*", "/b/*", "/a/x-1/2", Some("/b/1/2")),
            ("/a/x-*", "/*", "/a/x-/evil.example", Some("/evil.example")),
            ("/x-*/b", "/*", "/x-1/b", Some("/1")),
            ("/x-*/b", "/*", "/x-1/2/b", None),
            ("/*/end", "/m/*", "/a/b/end", Some("/m/a/b")),
            ("/*/end", "/m/*", "/end/end", Some("/m/end")),
            ("/*/end", "/m/*", "/end", Some("/m/")),
            ("/:a/:ab", "/:ab/:a/:b", "/1/2", Some("/2/1/:b")),
            ("/:a/:b", "/:b/:a", "/:b/2", Some("/2/:b")),
            ("/*/x-*", "/*/*", "/1/x-2", Some("/1/2")),
            ("/two/*/and/*", "/*/*", "/two/1/2/and/3", Some("/1/2/3")),
            ("/two/*/and/*", "/*/*", "/two/1/and", None),
            ("/a/*?b#c", "/d/*", "/a/1", Some("/d/1")),
            ("/:a", "https://example.com:80/:a", "/1", Some("https://example.com:80/1")),
            ("/ä/*", "/ö/*", "/ä/ü", Some("/ö/ü")),
        ] {
            let found = Pattern::new(source, destination).apply(path);
            assert_eq!(found.as_deref(), expected, "{source} {path}");
        }
    }
}
