//! Objects as files in a folder, with links that the server itself signs.

use std::{
    io::{self, SeekFrom},
    ops::Range,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use docwright_types::timestamp::Timestamp;
use futures::{
    StreamExt, TryStreamExt,
    stream::{self, BoxStream},
};
use tokio::io::{AsyncReadExt, AsyncSeekExt};
use tokio_util::io::ReaderStream;

use super::{ObjectError, ObjectStream, Upload};
use crate::keyring::Keyring;

/// Uploads are written here first. No part of a key starts with a dot.
const UPLOADS: &str = ".uploads";
/// Files are read in pieces of this size.
const PIECE: usize = 256 * 1024;

/// A folder of objects, and the keys that sign links to them.
#[derive(Debug, Clone)]
pub(super) struct Folder {
    root: PathBuf,
    keyring: Keyring,
}

impl Folder {
    pub(super) fn open(data: &Path, keyring: Keyring) -> Result<Self, ObjectError> {
        let root = data.join("objects");
        std::fs::create_dir_all(root.join(UPLOADS))?;
        Ok(Self { root, keyring })
    }

    /// The file of a validated key.
    pub(super) fn path(&self, key: &str) -> PathBuf {
        self.root.join(key)
    }

    /// Writes, reads, and removes a small object.
    pub(super) async fn test(&self) -> Result<(), ObjectError> {
        let key = format!("probe/{}", uuid::Uuid::now_v7().simple());
        let mut upload = self.upload(&key).await?;
        upload.write(key.as_bytes()).await?;
        upload.finish().await?;
        self.size(&key).await?;
        self.remove(&key).await
    }

    pub(super) async fn upload(&self, key: &str) -> Result<Upload, ObjectError> {
        let partial = self.root.join(UPLOADS).join(uuid::Uuid::now_v7().simple().to_string());
        Upload::to_file(partial, self.path(key)).await
    }

    pub(super) async fn get(
        &self,
        key: &str,
        range: Option<Range<u64>>,
    ) -> Result<ObjectStream, ObjectError> {
        let file = tokio::fs::File::open(self.path(key)).await;
        let mut file = file.map_err(|error| ObjectError::of_file(error, key))?;
        let range = range.unwrap_or(0..u64::MAX);
        file.seek(SeekFrom::Start(range.start)).await?;
        let part = file.take(range.end.saturating_sub(range.start));
        Ok(ReaderStream::with_capacity(part, PIECE).map_err(ObjectError::from).boxed())
    }

    pub(super) async fn size(&self, key: &str) -> Result<u64, ObjectError> {
        match tokio::fs::metadata(self.path(key)).await {
            Ok(found) if found.is_file() => Ok(found.len()),
            Ok(_) => Err(ObjectError::Missing(key.to_owned())),
            Err(error) => Err(ObjectError::of_file(error, key)),
        }
    }

    pub(super) async fn is_gone(&self, key: &str) -> Result<bool, ObjectError> {
        match self.size(key).await {
            Ok(_) => Ok(false),
            // Created when the store was opened: if it is missing, this is another folder, such as the mount point
            // of an unmounted disk.
            Err(ObjectError::Missing(_)) if self.root.join(UPLOADS).is_dir() => Ok(true),
            Err(ObjectError::Missing(_)) => {
                Err(ObjectError::Unavailable("its folder is gone".to_owned()))
            }
            Err(error) => Err(error),
        }
    }

    pub(super) async fn remove(&self, key: &str) -> Result<(), ObjectError> {
        let path = self.path(key);
        match tokio::fs::remove_file(&path).await {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error.into()),
            _ => {}
        }
        // Folders that became empty are removed too, up to the root, which contains uploads.
        let folders = path.ancestors().skip(1).take_while(|folder| *folder != self.root);
        for folder in folders {
            if tokio::fs::remove_dir(folder).await.is_err() {
                break;
            }
        }
        Ok(())
    }

    pub(super) async fn list(&self, prefix: &str) -> Result<Vec<String>, ObjectError> {
        let mut keys = Vec::new();
        let mut waiting = vec![prefix.to_owned()];
        while let Some(folder) = waiting.pop() {
            let mut entries = match tokio::fs::read_dir(self.root.join(&folder)).await {
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                entries => entries?,
            };
            while let Some(entry) = entries.next_entry().await? {
                let Ok(name) = entry.file_name().into_string() else { continue };
                let path = if folder.is_empty() { name } else { format!("{folder}/{name}") };
                match entry.file_type().await? {
                    kind if super::check(&path).is_err() || kind.is_symlink() => {}
                    kind if kind.is_dir() => waiting.push(path),
                    _ => keys.push(path),
                }
            }
        }
        keys.sort_unstable();
        Ok(keys)
    }

    pub(super) fn older_than(
        &self,
        before: Timestamp,
    ) -> BoxStream<'_, Result<String, ObjectError>> {
        let before = system_time(before);
        let is_old = move |key: String| async move {
            let metadata = match tokio::fs::metadata(self.path(&key)).await {
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
                metadata => metadata?,
            };
            Ok((metadata.modified()? < before).then_some(key))
        };
        let all = stream::once(async { self.list("").await });
        let all = all.map_ok(|keys| stream::iter(keys.into_iter().map(Ok))).try_flatten();
        all.try_filter_map(is_old).boxed()
    }

    pub(super) async fn remove_broken_uploads(
        &self,
        before: Timestamp,
    ) -> Result<usize, ObjectError> {
        let before = system_time(before);
        let mut removed = 0;
        let mut entries = tokio::fs::read_dir(self.root.join(UPLOADS)).await?;
        while let Some(entry) = entries.next_entry().await? {
            // A missing one was finished in the meantime.
            let Ok(found) = entry.metadata().await else { continue };
            if found.modified()? < before && tokio::fs::remove_file(entry.path()).await.is_ok() {
                removed += 1;
            }
        }
        Ok(removed)
    }

    pub(super) fn link(&self, key: &str, server: &str, expires_at: Timestamp) -> String {
        let signature = self.keyring.sign(&message(key, expires_at));
        format!("{server}/objects/{key}?expires={expires_at}&signature={signature}")
    }

    pub(super) fn is_signed(&self, key: &str, expires_at: Timestamp, signature: &str) -> bool {
        self.keyring.verify(&message(key, expires_at), signature)
    }
}

fn system_time(time: Timestamp) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_millis(u64::try_from(time).unwrap_or(0))
}

fn message(key: &str, expires_at: Timestamp) -> String {
    format!("GET\n{key}\n{expires_at}")
}
