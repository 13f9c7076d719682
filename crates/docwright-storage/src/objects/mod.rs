//! Storage of bundles: a folder, or a bucket of an S3-compatible store.
//!
//! The bytes of a key never change once they exist. An object is complete or missing: it becomes visible when its
//! upload is finished, and an unfinished upload leaves nothing.

mod broken;
mod error;
mod folder;
mod probe;
mod s3;
mod settings;
mod upload;

use std::{
    ops::Range,
    path::{Path, PathBuf},
};

use bytes::Bytes;
use docwright_types::timestamp::Timestamp;
use futures::{StreamExt, TryStreamExt, stream::BoxStream};
use tokio::io::AsyncWriteExt;

use crate::{dependency_watch::DependencyWatch, keyring::Keyring};
use error::Access;
pub use error::ObjectError;
use folder::Folder;
use s3::S3;
pub use settings::{Retries, S3Settings};
pub use upload::Upload;

/// The contents of an object, as a stream.
pub type ObjectStream = BoxStream<'static, Result<Bytes, ObjectError>>;

/// An object store.
#[derive(Debug, Clone)]
pub struct Objects {
    store: Store,
    watch: DependencyWatch,
}

#[derive(Debug, Clone)]
enum Store {
    Folder(Folder),
    S3(S3),
}

impl Objects {
    /// Opens the store below a data folder. The keys of `keyring` sign its links.
    pub fn open_folder(data: &Path, keyring: Keyring) -> Result<Self, ObjectError> {
        Ok(Self::of(Store::Folder(Folder::open(data, keyring)?)))
    }

    /// Opens a bucket, and tests it. A bucket that can't be used is an error that says what to do; a store that
    /// does not respond at the moment isn't.
    pub async fn open_s3(settings: &S3Settings) -> Result<Self, ObjectError> {
        probe::probe(settings).await?;
        Ok(Self::of(Store::S3(S3::connect(settings)?)))
    }

    fn of(store: Store) -> Self {
        Self { store, watch: DependencyWatch::default() }
    }

    /// The same store, whose failures are noticed.
    #[must_use]
    pub fn with_watch(self, watch: DependencyWatch) -> Self {
        Self { watch, ..self }
    }

    /// Tests whether the store works: writes, reads, and removes a small object. The watch notices the result.
    pub async fn test(&self) -> Result<(), ObjectError> {
        let tested = match &self.store {
            Store::Folder(folder) => folder.test().await,
            Store::S3(s3) => probe::test(s3).await,
        };
        let tested = Access::Write.watch(&self.watch, tested);
        if tested.is_ok() { Access::Read.watch(&self.watch, tested) } else { tested }
    }

    /// Starts an object. It exists when the upload is finished.
    pub async fn upload(&self, key: &str) -> Result<Upload, ObjectError> {
        check(key)?;
        let upload = match &self.store {
            Store::Folder(folder) => folder.upload(key).await,
            Store::S3(s3) => Ok(s3.upload(key)),
        };
        // An upload that starts says nothing about the store yet.
        let upload = upload.inspect_err(|error| Access::Write.watch_failure(&self.watch, error));
        upload.map(|upload| upload.with_watch(self.watch.clone()))
    }

    /// The contents of an object, or a range of them. After an interruption the rest is requested again, so the
    /// stream fails only after a long outage.
    pub async fn get(
        &self,
        key: &str,
        range: Option<Range<u64>>,
    ) -> Result<ObjectStream, ObjectError> {
        check(key)?;
        let contents = Access::Read.watch(
            &self.watch,
            match &self.store {
                Store::Folder(folder) => folder.get(key, range).await,
                Store::S3(s3) => s3.get(key, range).await,
            },
        )?;
        let watch = self.watch.clone();
        Ok(contents.inspect_err(move |error| Access::Read.watch_failure(&watch, error)).boxed())
    }

    /// Copies an object to a file, which is complete or missing.
    pub async fn download(&self, key: &str, path: &Path) -> Result<(), ObjectError> {
        let mut contents = self.get(key, None).await?;
        // No two downloads share a partial file, even for the same path.
        let unique = uuid::Uuid::now_v7().simple().to_string();
        let partial = Partial(path.with_added_extension(format!("{unique}.partial")));
        let mut file = tokio::fs::File::create_new(&partial.0).await?;
        while let Some(bytes) = contents.try_next().await? {
            file.write_all(&bytes).await?;
        }
        // The last write can still be under way; only this reports its result.
        file.flush().await?;
        file.sync_all().await?;
        Ok(tokio::fs::rename(&partial.0, path).await?)
    }

