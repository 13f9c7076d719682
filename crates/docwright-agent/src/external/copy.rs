//! A copy of the docs root for an external agent, and its changes.

use std::{collections::BTreeMap, io, path::Path};

use crate::workspace::{Changes, Limits, Refusal, Workspace};

/// Copies the files, changes included, to a folder that goes away with its handle.
pub(super) fn make(workspace: &Workspace, scratch: &Path) -> io::Result<tempfile::TempDir> {
    std::fs::create_dir_all(scratch)?;
    let folder = tempfile::tempdir_in(scratch)?;
    workspace.copy_to(folder.path())?;
    Ok(folder)
}

/// Applies the folder's changes to the workspace. Returns the files that agents can't change and that stay
/// unchanged: names of tools and reasons.
pub(super) fn take_over(
    workspace: &mut Workspace,
    folder: &Path,
) -> Result<Vec<(String, String)>, String> {
    let after = Workspace::open(folder, Changes::default(), Limits::default())
        .map_err(|error| error.to_string())?;
    let (before, now) = (workspace.paths(), after.paths());
    let mut refused = Vec::new();
    let mut refuse = |tool: &str, refusal: Refusal| refused.push((tool.to_owned(), refusal.0));
    let mut written = BTreeMap::new();
    for path in &now {
        match (workspace.read(path), after.read(path)) {
            (Ok(old), Ok(new)) if old == new => {}
            (_, Ok(new)) => drop(written.insert(path.clone(), new)),
            // Binary before and after: applied without a comparison.
            (Err(_), Err(_)) if before.contains(path) => {}
            (_, Err(unreadable)) => match workspace.check_writable(path) {
                Err(refusal) => refuse("write", refusal),
                Ok(()) => {
                    return Err(format!(
                        "the external agent wrote what can't be taken over: {unreadable}"
                    ));
                }
            },
        }
    }
    let failed = |refusal: Refusal| format!("the external agent can't do this: {refusal}");
    for path in before.difference(&now) {
        match workspace.check_writable(path) {
            Ok(()) => workspace.delete(path).map_err(failed)?,
            Err(refusal) => refuse("delete", refusal),
        }
    }
    for (path, text) in written {
        match workspace.check_writable(&path) {
            Ok(()) => workspace.write(&path, text).map_err(failed)?,
            Err(refusal) => refuse("write", refusal),
        }
    }
    Ok(refused)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_outside_documentation_are_refused() {
        let base = tempfile::tempdir().unwrap();
        for path in ["index.mdx", "Makefile", "package.json"] {
            std::fs::write(base.path().join(path), "before").unwrap();
        }
        let open = || Workspace::open(base.path(), Changes::default(), Limits::default()).unwrap();
        let mut workspace = open();
        let scratch = tempfile::tempdir().unwrap();
        let copy = make(&workspace, scratch.path()).unwrap();
        std::fs::remove_file(copy.path().join("package.json")).unwrap();
        std::fs::create_dir(copy.path().join("bin")).unwrap();
        std::fs::write(copy.path().join("bin/tool"), [0xff, 0xfe]).unwrap();
        for path in ["index.mdx", "Makefile", "CODEOWNERS"] {
            std::fs::write(copy.path().join(path), "after").unwrap();
        }
        let refused = take_over(&mut workspace, copy.path()).unwrap();
        assert_eq!(workspace.changes().paths(), ["index.mdx"]);
        let expected = [
            ("write", "bin/tool"),
            ("delete", "package.json"),
            ("write", "CODEOWNERS"),
            ("write", "Makefile"),
        ];
        assert_eq!(refused.len(), expected.len(), "{refused:?}");
        for ((tool, reason), (expected_tool, path)) in refused.iter().zip(expected) {
            assert_eq!(tool, expected_tool);
            assert!(reason.contains(path), "{reason}");
        }
    }
}
