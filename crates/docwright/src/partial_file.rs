//! Files that get their name when they are complete.

use std::{
    fs::{self, File},
    io,
    path::Path,
    time::{Duration, SystemTime},
};

use tempfile::NamedTempFile;

const PREFIX: &str = ".docwright-";
const SUFFIX: &str = ".partial";
/// A younger file isn't abandoned: the process that created it might not have locked it yet.
const CREATED_RECENTLY: Duration = Duration::from_mins(1);

/// Creates a file in a folder that is removed unless it gets a name. It has the permissions that files get in this
/// session. Removes those that killed processes left there.
pub(crate) fn create(folder: &Path) -> io::Result<NamedTempFile> {
    remove_abandoned(folder, SystemTime::now());
    let mut builder = tempfile::Builder::new();
    builder.prefix(PREFIX).suffix(SUFFIX);
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let file = builder.tempfile_in(folder)?;
    // Without locks, files of killed processes stay.
    let _ = file.as_file().try_lock();
    Ok(file)
}

/// Removes the files that no process locks. Where files can't be locked or removed, they stay.
fn remove_abandoned(folder: &Path, now: SystemTime) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let age = |file: &File| {
            now.duration_since(file.metadata()?.modified()?).map_err(io::Error::other)
        };
        let is_abandoned = |file: &File| {
            age(file).is_ok_and(|age| age > CREATED_RECENTLY) && file.try_lock().is_ok()
        };
        if name.starts_with(PREFIX)
            && name.ends_with(SUFFIX)
            && File::open(entry.path()).is_ok_and(|file| is_abandoned(&file))
        {
            let _ = fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_of_a_killed_process_is_removed_by_the_next_one() {
        let folder = tempfile::tempdir().unwrap();
        let abandoned = folder.path().join(".docwright-killed.partial");
        let other = folder.path().join("mine.partial");
        fs::write(&abandoned, "half").unwrap();
        fs::write(&other, "half").unwrap();
        let locked = create(folder.path()).unwrap();
        assert!(abandoned.exists(), "its process might not have locked it yet");
        let later = SystemTime::now() + 2 * CREATED_RECENTLY;
        remove_abandoned(folder.path(), later);
        assert!(!abandoned.exists());
        assert!(locked.path().exists() && other.exists());
    }
}
