//! The file to which a child process writes its bundle, read while it grows.

use std::{
    io,
    path::{Path, PathBuf},
    time::Duration,
};

use tempfile::TempDir;
use tokio::{fs::File, io::AsyncReadExt};
use tokio_util::sync::CancellationToken;

/// How often the end of the file is polled.
const READ_EVERY: Duration = Duration::from_millis(20);
/// Largest piece.
const PIECE: usize = 256 * 1024;

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
    file: File,
    buffer: Vec<u8>,
    ended: CancellationToken,
}

impl Growing {
    /// Creates an empty file below a folder, and starts to read it. This file is read even if it is replaced: the
    /// child can do anything in its folder.
    pub(super) async fn create(scratch: &Path) -> io::Result<(Self, Reading)> {
        let folder = tempfile::tempdir_in(scratch)?;
        let path = folder.path().join("bundle.tar.gz");
        let file = File::options().read(true).write(true).create_new(true).open(&path).await?;
        let ended = CancellationToken::new();
        let reading = Reading { file, buffer: vec![0; PIECE], ended: ended.clone() };
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
}

impl Reading {
    /// The file, once it is read to its end.
    pub(super) async fn into_file(self) -> std::fs::File {
        self.file.into_std().await
    }

    /// The next piece, as soon as it is written; `None` at the end.
    pub(super) async fn next(&mut self) -> io::Result<Option<&[u8]>> {
        loop {
            // Checked first: bytes written before the end are read after it.
            let ended = self.ended.is_cancelled();
            let read = self.file.read(&mut self.buffer).await?;
            if read > 0 {
                return Ok(Some(&self.buffer[..read]));
            }
            if ended {
                return Ok(None);
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
        let (growing, mut reading) = Growing::create(scratch.path()).await.unwrap();
        let mut file = std::fs::File::create(growing.path()).unwrap();
        file.write_all(b"one").unwrap();
        assert_eq!(reading.next().await.unwrap().unwrap(), b"one");
        let (second, ()) = tokio::join!(reading.next(), async {
            tokio::task::yield_now().await;
            file.write_all(b"two").unwrap();
        });
        assert_eq!(second.unwrap().unwrap(), b"two");
        file.write_all(b"three").unwrap();
        growing.end();
        assert_eq!(reading.next().await.unwrap().unwrap(), b"three");
        assert_eq!(reading.next().await.unwrap(), None);
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn replaced_file_is_not_read() {
        let scratch = tempfile::tempdir().unwrap();
        let (growing, mut reading) = Growing::create(scratch.path()).await.unwrap();
        let secret = scratch.path().join("secret");
        std::fs::write(&secret, "secret").unwrap();
        std::fs::remove_file(growing.path()).unwrap();
        std::os::unix::fs::symlink(&secret, growing.path()).unwrap();
        growing.end();
        assert_eq!(reading.next().await.unwrap(), None);
    }
}
