//! A file that another thread writes, and hashes if needed, while its contents are made.

use std::{
    fs::File,
    io::{self, Write},
    mem,
    sync::mpsc::{Receiver, SyncSender, channel, sync_channel},
    thread::JoinHandle,
};

use sha2::{Digest, Sha256};

/// Bytes that are written and hashed at once.
const PIECE: usize = 256 * 1024;
/// Pieces that wait at most, so that memory use stays bounded if contents are made faster than they are written.
const WAITING: usize = 8;

/// The SHA-256 of a file, if it was hashed.
type Written = io::Result<Option<[u8; 32]>>;

/// A file that a thread writes and hashes.
#[derive(Debug)]
pub(crate) struct HashingFile {
    /// What isn't passed on yet.
    piece: Vec<u8>,
    pieces: SyncSender<Vec<u8>>,
    /// Pieces whose memory can be used again.
    written: Receiver<Vec<u8>>,
    /// `None` once it failed.
    thread: Option<JoinHandle<Written>>,
}

impl HashingFile {
    /// Writes what becomes the contents of an empty file.
    pub(crate) fn new(mut file: File, is_hashed: bool) -> Self {
        let (pieces, waiting) = sync_channel::<Vec<u8>>(WAITING);
        let (done, written) = channel();
        let thread = std::thread::spawn(move || {
            let mut hash = is_hashed.then(Sha256::new);
            for piece in waiting {
                file.write_all(&piece)?;
                if let Some(hash) = &mut hash {
                    hash.update(&piece);
                }
                // The file can be finished already.
                let _ = done.send(piece);
            }
            Ok(hash.map(|hash| hash.finalize().into()))
        });
        Self { piece: Vec::with_capacity(PIECE), pieces, written, thread: Some(thread) }
    }

    /// Waits until all is written. Returns the SHA-256 of it, if it is hashed.
    pub(crate) fn finish(mut self) -> Written {
        self.flush()?;
        drop(self.pieces);
        joined(self.thread)
    }

    fn pass_on(&mut self) -> io::Result<()> {
        let mut next = self.written.try_recv().unwrap_or_else(|_| Vec::with_capacity(PIECE));
        next.clear();
        let piece = mem::replace(&mut self.piece, next);
        // The thread only stops taking pieces if it failed.
        self.pieces.send(piece).or_else(|_| joined(self.thread.take()).map(drop))
    }
}

/// What the thread returned.
fn joined(thread: Option<JoinHandle<Written>>) -> Written {
    let ended = || io::Error::other("the thread that writes the file ended");
    thread.ok_or_else(ended)?.join().map_err(|_| ended())?
}

impl Write for HashingFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let taken = bytes.len().min(PIECE - self.piece.len());
        self.piece.extend_from_slice(&bytes[..taken]);
        if self.piece.len() == PIECE {
            self.pass_on()?;
        }
        Ok(taken)
    }

    /// Passes on what is left, which is written soon.
    fn flush(&mut self) -> io::Result<()> {
        if self.piece.is_empty() { Ok(()) } else { self.pass_on() }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Seek};

    use super::*;

    #[test]
    fn hash_is_that_of_the_file() {
        let mut file = tempfile::tempfile().unwrap();
        let mut hashing = HashingFile::new(file.try_clone().unwrap(), true);
        let mut whole = Vec::new();
        for number in 0..WAITING * 3 {
            let piece = vec![b'a' + u8::try_from(number).unwrap(); number * PIECE / 7];
            hashing.write_all(&piece).unwrap();
            whole.extend(piece);
            if number % 5 == 0 {
                hashing.flush().unwrap();
            }
        }
        let expected: [u8; 32] = Sha256::digest(&whole).into();
        assert_eq!(hashing.finish().unwrap(), Some(expected));
        let mut written = Vec::new();
        file.rewind().unwrap();
        file.read_to_end(&mut written).unwrap();
        assert!(written == whole, "each byte is written once, in order");
        let empty = HashingFile::new(tempfile::tempfile().unwrap(), true);
        assert_eq!(empty.finish().unwrap(), Some(Sha256::digest([]).into()));
        let unhashed = HashingFile::new(tempfile::tempfile().unwrap(), false);
        assert_eq!(unhashed.finish().unwrap(), None);
    }

    #[test]
    #[cfg(unix)]
    fn error_of_the_thread_is_returned() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let mut hashing = HashingFile::new(File::open(file.path()).unwrap(), true);
        let written = hashing.write_all(&vec![0; PIECE * (WAITING + 3)]);
        let error = written.expect_err("the file is open for reading only");
        assert_eq!(error.raw_os_error(), Some(9), "{error}");
        assert!(hashing.finish().is_err());
        let mut small = HashingFile::new(File::open(file.path()).unwrap(), true);
        small.write_all(b"a").unwrap();
        assert_eq!(small.finish().unwrap_err().raw_os_error(), Some(9));
    }
}
