//! Diagnostics of a build, and which of them are new since another build.
//!
//! A diagnostic is identified by its file, rule, and message, never by its line: moved text creates no new
//! diagnostics. Their number in a file does count.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use crate::counted::{counted, severities};

/// Stored diagnostics of a build; the others are only counted.
pub const MAXIMUM_DIAGNOSTICS: usize = 2_000;
/// Stored new diagnostics.
pub const MAXIMUM_NEW: usize = 50;
/// Longest stored message, in characters.
const MAXIMUM_MESSAGE: usize = 500;

/// A diagnostic of a build.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StoredDiagnostic {
    /// The file, below the root of the repository.
    pub path: String,
    /// 1-based line; 0 for the whole file.
    pub line: u32,
    /// Whether it is an error, which readers notice, or a warning.
    pub is_error: bool,
    /// Name of the rule.
    pub code: String,
    /// What is wrong.
    pub message: String,
}

/// Diagnostics of a build, ordered by path.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredDiagnostics {
    /// Number of diagnostics.
    pub count: i64,
    /// Number of errors among them.
    pub errors: i64,
    /// The first [`MAXIMUM_DIAGNOSTICS`] of them.
    pub first: Vec<StoredDiagnostic>,
}

/// Diagnostics that another build did not have.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewDiagnostics {
    /// Number of new ones, among those that can be compared.
    pub count: i64,
    /// The first [`MAXIMUM_NEW`] of them.
    pub first: Vec<StoredDiagnostic>,
}

impl NewDiagnostics {
    /// The number of diagnostics: by severity if all of them are stored.
    pub fn counted(&self) -> String {
        if usize::try_from(self.count) != Ok(self.first.len()) {
            return counted(self.count, "new diagnostic");
        }
        let errors = self.first.iter().filter(|each| each.is_error).count();
        severities(errors, self.first.len() - errors, "new")
    }
}

impl StoredDiagnostics {
    /// A number of diagnostics, and of errors among them, with the first ones, ordered by path.
    pub fn new((count, errors): (i64, i64), mut first: Vec<StoredDiagnostic>) -> Self {
        first.truncate(MAXIMUM_DIAGNOSTICS);
        for diagnostic in &mut first {
            if let Some((end, _)) = diagnostic.message.char_indices().nth(MAXIMUM_MESSAGE) {
                diagnostic.message.truncate(end);
            }
        }
        Self { count, errors, first }
    }

    /// The diagnostics that an earlier build did not have. Those beyond a stored list are not counted as new.
    pub fn new_since(&self, before: &Self) -> NewDiagnostics {
        let mut new = NewDiagnostics::default();
        for diagnostic in self.each_new_since(before) {
            new.count += 1;
            if new.first.len() < MAXIMUM_NEW {
                new.first.push(diagnostic.clone());
            }
        }
        new
    }

    /// The number of errors that an earlier build did not have: at least as many as there are more, wherever they are.
    pub fn new_errors_since(&self, before: &Self) -> i64 {
        let new = self.each_new_since(before).into_iter().filter(|each| each.is_error).count();
        i64::try_from(new).unwrap_or(i64::MAX).max(self.errors - before.errors)
    }

    /// All of [`Self::new_since`].
    pub fn each_new_since(&self, before: &Self) -> Vec<&StoredDiagnostic> {
        let mut known: HashMap<_, usize> = HashMap::new();
        for diagnostic in &before.first {
            *known.entry(key(diagnostic)).or_default() += 1;
        }
        let is_whole = usize::try_from(before.count).is_ok_and(|count| count <= before.first.len());
        // Diagnostics of the last file, and of later ones, were not all stored.
        let last = before.first.last().filter(|_| !is_whole).map(|last| last.path.as_str());
        let mut new = Vec::new();
        for diagnostic in &self.first {
            if last.is_some_and(|last| diagnostic.path.as_str() >= last) {
                break;
            }
            if let Some(left) = known.get_mut(&key(diagnostic)).filter(|left| **left > 0) {
                *left -= 1;
            } else {
                new.push(diagnostic);
            }
        }
        new
    }
}

fn key(diagnostic: &StoredDiagnostic) -> (&str, &str, String) {
    (&diagnostic.path, &diagnostic.code, without_places(&diagnostic.message))
}

