//! Recognizes diagnostics from before a change: on the same page, or on its new path, with the message that they
//! have there.

use std::collections::{BTreeMap, HashMap};

use docwright_agent::checker::Problem;
use docwright_site::content::{document, slug};

/// Identity of a diagnostic. Lines change when text is added above.
pub(super) fn identity(problem: &Problem) -> String {
    format!("{}\n{}", problem.path, problem.message)
}

/// Diagnostics from before a change.
#[derive(Debug)]
pub(super) struct KnownDiagnostics {
    /// How often each is still expected.
    left: Vec<usize>,
    /// The diagnostics with this identity.
    by_name: HashMap<String, Vec<usize>>,
    /// Whether any page moved.
    moved: bool,
}

impl KnownDiagnostics {
    /// Diagnostics by identity with their counts, and the files that moved since.
    pub(super) fn new(before: &BTreeMap<String, usize>, moves: &BTreeMap<String, String>) -> Self {
        let pages: HashMap<String, String> =
            moves.iter().map(|(from, to)| (slug::of_path(from), slug::of_path(to))).collect();
        let mut known = Self {
            left: before.values().copied().collect(),
            by_name: HashMap::new(),
            moved: !moves.is_empty(),
        };
        for (index, identity) in before.keys().enumerate() {
            let mut name = |name: String| known.by_name.entry(name).or_default().push(index);
            if moves.is_empty() {
                name(identity.clone());
                continue;
            }
            let (path, message) = identity.split_once('\n').unwrap_or((identity, ""));
            let now = moves.get(path).map_or(path, String::as_str);
            name(format!("{now}\n{}", renamed(message, moves, &pages)));
            // A link of a moved page is written differently, and has the same target.
            let meant = renamed(&from_root(path, message), moves, &pages);
            name(format!("{now}\n{meant}"));
        }
        known
    }

    /// Whether a diagnostic existed before. Each is recognized as often as it existed.
    pub(super) fn take(&mut self, problem: &Problem) -> bool {
        let as_written = identity(problem);
        let as_meant = self
            .moved
            .then(|| format!("{}\n{}", problem.path, from_root(&problem.path, &problem.message)));
        for name in std::iter::once(as_written).chain(as_meant) {
            let found = self.by_name.get(&name).into_iter().flatten();
            for index in found {
                if let Some(left) = self.left.get_mut(*index).filter(|left| **left > 0) {
                    *left -= 1;
                    return true;
                }
            }
        }
        false
    }
}

/// A message with the new names of moved files and pages.
fn renamed(
    message: &str,
    moves: &BTreeMap<String, String>,
    pages: &HashMap<String, String>,
) -> String {
    let is_end = |letter: char| letter.is_whitespace() || "`“”\"'(),;".contains(letter);
    let mut text = String::with_capacity(message.len());
    for part in message.split_inclusive(is_end) {
        let word = part.trim_end_matches(is_end);
        let path = word.trim_start_matches('/');
        let (path, rest) = path.split_at(path.find(['#', '?']).unwrap_or(path.len()));
        match moves.get(path).or_else(|| pages.get(path)) {
            Some(to) => {
                text.push_str(&word[..word.len() - path.len() - rest.len()]);
                text.push_str(to);
                text.push_str(&part[word.len() - rest.len()..]);
            }
            None => text.push_str(part),
        }
    }
    text
}

/// A message whose quoted paths are changed from absolute to relative to its file.
fn from_root(file: &str, message: &str) -> String {
    let quoted = message.split('`').enumerate().map(|(number, part)| {
        let (path, rest) = part.split_at(part.find(['#', '?']).unwrap_or(part.len()));
        let is_path = number % 2 == 1 && !path.is_empty() && !path.contains([':', ' ']);
        match document::join(file, path).filter(|_| is_path) {
            Some(path) => format!("/{}{rest}", slug::of_reference(&path)),
            None => part.to_owned(),
        }
    });
    quoted.collect::<Vec<_>>().join("`")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(path: &str, message: &str) -> Problem {
        Problem { path: path.to_owned(), line: 1, message: message.to_owned(), help: None }
    }

    fn known(before: &[(&str, &str)], moves: &[(&str, &str)]) -> KnownDiagnostics {
        let mut counts = BTreeMap::new();
        for (path, message) in before {
            *counts.entry(identity(&problem(path, message))).or_default() += 1;
        }
        let moves = moves.iter().map(|(from, to)| ((*from).to_owned(), (*to).to_owned()));
        KnownDiagnostics::new(&counts, &moves.collect())
    }

    #[test]
    fn known_diagnostics_match_by_count() {
        let mut known = known(&[("a.mdx", "m"), ("a.mdx", "m"), ("b.mdx", "m")], &[]);
        let found: Vec<_> = [("a.mdx", "m"); 3]
            .iter()
            .map(|(path, message)| known.take(&problem(path, message)))
            .collect();
        assert_eq!(found, [true, true, false]);
        assert!(!known.take(&problem("c.mdx", "m")));
        assert!(known.take(&problem("b.mdx", "m")));
    }

    #[test]
    fn diagnostics_move_with_their_page() {
        let broken = |href: &str| format!("broken link to `{href}`: no such page or file");
        let place = |place: &str, slug: &str| format!("anchor `#{place}` not found on /{slug}");
        let before = [
            ("old/page.mdx", broken("/gone")),
            ("old/page.mdx", broken("./near#x")),
            ("old/page.mdx", broken("../up")),
            ("old/page.mdx", place("here", "old/page")),
            ("other.mdx", place("there", "old/page")),
            ("other.mdx", broken("old/page/below")),
            ("docs.json", "`old/page` is listed twice".to_owned()),
            ("old/index.mdx", place("top", "old")),
        ];
        let before: Vec<_> =
            before.iter().map(|(path, message)| (*path, message.as_str())).collect();
        let moves = [("old/page.mdx", "new/deep/page.mdx"), ("old/index.mdx", "new/index.mdx")];
        let mut known = known(&before, &moves);
        for (path, message) in [
            ("new/deep/page.mdx", broken("/gone")),
            // The link was rewritten from the root.
            ("new/deep/page.mdx", broken("/old/near#x")),
            ("new/deep/page.mdx", broken("/up")),
            ("new/deep/page.mdx", place("here", "new/deep/page")),
            ("other.mdx", place("there", "new/deep/page")),
            ("other.mdx", broken("old/page/below")),
            ("docs.json", "`new/deep/page` is listed twice".to_owned()),
            ("new/index.mdx", place("top", "new")),
        ] {
            assert!(known.take(&problem(path, &message)), "{path}: {message}");
        }
        for (path, message) in [
            ("new/deep/page.mdx", broken("/gone")),
            ("new/deep/page.mdx", broken("./now-elsewhere")),
            ("old/page.mdx", broken("/gone")),
        ] {
            assert!(!known.take(&problem(path, &message)), "{path}: {message}");
        }
    }
}
