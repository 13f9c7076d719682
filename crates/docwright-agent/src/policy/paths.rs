//! Valid paths for an agent: those below the docs root.

use crate::workspace::Refusal;

/// Longest path, in bytes.
const MAXIMUM_LENGTH: usize = 400;

/// Fails unless a path stays below the docs root.
pub fn check_readable(path: &str) -> Result<(), Refusal> {
    let sane = !path.is_empty()
        && path.len() <= MAXIMUM_LENGTH
        && !path.contains(['\\', ':'])
        && !path.chars().any(char::is_control)
        && path.split('/').all(|part| !part.is_empty() && part != "." && part != "..");
    if sane {
        return Ok(());
    }
    Err(Refusal::new(format!(
        "`{path}` isn't a path in the docs root; use a relative path with `/` and without `..`"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_paths_below_the_root_can_be_read() {
        let longest = "a".repeat(MAXIMUM_LENGTH);
        for path in ["a.mdx", "guides/a b.mdx", ".mintlify/AGENTS.md", "..a/b..", &longest] {
            assert_eq!(check_readable(path), Ok(()), "{path}");
        }
        let long = "a".repeat(MAXIMUM_LENGTH + 1);
        let outside = [
            "", "/", "/a", "a/", "a//b", ".", "..", "./a", "../a", "a/../b", "a/..", "a\\b", "c:a",
            "a\nb", &long,
        ];
        for path in outside {
            let refusal = check_readable(path).unwrap_err();
            assert!(refusal.0.contains("isn't a path in the docs root"), "{path}");
        }
    }
}