    /// Length of an object in bytes.
    pub async fn size(&self, key: &str) -> Result<u64, ObjectError> {
        check(key)?;
        Access::Read.watch(
            &self.watch,
            match &self.store {
                Store::Folder(folder) => folder.size(key).await,
                Store::S3(s3) => s3.size(key).await,
            },
        )
    }

    /// Whether an object is permanently gone: a working store reports that it is missing. A store that does not
    /// respond, refuses, or isn't the one that was opened returns an error.
    pub async fn is_gone(&self, key: &str) -> Result<bool, ObjectError> {
        check(key)?;
        match &self.store {
            Store::Folder(folder) => folder.is_gone(key).await,
            Store::S3(s3) => probe::is_gone(s3, key).await,
        }
    }

    /// Removes an object. A missing one counts as removed.
    pub async fn remove(&self, key: &str) -> Result<(), ObjectError> {
        check(key)?;
        Access::Write.watch(
            &self.watch,
            match &self.store {
                Store::Folder(folder) => folder.remove(key).await,
                Store::S3(s3) => s3.remove(key).await,
            },
        )
    }

    /// The keys with a prefix, which ends at a slash or is empty.
    pub async fn list(&self, prefix: &str) -> Result<Vec<String>, ObjectError> {
        if !prefix.is_empty() {
            check(prefix)?;
        }
        match &self.store {
            Store::Folder(folder) => folder.list(prefix).await,
            Store::S3(s3) => s3.list(prefix).await,
        }
    }

    /// The keys of objects older than a time, as they are found. Some stores date an object from the start of its
    /// upload.
    pub fn older_than(&self, before: Timestamp) -> BoxStream<'_, Result<String, ObjectError>> {
        match &self.store {
            Store::Folder(folder) => folder.older_than(before),
            Store::S3(s3) => s3.older_than(before),
        }
    }

    /// Waits until the leftovers of dropped uploads are removed.
    pub async fn settle(&self) {
        if let Store::S3(s3) = &self.store {
            s3.removals.close();
            s3.removals.wait().await;
        }
    }

    /// Removes the leftovers of uploads that started before a time and whose process was killed. Returns how many
    /// there were.
    pub async fn remove_broken_uploads(&self, before: Timestamp) -> Result<usize, ObjectError> {
        match &self.store {
            Store::Folder(folder) => folder.remove_broken_uploads(before).await,
            Store::S3(s3) => s3.remove_broken_uploads(before).await,
        }
    }

    /// A link that downloads an object without a key until a time. Links to a folder use docwright's own server;
    /// `server` is its address, without a trailing slash.
    pub async fn link(
        &self,
        key: &str,
        server: &str,
        (now, expires_at): (Timestamp, Timestamp),
    ) -> Result<String, ObjectError> {
        check(key)?;
        match &self.store {
            Store::Folder(folder) => Ok(folder.link(key, server, expires_at)),
            Store::S3(s3) => s3.link(key, expires_at - now).await,
        }
    }

    /// Whether a link to the folder has a valid signature and has not expired.
    pub fn is_good_link(
        &self,
        key: &str,
        signature: &str,
        (now, expires_at): (Timestamp, Timestamp),
    ) -> bool {
        match &self.store {
            Store::Folder(folder) => {
                now < expires_at && folder.is_signed(key, expires_at, signature)
            }
            Store::S3(_) => false,
        }
    }

    /// The file of an object, if objects are files.
    pub fn local_path(&self, key: &str) -> Option<PathBuf> {
        match &self.store {
            Store::Folder(folder) => check(key).is_ok().then(|| folder.path(key)),
            Store::S3(_) => None,
        }
    }
}

/// Keys are made by docwright: letters, digits, `-`, `_`, `.` and `/`.
fn check(key: &str) -> Result<(), ObjectError> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./".contains(&byte);
    let safe = key.bytes().all(plain)
        && key.split('/').all(|part| !part.is_empty() && !part.starts_with('.'));
    if safe { Ok(()) } else { Err(ObjectError::Key(key.to_owned())) }
}

/// An incomplete file. It is removed unless it gets another name.
#[derive(Debug)]
struct Partial(PathBuf);

impl Drop for Partial {
    fn drop(&mut self) {
        // It has another name now, or its leftovers are removed later.
        let _gone = std::fs::remove_file(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_stay_where_objects_are() {
        for key in ["../x", "a/../b", "/etc/passwd", "a//b", ".hidden", "a b", "", "a/", "ä", "a\0"]
        {
            assert!(check(key).is_err(), "{key}");
        }
        check("019a-b/2/bundle.tar.gz").unwrap();
    }
}
