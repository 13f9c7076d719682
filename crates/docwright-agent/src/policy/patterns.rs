//! Patterns of a project: additional files that its agents can change.

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

/// Patterns of one project.
const MAXIMUM_COUNT: usize = 50;
/// Length of a pattern, in characters.
const MAXIMUM_LENGTH: usize = 200;

/// Paths below the docs root, from a project's settings.
#[derive(Debug, Clone)]
pub struct Patterns(GlobSet);

impl Default for Patterns {
    fn default() -> Self {
        Self(GlobSet::empty())
    }
}

impl Patterns {
    /// Parses patterns. Fails with a sentence about the first invalid one.
    pub fn parse<T: AsRef<str>>(patterns: &[T]) -> Result<Self, String> {
        if patterns.len() > MAXIMUM_COUNT {
            return Err(format!("must have at most {MAXIMUM_COUNT} patterns"));
        }
        let mut all = GlobSetBuilder::new();
        for pattern in patterns {
            let pattern = pattern.as_ref();
            check(pattern).map_err(|why| format!("`{pattern}` {why}"))?;
            let glob = GlobBuilder::new(pattern).literal_separator(true).build();
            all.add(
                glob.map_err(|error| format!("`{pattern}` isn't a pattern: {}", error.kind()))?,
            );
        }
        let all = all.build().map_err(|error| format!("aren't patterns: {}", error.kind()))?;
        Ok(Self(all))
    }

    /// Whether a path below the docs root matches.
    pub fn is_match(&self, path: &str) -> bool {
        self.0.is_match(path)
    }
}

/// Why a pattern is invalid, if it is. A backslash is an escape character, and a separator on other systems.
fn check(pattern: &str) -> Result<(), &'static str> {
    if pattern.trim() != pattern || pattern.is_empty() {
        return Err("is empty, or starts or ends with a space");
    }
    if pattern.chars().count() > MAXIMUM_LENGTH {
        return Err("is longer than 200 characters");
    }
    if pattern.contains('\\') || pattern.chars().any(char::is_control) {
        return Err("has a backslash or a control character");
    }
    let is_below = |part: &str| !part.is_empty() && part != "." && part != "..";
    if !pattern.split('/').all(is_below) {
        return Err(
            "isn't relative to the docs root; write it without `/` at its ends, `.` and `..`",
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_paths_below_the_docs_root() {
        let patterns = Patterns::parse(&["examples/**", "*.toml", "data/{a,b}.json"]).unwrap();
        for path in ["examples/a.rs", "examples/deep/Makefile", "book.toml", "data/b.json"] {
            assert!(patterns.is_match(path), "{path}");
        }
        for path in ["src/main.rs", "deep/book.toml", "data/c.json", "data/a.json/x", "examples"] {
            assert!(!patterns.is_match(path), "{path}");
        }
        assert!(!Patterns::default().is_match("a"));
    }

    #[test]
    fn patterns_outside_docs_root_are_refused() {
        let long = "a".repeat(MAXIMUM_LENGTH + 1);
        for pattern in [
            "", " a", "/a", "a/", "a//b", "../a", "a/../b", "./a", "a\\b", "a\nb", "[a", "{a",
            &long,
        ] {
            let wrong = Patterns::parse(&[pattern]).unwrap_err();
            assert!(wrong.contains(pattern), "{wrong}");
        }
        assert!(Patterns::parse(&vec!["a"; MAXIMUM_COUNT]).is_ok());
        assert!(Patterns::parse(&vec!["a"; MAXIMUM_COUNT + 1]).is_err());
    }
}
