//! A copy of the docs root for an external agent, and what it changed in it.

use std::{collections::BTreeMap, io, path::Path};

use crate::workspace::{Changes, Limits, Refusal, Workspace};

/// Copies the files, changes included, to a folder that goes away with its handle.
pub(super) fn make(workspace: &Workspace, scratch: &Path) -> io::Result<tempfile::TempDir> {
    std::fs::create_dir_all(scratch)?;
    let folder = tempfile::tempdir_in(scratch)?;
    workspace.copy_to(folder.path())?;
    Ok(folder)
}

/// Makes the workspace hold what the folder holds now. What no agent may do is refused.
pub(super) fn take_over(workspace: &mut Workspace, folder: &Path) -> Result<(), String> {
    let after = Workspace::open(folder, Changes::default(), Limits::default())
        .map_err(|error| error.to_string())?;
    let (before, now) = (workspace.paths(), after.paths());
    let mut written = BTreeMap::new();
    for path in &now {
        match (workspace.read(path), after.read(path)) {
            (Ok(old), Ok(new)) if old == new => {}
            (_, Ok(new)) => drop(written.insert(path.clone(), new)),
            // Not text, before and after: taken as it was.
            (Err(_), Err(_)) if before.contains(path) => {}
            (_, Err(refusal)) => {
                return Err(format!(
                    "the external agent wrote what can't be taken over: {refusal}"
                ));
            }
        }
    }
    let refused = |refusal: Refusal| format!("the external agent may not do this: {refusal}");
    for path in before.difference(&now) {
        workspace.delete(path).map_err(refused)?;
    }
    for (path, text) in written {
        workspace.write(&path, text).map_err(refused)?;
    }
    Ok(())
}
