//! The data folder: who can read it, and what is said of one that can't be used. An error names the folder
//! and what to do.

use std::{
    fs,
    io::{self, ErrorKind, Write},
    path::Path,
};

use anyhow::{anyhow, bail};

/// The file that is written to learn why nothing can be.
const PROBE: &str = ".docwright-probe";

/// What docwright keeps in the folder.
const CONTENTS: [&str; 9] = [
    "docwright.db",
    "docwright.db-shm",
    "docwright.db-wal",
    "root-secret",
    "signing-secret",
    "cache",
    "git",
    "objects",
    "work",
];

/// Makes the folder if it is not there, and closes what is in it to other users.
pub(super) fn make(folder: &Path) -> anyhow::Result<()> {
    let Err(error) = fs::create_dir_all(folder) else {
        for name in CONTENTS {
            close(&folder.join(name));
        }
        return Ok(());
    };
    if let Some(file) = folder.ancestors().find(|above| above.is_file()) {
        bail!(
            "the data folder {} can't be made: {} is a file; move it away, or choose another --data",
            folder.display(),
            file.display()
        );
    }
    Err(unusable(folder, "made", &error))
}

/// Takes the permissions of a file or folder from other users, such as one restored from a backup.
#[cfg(unix)]
fn close(path: &Path) {
    use std::os::unix::fs::PermissionsExt;
    let Ok(found) = path.metadata() else { return };
    let mode = found.permissions().mode();
    let closed = mode & !0o077;
    if mode == closed {
        return;
    }
    let closed = fs::Permissions::from_mode(closed);
    if let Err(error) = fs::set_permissions(path, closed) {
        tracing::warn!(path = %path.display(), %error, "other users can read the data folder; change its permissions");
    }
}

#[cfg(not(unix))]
fn close(_: &Path) {}

/// Why something that needs the folder went wrong: that nothing can be written there, if that is so.
pub(super) fn explain(folder: &Path, error: anyhow::Error) -> anyhow::Error {
    match probe(folder) {
        Ok(()) => error,
        Err(refused) => unusable(folder, "written to", &refused),
    }
}

/// As much as a database writes first.
fn probe(folder: &Path) -> io::Result<()> {
    let path = folder.join(PROBE);
    let written = fs::File::create(&path).and_then(|mut file| {
        file.write_all(&[0; 4096])?;
        file.sync_all()
    });
    // Where it could not be made there is nothing to remove.
    drop(fs::remove_file(path));
    written
}

fn unusable(folder: &Path, what: &str, error: &io::Error) -> anyhow::Error {
    let folder = folder.display();
    let todo = match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => "free disk space",
        ErrorKind::ReadOnlyFilesystem => {
            "its file system is mounted read-only; mount it for writing"
        }
        _ => "let the user that runs docwright write there",
    };
    anyhow!("the data folder {folder} can't be {what}: {error}; {todo}, or choose another --data")
}
