//! The file to which a child process writes its bundle, read while it grows.

use std::{
    fs::File,
    io::{self, Read},
    mem,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use tempfile::TempDir;
use tokio::task::spawn_blocking;
use tokio_util::sync::CancellationToken;

/// How often the end of the file is polled.
const READ_EVERY: Duration = Duration::from_millis(20);
/// Largest piece. Bytes.
const PIECE: u64 = 256 * 1024;

/// A growing file in its own folder, which is removed with its contents.
#[derive(Debug)]
pub(super) struct Growing {
    folder: TempDir,
    path: PathBuf,
    ended: CancellationToken,
}

/// Its bytes from the start, each once.
#[derive(Debug)]
pub(super) struct Reading {
    file: Arc<File>,
    ended: CancellationToken,
}

impl Growing {
    /// Creates an empty file below a folder, and starts to read it. This file is read even if it is replaced: the
    /// child can do anything in its folder.
    pub(super) fn create(scratch: &Path) -> io::Result<(Self, Reading)> {
        let folder = tempfile::tempdir_in(scratch)?;
        let path = folder.path().join("bundle.tar.gz");
        let file = File::options().read(true).write(true).create_new(true).open(&path)?;
        let ended = CancellationToken::new();
        let reading = Reading { file: Arc::new(file), ended: ended.clone() };
        Ok((Self { folder, path, ended }, reading))
    }

    pub(super) fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Marks the end of writing.
    pub(super) fn end(&self) {
        self.ended.cancel();
    }

    /// Removes the folder in the background: a large file takes some time, and readers wait for the release.
    pub(super) fn remove_later(self) {
        drop(spawn_blocking(move || drop(self)));
    }
}

impl Reading {
    /// The file.
    pub(super) fn file(&self) -> Arc<File> {
        Arc::clone(&self.file)
    }

    /// Adds the next piece to `bytes` as soon as it is written, and returns its length; 0 at the end.
    pub(super) async fn read(&mut self, bytes: &mut Vec<u8>) -> io::Result<usize> {
        loop {
            // Checked first: bytes written before the end are read after it.
            let ended = self.ended.is_cancelled();
            let (file, mut filled) = (self.file(), mem::take(bytes));
            let (read, filled) = spawn_blocking(move || {
                let read = file.as_ref().take(PIECE).read_to_end(&mut filled);
                (read, filled)
            })
            .await?;
            *bytes = filled;
            let read = read?;
            if read > 0 || ended {
                return Ok(read);
            }
            tokio::select! {
                () = self.ended.cancelled() => {}
                () = tokio::time::sleep(READ_EVERY) => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[tokio::test]
    async fn contents_are_read_before_and_after_the_end() {
        let scratch = tempfile::tempdir().unwrap();
        let (growing, mut reading) = Growing::create(scratch.path()).unwrap();
        let (mut file, mut bytes) = (File::create(growing.path()).unwrap(), Vec::new());
        file.write_all(b"one").unwrap();
        assert_eq!(reading.read(&mut bytes).await.unwrap(), 3);
        let (second, ()) = tokio::join!(reading.read(&mut bytes), async {
            tokio::task::yield_now().await;
            file.write_all(b"two").unwrap();
        });
        assert_eq!(second.unwrap(), 3);
        file.write_all(b"three").unwrap();
        growing.end();
        assert_eq!(reading.read(&mut bytes).await.unwrap(), 5);
        assert_eq!(reading.read(&mut bytes).await.unwrap(), 0);
        assert_eq!(bytes, b"onetwothree");
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn replaced_file_is_not_read() {
        let scratch = tempfile::tempdir().unwrap();
        let (growing, mut reading) = Growing::create(scratch.path()).unwrap();
        let secret = scratch.path().join("secret");
        std::fs::write(&secret, "secret").unwrap();
        std::fs::remove_file(growing.path()).unwrap();
        std::os::unix::fs::symlink(&secret, growing.path()).unwrap();
        growing.end();
        assert_eq!(reading.read(&mut Vec::new()).await.unwrap(), 0);
    }
}
