//! The random key of a day in a file, for instances whose database is a file: backups contain the database, but not
//! the folder of the key.

use std::{
    fs,
    io::{self, ErrorKind},
    path::Path,
};

use docwright_types::timestamp::Timestamp;

use super::VisitorKey;
use crate::keyring::{generate, write_new};

/// Start of the names of files with keys. The day follows.
const NAME: &str = "visitors-";

impl VisitorKey {
    /// The key of a day in a folder, which the first process of the day creates. Keys of earlier days are deleted.
    /// `None` if there is one of a later day already: the clock of this process is behind.
    ///
    /// # Errors
    ///
    /// Fails if the folder can't be read or written.
    pub fn in_folder(folder: &Path, day: Timestamp) -> io::Result<Option<Self>> {
        fs::create_dir_all(folder)?;
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let name = entry.file_name();
            let found = name.to_str().and_then(|name| name.strip_prefix(NAME));
            // A process that was killed leaves a file with an ending.
            let found = found.and_then(|name| name.split('.').next()?.parse::<Timestamp>().ok());
            match found {
                Some(found) if found > day => return Ok(None),
                Some(found) if found < day => remove(&entry.path())?,
                _ => {}
            }
        }
        let path = folder.join(format!("{NAME}{day}"));
        if !path.exists() {
            write_new(&path, &generate().map_err(io::Error::other)?)?;
        }
        let secret = hex::decode(fs::read_to_string(&path)?.trim());
        Ok(Some(Self { day, secret: secret.map_err(io::Error::other)? }))
    }
}

/// Removes a file, unless another process did.
fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use docwright_types::timestamp::DAY;

    use super::*;

    #[test]
    fn key_of_a_day_is_shared_and_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().join("keys");
        let hash = |day| {
            let key = VisitorKey::in_folder(&folder, day).unwrap();
            key.map(|key| key.hash([b"a", b"b", b"c"]))
        };
        let all: Vec<_> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..8).map(|_| scope.spawn(|| hash(DAY))).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert!(all[0].is_some() && all.iter().all(|each| *each == all[0]), "{all:?}");
        fs::write(folder.join("visitors-86400000.partial"), "x").unwrap();
        assert_ne!(hash(2 * DAY), all[0]);
        assert_eq!(hash(DAY), None);
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1, "the key of the day before is gone");
    }
}
