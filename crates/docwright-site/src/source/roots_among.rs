//! Docs roots among the paths of a repository whose files aren't here.

use std::collections::BTreeSet;

use super::root::{CONFIGURATION, MAXIMUM_DEPTH};

/// The docs roots at or below `start`, in order: those among which [`super::find_root_within`] finds the only one.
/// Paths have `/`; the empty one is the top of the repository.
pub fn roots_among<'p>(paths: impl IntoIterator<Item = &'p str>, start: &str) -> Vec<String> {
    let folders: BTreeSet<&str> = paths.into_iter().filter_map(configured).collect();
    if folders.contains(start) {
        return vec![start.to_owned()];
    }
    let mut roots: Vec<String> = Vec::new();
    // A folder precedes those inside of it, though others can be between them.
    for folder in folders.into_iter().filter(|folder| is_searched(folder, start)) {
        if !roots.iter().any(|root| below(folder, root).is_some()) {
            roots.push(folder.to_owned());
        }
    }
    roots
}

/// The folder of a configuration.
fn configured(path: &str) -> Option<&str> {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    CONFIGURATION.contains(&name).then_some(folder)
}

/// The path of a folder inside of another one.
fn below<'p>(folder: &'p str, start: &str) -> Option<&'p str> {
    if start.is_empty() { Some(folder) } else { folder.strip_prefix(start)?.strip_prefix('/') }
}

/// Whether the search for a docs root gets to a folder.
fn is_searched(folder: &str, start: &str) -> bool {
    let is_hidden = |part: &str| part.starts_with('.') || part == "node_modules";
    below(folder, start).is_some_and(|below| {
        below.split('/').count() <= MAXIMUM_DEPTH && !below.split('/').any(is_hidden)
    })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::source::{SourceError, find_root_within};

    const LAYOUTS: [&[&str]; 8] = [
        &["docs.json", "docs/docs.json", "index.mdx"],
        &["docs/docs.json", "docs/en/docs.json", "docs-old/a.mdx"],
        &["docs/docs.json", "docs-old/mint.json", "docs/sub/docs.json"],
        &["a/b/c/d/docs.json", "a/b/c/d/e/docs.json"],
        &["a/b/c/d/e/docs.json"],
        &[".hidden/docs.json", "node_modules/x/docs.json", "a/.b/docs.json"],
        &["docs/docs.json.bak", "docs.json5", "README.md"],
        &["x/docs.json", "x-y/docs.json", "x/z/docs.json", "ä/docs.json"],
    ];

    /// The search in files and the search among paths must find the same.
    #[test]
    fn roots_are_those_of_the_files() {
        for layout in LAYOUTS {
            let folder = tempfile::tempdir().unwrap();
            for path in layout {
                let file = folder.path().join(path);
                fs::create_dir_all(file.parent().unwrap()).unwrap();
                fs::write(file, "{}").unwrap();
            }
            let top = folder.path().canonicalize().unwrap();
            for start in ["", "docs", "a", "a/b", "x"] {
                let found = roots_among(layout.iter().copied(), start);
                let shown = |root: &String| root.clone();
                match find_root_within(folder.path(), start) {
                    Ok(root) => assert_eq!(vec![root], [top.join(&found[0])], "{layout:?} {start}"),
                    Err(SourceError::SeveralRoots { folders }) => {
                        let found: Vec<_> = found.iter().map(shown).collect();
                        assert_eq!(found, folders, "{layout:?} {start}");
                    }
                    Err(_) => assert_eq!(found, [""; 0], "{layout:?} {start}"),
                }
            }
        }
    }
}
