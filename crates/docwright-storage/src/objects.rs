//! Objects on the local disk, and links to them that the server itself signs.

use std::{
    io,
    path::{Path, PathBuf},
};

use docwright_domain::timestamp::Timestamp;

use crate::{StorageError, keyring::Keyring};

/// A folder of objects, and the keys that sign links to them.
#[derive(Debug, Clone)]
pub struct LocalObjects {
    folder: PathBuf,
    keyring: Keyring,
}

impl LocalObjects {
    /// Opens the store below a data folder.
    pub fn open_folder(data: &Path, keyring: Keyring) -> Result<Self, StorageError> {
        let folder = data.join("objects");
        std::fs::create_dir_all(&folder)?;
        Ok(Self { folder, keyring })
    }

    /// Makes a file the object of a key, at once. The file is gone then.
    pub fn store(&self, file: &Path, key: &str) -> Result<(), StorageError> {
        let path = self.path(key)?;
        std::fs::create_dir_all(path.parent().unwrap_or(&self.folder))?;
        match std::fs::rename(file, &path) {
            Err(error) if error.kind() == io::ErrorKind::CrossesDevices => {
                // No two writers share a partial file, whatever the key.
                let unique = uuid::Uuid::now_v7().simple().to_string();
                let partial = path.with_added_extension(format!("{unique}.partial"));
                std::fs::copy(file, &partial)?;
                std::fs::File::open(&partial)?.sync_all()?;
                std::fs::rename(&partial, &path)?;
                Ok(std::fs::remove_file(file)?)
            }
            renamed => Ok(renamed?),
        }
    }

    /// Removes an object. One that isn't there is removed already.
    pub fn remove(&self, key: &str) -> Result<(), StorageError> {
        match std::fs::remove_file(self.path(key)?) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error.into()),
            _ => Ok(()),
        }
    }

    /// The file of an object. Keys are made by docwright: letters, digits, `-`, `_`, `.` and `/`.
    pub fn path(&self, key: &str) -> Result<PathBuf, StorageError> {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./".contains(&byte);
        let safe = key.bytes().all(plain)
            && key.split('/').all(|part| !part.is_empty() && !part.starts_with('.'));
        if safe {
            Ok(self.folder.join(key))
        } else {
            Err(io::Error::new(io::ErrorKind::InvalidInput, "not a key").into())
        }
    }

    /// The signature of a link to an object that ends at a time.
    pub fn sign(&self, key: &str, expires_at: Timestamp) -> String {
        self.keyring.sign(&message(key, expires_at))
    }

    /// Whether a link is one that was signed, and has not ended.
    pub fn verify(
        &self,
        key: &str,
        expires_at: Timestamp,
        signature: &str,
        now: Timestamp,
    ) -> bool {
        self.keyring.verify(&message(key, expires_at), signature) && now < expires_at
    }
}

fn message(key: &str, expires_at: Timestamp) -> String {
    format!("GET\n{key}\n{expires_at}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(folder: &Path) -> LocalObjects {
        LocalObjects::open_folder(folder, Keyring::open_folder(folder).unwrap()).unwrap()
    }

    #[test]
    fn a_file_becomes_an_object_and_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let objects = open(folder.path());
        let file = folder.path().join("made");
        std::fs::write(&file, "one").unwrap();
        objects.store(&file, "a/1/b").unwrap();
        assert_eq!(std::fs::read(objects.path("a/1/b").unwrap()).unwrap(), b"one");
        assert!(!file.exists());
        objects.remove("a/1/b").unwrap();
        objects.remove("a/1/b").unwrap();
        assert!(!objects.path("a/1/b").unwrap().exists());
        assert!(objects.store(&file, "a/1/b").is_err(), "there is no file");
    }

    #[test]
    fn links_expire_and_resist_altering() {
        let folder = tempfile::tempdir().unwrap();
        let objects = open(folder.path());
        let signature = objects.sign("a/b.tar.gz", 100);
        assert!(objects.verify("a/b.tar.gz", 100, &signature, 99));
        assert!(!objects.verify("a/b.tar.gz", 100, &signature, 100));
        assert!(!objects.verify("a/b.tar.gz", 101, &signature, 99));
        assert!(!objects.verify("a/c.tar.gz", 100, &signature, 99));
        assert!(!objects.verify("a/b.tar.gz", 100, "", 99));
        let again = open(folder.path());
        assert!(again.verify("a/b.tar.gz", 100, &signature, 99), "the secret is kept");
    }

    #[test]
    fn keys_stay_in_the_folder() {
        let folder = tempfile::tempdir().unwrap();
        let objects = open(folder.path());
        for key in ["../x", "a/../b", "/etc/passwd", "a//b", ".hidden", "a b"] {
            assert!(objects.path(key).is_err(), "{key}");
        }
    }
}
