//! Uploads of objects: a file that gets its name at the end, or parts of which a few are uploaded at a time.

use std::{fs::File, io, mem, path::PathBuf, sync::Arc, time::Duration};

use object_store::{MultipartUpload, ObjectStore, PutPayload, PutPayloadMut};
use tokio::{
    io::AsyncWriteExt,
    runtime::Handle,
    task::{JoinHandle, JoinSet, spawn_blocking},
    time::timeout,
};

use super::{ObjectError, Partial, error::Access, s3::S3};
use crate::dependency_watch::DependencyWatch;

/// Stores need parts of one size, of at least 5 MiB, and at most ten thousand.
const PART: usize = 8 * 1024 * 1024;
/// Parts that are uploaded at a time. With the one that is being filled, these are the memory of an upload.
const PARTS_AT_ONCE: usize = 4;
/// How long the removal of an unfinished upload waits for parts under way.
const LAST_PARTS: Duration = Duration::from_secs(30);
/// A file is synced whenever this many bytes were added, so that the last sync is short. Bytes.
const SYNC_EVERY: usize = 16 * 1024 * 1024;

/// An object that is being written. Dropping it before it is finished removes everything written.
#[derive(Debug)]
pub struct Upload {
    kind: Kind,
    watch: DependencyWatch,
}

#[derive(Debug)]
enum Kind {
    File(FileUpload),
    Parts(PartsUpload),
}

impl Upload {
    pub(super) async fn to_file(partial: PathBuf, target: PathBuf) -> Result<Self, ObjectError> {
        Ok(Self::of(Kind::File(FileUpload::create(partial, target).await?)))
    }

    pub(super) fn to_s3(s3: S3, key: &str) -> Self {
        Self::of(Kind::Parts(PartsUpload {
            s3,
            key: key.to_owned(),
            filling: new_part(),
            sent: None,
            tasks: JoinSet::new(),
            size: 0,
        }))
    }

    fn of(kind: Kind) -> Self {
        Self { kind, watch: DependencyWatch::default() }
    }

    pub(super) fn with_watch(self, watch: DependencyWatch) -> Self {
        Self { watch, ..self }
    }

    /// Adds bytes to the object. Waits while enough parts are under way.
    pub async fn write(&mut self, bytes: &[u8]) -> Result<(), ObjectError> {
        let written = match &mut self.kind {
            Kind::File(upload) => upload.write(bytes).await.map_err(ObjectError::from),
            Kind::Parts(upload) => upload.write(bytes).await,
        };
        // Bytes can be in memory only, so that nothing is known to work.
        written.inspect_err(|error| Access::Write.watch_failure(&self.watch, error))
    }

    /// Makes the object visible.
    pub async fn finish(self) -> Result<(), ObjectError> {
        let finished = match self.kind {
            Kind::File(upload) => upload.finish().await,
            Kind::Parts(upload) => upload.finish().await,
        };
        Access::Write.watch(&self.watch, finished)
    }
}

#[derive(Debug)]
struct FileUpload {
    file: tokio::fs::File,
    /// The same open file, which a sync under way needs.
    handle: Arc<File>,
    /// The sync under way.
    sync: Option<JoinHandle<io::Result<()>>>,
    /// Bytes since it began.
    unsynced: usize,
    partial: Partial,
    target: PathBuf,
}

impl FileUpload {
    async fn create(partial: PathBuf, target: PathBuf) -> io::Result<Self> {
        let file = tokio::fs::File::create_new(&partial).await?;
        let partial = Partial(partial);
        let handle = Arc::new(file.try_clone().await?.into_std().await);
        Ok(Self { file, handle, sync: None, unsynced: 0, partial, target })
    }

    async fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all(bytes).await?;
        self.unsynced += bytes.len();
        if self.unsynced >= SYNC_EVERY && self.sync.as_ref().is_none_or(JoinHandle::is_finished) {
            self.end_sync().await?;
            let handle = Arc::clone(&self.handle);
            self.sync = Some(spawn_blocking(move || handle.sync_data()));
            self.unsynced = 0;
        }
        Ok(())
    }

    /// Waits for the sync under way. The system reports an error of the disk only once, so this one counts.
    async fn end_sync(&mut self) -> io::Result<()> {
        match self.sync.take() {
            Some(sync) => sync.await?,
            None => Ok(()),
        }
    }

    async fn finish(mut self) -> Result<(), ObjectError> {
        // The last write can still be under way; only this reports its result.
        self.file.flush().await?;
        self.end_sync().await?;
        self.file.sync_all().await?;
        let Some(folder) = self.target.parent() else {
            return Err(ObjectError::Key(self.target.display().to_string()));
        };
        tokio::fs::create_dir_all(folder).await?;
        match tokio::fs::rename(&self.partial.0, &self.target).await {
            // Its folder was removed at that moment, since it was empty.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                tokio::fs::create_dir_all(folder).await?;
                tokio::fs::rename(&self.partial.0, &self.target).await?;
            }
            named => named?,
        }
        // The name must last as long as the bytes.
        #[cfg(unix)]
        tokio::fs::File::open(folder).await?.sync_all().await?;
        Ok(())
    }
}

