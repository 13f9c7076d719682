//! Objects on the local disk, and links to them that the server itself signs.

use std::{
    io,
    path::{Path, PathBuf},
};

use docwright_domain::timestamp::Timestamp;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use subtle::ConstantTimeEq;

use crate::StorageError;

/// A folder of objects, and the secret that signs links to them.
#[derive(Clone)]
pub struct LocalObjects {
    folder: PathBuf,
    secret: Vec<u8>,
}

impl std::fmt::Debug for LocalObjects {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("LocalObjects").field("folder", &self.folder).finish_non_exhaustive()
    }
}

impl LocalObjects {
    /// Opens the store below a data folder. The secret is made once and kept beside it.
    pub fn open_folder(data: &Path) -> Result<Self, StorageError> {
        let folder = data.join("objects");
        std::fs::create_dir_all(&folder)?;
        Ok(Self { folder, secret: secret(&data.join("signing-secret"))? })
    }

    /// Where a new object is written before it is [`stored`](Self::store).
    pub fn partial_path(&self, key: &str) -> Result<PathBuf, StorageError> {
        let path = self.path(key)?.with_added_extension("partial");
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent)?;
        }
        Ok(path)
    }

    /// Makes what was written to [`partial_path`](Self::partial_path) the object of a key, at once.
    pub fn store(&self, key: &str) -> Result<(), StorageError> {
        Ok(std::fs::rename(self.partial_path(key)?, self.path(key)?)?)
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
        // A key of any length is fine for HMAC.
        let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(&self.secret) else {
            return String::new();
        };
        mac.update(format!("GET\n{key}\n{expires_at}").as_bytes());
        hex::encode(mac.finalize().into_bytes())
    }

    /// Whether a link is one that was signed, and has not ended.
    pub fn verify(
        &self,
        key: &str,
        expires_at: Timestamp,
        signature: &str,
        now: Timestamp,
    ) -> bool {
        let expected = self.sign(key, expires_at);
        bool::from(expected.as_bytes().ct_eq(signature.as_bytes())) && now < expires_at
    }
}

fn secret(path: &Path) -> Result<Vec<u8>, StorageError> {
    match std::fs::read(path) {
        Ok(secret) if secret.len() >= 32 => return Ok(secret),
        Ok(_) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error.into()),
    }
    let mut secret = vec![0; 32];
    getrandom::fill(&mut secret).map_err(|error| StorageError::Random(error.to_string()))?;
    write_private(path, &secret)?;
    Ok(secret)
}

/// Only the owner may read it.
fn write_private(path: &Path, contents: &[u8]) -> io::Result<()> {
    use std::io::Write;
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)?.write_all(contents)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_expire_and_resist_altering() {
        let folder = tempfile::tempdir().unwrap();
        let objects = LocalObjects::open_folder(folder.path()).unwrap();
        let signature = objects.sign("a/b.tar.gz", 100);
        assert!(objects.verify("a/b.tar.gz", 100, &signature, 99));
        assert!(!objects.verify("a/b.tar.gz", 100, &signature, 100));
        assert!(!objects.verify("a/b.tar.gz", 101, &signature, 99));
        assert!(!objects.verify("a/c.tar.gz", 100, &signature, 99));
        assert!(!objects.verify("a/b.tar.gz", 100, "", 99));
        let again = LocalObjects::open_folder(folder.path()).unwrap();
        assert!(again.verify("a/b.tar.gz", 100, &signature, 99), "the secret is kept");
    }

    #[test]
    fn keys_stay_in_the_folder() {
        let folder = tempfile::tempdir().unwrap();
        let objects = LocalObjects::open_folder(folder.path()).unwrap();
        for key in ["../x", "a/../b", "/etc/passwd", "a//b", ".hidden", "a b"] {
            assert!(objects.path(key).is_err(), "{key}");
        }
    }
}
