//! The data folder: its permissions, and errors if it is unusable. An error names the folder and the remedy.

use std::{
    fs,
    io::{self, ErrorKind, Write},
    path::Path,
};

use anyhow::{anyhow, bail};

/// The file that is written to find out why nothing can be.
const PROBE: &str = ".docwright-probe";

/// Contents of the folder.
const CONTENTS: [&str; 10] = [
    "docwright.db",
    "docwright.db-shm",
    "docwright.db-wal",
    "root-secret",
    "signing-secret",
    "cache",
    "git",
    "objects",
    "spool",
    "work",
];

/// Creates the folder if it is missing, and makes its contents private.
pub(super) fn make(folder: &Path) -> anyhow::Result<()> {
    let Err(error) = fs::create_dir_all(folder) else {
        for name in CONTENTS {
            close(&folder.join(name));
        }
        return Ok(());
    };
    if let Some(file) = folder.ancestors().find(|above| above.is_file()) {
        bail!(
            "cannot create the data folder {}: {} is a file; move it away, or choose another --data",
            folder.display(),
            file.display()
        );
    }
    Err(unusable(folder, "made", &error))
}

/// Removes the permissions of other users from a file or folder, such as one restored from a backup.
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

/// The error of an operation on the folder: that nothing can be written there, if that is the cause.
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
    // If it could not be created, there is nothing to remove.
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
