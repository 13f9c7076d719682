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

    /// Where a new object is written before it is [`stored`](Self::store). No two callers get the same
    /// path, whatever the key.
    pub fn partial_path(&self, key: &str) -> Result<PathBuf, StorageError> {
        let unique = uuid::Uuid::now_v7().simple().to_string();
        let path = self.path(key)?.with_added_extension(format!("{unique}.partial"));
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent)?;
        }
        Ok(path)
    }

    /// Makes the file at a [`partial_path`](Self::partial_path) the object of a key, at once.
    pub fn store(&self, partial: &Path, key: &str) -> Result<(), StorageError> {
        Ok(std::fs::rename(partial, self.path(key)?)?)
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
    fn two_writers_of_one_key_don_t_share_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let objects = open(folder.path());
        let (one, two) =
            (objects.partial_path("a/b").unwrap(), objects.partial_path("a/b").unwrap());
        std::fs::write(&one, "one").unwrap();
        std::fs::write(&two, "two").unwrap();
        objects.store(&one, "a/b").unwrap();
        assert_eq!(std::fs::read(objects.path("a/b").unwrap()).unwrap(), b"one");
        assert_eq!(std::fs::read(two).unwrap(), b"two");
        objects.remove("a/b").unwrap();
        objects.remove("a/b").unwrap();
        assert!(!objects.path("a/b").unwrap().exists());
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
