//! A file whose SHA-256 another thread computes while it is written.

use std::{
    fs::File,
    io::{self, Write},
    sync::mpsc::{SyncSender, sync_channel},
    thread::JoinHandle,
};

use sha2::{Digest, Sha256};

/// Pieces that wait for the hash at most, so that memory use stays bounded if hashing is slower than writing.
const WAITING: usize = 8;

/// A file that is written and hashed.
#[derive(Debug)]
pub(crate) struct HashingFile {
    file: File,
    pieces: SyncSender<Vec<u8>>,
    hash: JoinHandle<[u8; 32]>,
}

impl HashingFile {
    /// Hashes what is written to an empty file. Large writes are faster than small ones.
    pub(crate) fn new(file: File) -> Self {
        let (pieces, received) = sync_channel::<Vec<u8>>(WAITING);
        let hash = std::thread::spawn(move || {
            let mut hash = Sha256::new();
            for piece in received {
                hash.update(piece);
            }
            hash.finalize().into()
        });
        Self { file, pieces, hash }
    }

    /// The SHA-256 of all that was written.
    pub(crate) fn finish(self) -> io::Result<[u8; 32]> {
        drop(self.pieces);
        self.hash.join().map_err(|_| ended())
    }
}

impl Write for HashingFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes)?;
        self.pieces.send(bytes[..written].to_vec()).map_err(|_| ended())?;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

fn ended() -> io::Error {
    io::Error::other("the thread that hashes the file ended")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hash_is_that_of_the_file() {
        let mut hashing = HashingFile::new(tempfile::tempfile().unwrap());
        let mut whole = Vec::new();
        for number in 0..WAITING * 3 {
            let piece = vec![b'a' + u8::try_from(number).unwrap(); number * 1000];
            hashing.write_all(&piece).unwrap();
            whole.extend(piece);
        }
        let expected: [u8; 32] = Sha256::digest(&whole).into();
        assert_eq!(hashing.finish().unwrap(), expected);
        let empty = HashingFile::new(tempfile::tempfile().unwrap());
        assert_eq!(empty.finish().unwrap(), <[u8; 32]>::from(Sha256::digest([])));
    }
}
