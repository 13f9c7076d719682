//! Which paths an agent may touch: those below the docs root that hold documentation.

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
        "`{path}` is no path below the docs root; paths are relative, with `/`, without `..`"
    )))
}

/// Fails unless a path may be written. Hidden files are settings of tools and of the host (hooks,
/// workflows), not documentation.
pub fn check_writable(path: &str) -> Result<(), Refusal> {
    check_readable(path)?;
    if path.split('/').any(|part| part.starts_with('.')) {
        return Err(Refusal::new(format!(
            "`{path}` is a hidden file; only documentation may be changed"
        )));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_paths_below_the_root_may_be_read() {
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
            assert!(refusal.0.contains("no path below the docs root"), "{path}");
            assert_eq!(check_writable(path), Err(refusal));
        }
    }

    #[test]
    fn hidden_files_may_not_be_written() {
        assert_eq!(check_writable("guides/a.mdx"), Ok(()));
        for path in [".git/hooks/pre-commit", "a/.env", ".github/workflows/a.yml"] {
            assert!(check_writable(path).unwrap_err().0.contains("hidden"), "{path}");
        }
    }
}