/// A message without line and column numbers, which change when text moves.
pub fn without_places(message: &str) -> String {
    let mut words = Vec::new();
    let mut after = "";
    for word in message.split(' ') {
        let plain =
            word.trim_matches(|letter: char| matches!(letter, '(' | ')' | ',' | ':' | ';' | '.'));
        let digits =
            |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let is_place = plain.contains(':') && plain.split([':', '-']).all(digits)
            || matches!(after, "line" | "column") && digits(plain);
        words.push(if is_place { word.replace(plain, "…") } else { word.to_owned() });
        after = word;
    }
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn broken(path: &str, line: u32, target: &str) -> StoredDiagnostic {
        StoredDiagnostic {
            path: path.to_owned(),
            line,
            is_error: true,
            code: "broken-link".to_owned(),
            message: format!("broken link to `{target}` ({line}:1)"),
        }
    }

    fn of(all: &[StoredDiagnostic]) -> StoredDiagnostics {
        let errors = all.iter().filter(|each| each.is_error).count();
        let count = |number: usize| i64::try_from(number).unwrap();
        StoredDiagnostics::new((count(all.len()), count(errors)), all.to_vec())
    }

    fn lines(new: &NewDiagnostics) -> Vec<u32> {
        new.first.iter().map(|each| each.line).collect()
    }

    #[test]
    fn moved_diagnostic_is_known_and_second_is_new() {
        let before = of(&[broken("a.mdx", 3, "/x"), broken("b.mdx", 3, "/gone")]);
        let now =
            of(&[broken("a.mdx", 90, "/x"), broken("a.mdx", 95, "/x"), broken("c.mdx", 1, "/x")]);
        let new = now.new_since(&before);
        assert_eq!((new.count, lines(&new)), (2, vec![95, 1]));
        assert_eq!(before.new_since(&before), NewDiagnostics::default());
    }

    #[test]
    fn diagnostics_beyond_the_limit_are_not_new() {
        let many: Vec<_> =
            (0..3_000_u32).map(|number| broken(&format!("{number:04}.mdx"), 1, "/x")).collect();
        let before = of(&many);
        assert_eq!((before.count, before.first.len()), (3_000, MAXIMUM_DIAGNOSTICS));
        // Unstored diagnostics move up, because some before them are fixed.
        let now = of(&many[100..]);
        assert_eq!(now.new_since(&before).count, 0);
        let mut more = many.clone();
        more.insert(500, broken("0499.mdx", 7, "/y"));
        assert_eq!(lines(&of(&more).new_since(&before)), [7]);
    }

    #[test]
    fn warnings_and_fixed_errors_are_no_new_errors() {
        let warning =
            |path: &str| StoredDiagnostic { is_error: false, ..broken(path, 1, "/warned") };
        let before = of(&[broken("a.mdx", 1, "/x"), warning("a.mdx")]);
        let now = of(&[warning("a.mdx"), warning("b.mdx"), broken("c.mdx", 1, "/x")]);
        assert_eq!(now.new_since(&before).count, 2);
        assert_eq!(now.new_errors_since(&before), 1, "another error in place of one that is fixed");
        assert_eq!(before.new_errors_since(&before), 0);
        assert_eq!(of(&[warning("z.mdx")]).new_errors_since(&before), 0);
    }

    #[test]
    fn more_errors_beyond_the_limit_are_new() {
        let many: Vec<_> = (0..3_000_u32)
            .map(|number| StoredDiagnostic {
                is_error: false,
                ..broken(&format!("{number:04}.mdx"), 1, "/x")
            })
            .collect();
        let mut more = many.clone();
        more.push(broken("9999.mdx", 1, "/y"));
        let (before, now) = (of(&many), of(&more));
        assert_eq!(now.new_since(&before).count, 0);
        assert_eq!(now.new_errors_since(&before), 1);
    }

    #[test]
    fn first_ones_are_stored_and_all_are_counted() {
        let now: Vec<_> = (0..80).map(|line| broken("a.mdx", line, "/x")).collect();
        let new = of(&now).new_since(&StoredDiagnostics::default());
        assert_eq!((new.count, new.first.len()), (80, MAXIMUM_NEW));
        let long = StoredDiagnostic { message: "ä".repeat(900), ..broken("a.mdx", 1, "/x") };
        assert_eq!(of(&[long]).first[0].message.chars().count(), MAXIMUM_MESSAGE);
    }

    #[test]
    fn places_in_messages_are_left_out() {
        for (message, expected) in [
            (
                "expected a closing tag for `<Aside>` (160:1)",
                "expected a closing tag for `<Aside>` (…)",
            ),
            ("from 3:1-4:22 on", "from … on"),
            ("not valid YAML: line 2 column 1: bad", "not valid YAML: line … column …: bad"),
            (
                "the link to `/a:1` and `http://e.org:80` 4 times",
                "the link to `/a:1` and `http://e.org:80` 4 times",
            ),
        ] {
            assert_eq!(without_places(message), expected);
        }
    }
}