#[derive(Debug)]
struct PartsUpload {
    s3: S3,
    key: String,
    filling: PutPayloadMut,
    /// The multipart upload, once there is more than one part; until nothing is left to remove.
    sent: Option<Box<dyn MultipartUpload>>,
    tasks: JoinSet<object_store::Result<()>>,
    size: u64,
}

impl PartsUpload {
    async fn write(&mut self, mut bytes: &[u8]) -> Result<(), ObjectError> {
        self.size += bytes.len() as u64;
        while !bytes.is_empty() {
            if self.filling.content_length() == PART {
                self.send_part().await?;
            }
            let room = PART - self.filling.content_length();
            let (fits, rest) = bytes.split_at(room.min(bytes.len()));
            self.filling.extend_from_slice(fits);
            bytes = rest;
        }
        Ok(())
    }

    /// Uploads the filled part as soon as another one can start.
    async fn send_part(&mut self) -> Result<(), ObjectError> {
        self.wait_for_less_than(PARTS_AT_ONCE).await?;
        let sent = match &mut self.sent {
            Some(sent) => sent,
            empty => {
                let (path, options) = (self.s3.path(&self.key), S3::attributes().into());
                let started = self.s3.client.put_multipart_opts(&path, options).await;
                empty.insert(started.map_err(|error| ObjectError::of_store(&error, &self.key))?)
            }
        };
        let part: PutPayload = mem::replace(&mut self.filling, new_part()).into();
        self.tasks.spawn(sent.put_part(part));
        Ok(())
    }

    async fn wait_for_less_than(&mut self, count: usize) -> Result<(), ObjectError> {
        while self.tasks.len() >= count {
            match self.tasks.join_next().await {
                None => return Ok(()),
                Some(Ok(Ok(()))) => {}
                Some(Ok(Err(error))) => return Err(ObjectError::of_store(&error, &self.key)),
                Some(Err(error)) => return Err(ObjectError::Unavailable(error.to_string())),
            }
        }
        Ok(())
    }

    async fn finish(mut self) -> Result<(), ObjectError> {
        if self.sent.is_none() {
            let (path, options) = (self.s3.path(&self.key), S3::attributes().into());
            let whole: PutPayload = mem::take(&mut self.filling).into();
            let put = self.s3.client.put_opts(&path, whole, options).await;
            return put.map(drop).map_err(|error| ObjectError::of_store(&error, &self.key));
        }
        if !self.filling.is_empty() {
            self.send_part().await?;
        }
        self.wait_for_less_than(1).await?;
        if let Some(sent) = &mut self.sent {
            match sent.complete().await {
                // Repeated because the first response was lost: the upload is already complete. No other process
                // writes to this key.
                Err(
                    object_store::Error::NotFound { .. }
                    | object_store::Error::PermissionDenied { .. },
                ) if self.s3.size(&self.key).await.ok() == Some(self.size) => {}
                completed => {
                    completed.map_err(|error| ObjectError::of_store(&error, &self.key))?;
                }
            }
        }
        self.sent = None;
        Ok(())
    }
}

/// Bytes are copied, so a part never keeps the larger buffer that they came in.
fn new_part() -> PutPayloadMut {
    PutPayloadMut::new().with_block_size(PART)
}

impl Drop for PartsUpload {
    fn drop(&mut self) {
        let Some(mut sent) = self.sent.take() else { return };
        let (mut tasks, key) = (mem::take(&mut self.tasks), mem::take(&mut self.key));
        // Without a runtime, the parts are removed later.
        let Ok(runtime) = Handle::try_current() else { return };
        let removal = async move {
            // A store keeps a part that it completes after the removal.
            let ended = timeout(LAST_PARTS, async { while tasks.join_next().await.is_some() {} });
            if ended.await.is_err() {
                tasks.shutdown().await;
            }
            if let Err(error) = sent.abort().await {
                let error = ObjectError::of_store(&error, &key);
                tracing::warn!(key, %error, "parts of a failed upload kept for a later cleanup");
            }
        };
        self.s3.removals.spawn_on(removal, &runtime);
    }
}
