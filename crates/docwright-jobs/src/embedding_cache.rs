//! Vectors of texts by the hash of their text and model, so that only changed sections are embedded again.
//!
//! The vectors are in files, by the model and by the first digits of their hash. A file is a sequence of records: the
//! hash of a text, its vector, and a checksum. Sites share them, because only its text leads to a vector. When the
//! cache is full, the files that changed least recently are deleted.

use std::{
    collections::HashMap,
    fmt,
    fs::{self, OpenOptions},
    io::{self, Write as _},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use docwright_site::embedding::{Embedder, EmbeddingError, check_vectors};
use sha2::{Digest, Sha256};

use crate::least_recent::over_room;

/// Bytes of all files.
const ROOM: u64 = 512 * 1024 * 1024;
/// Bytes of a hash.
const HASH: usize = 32;
/// Bytes of a record's checksum: the first ones of its SHA-256.
const CHECKSUM: usize = 4;

/// The vector of a text by its hash.
type Known = HashMap<[u8; HASH], Vec<f32>>;

/// An embedder whose vectors are kept in a folder.
pub struct CachedEmbedder {
    embedder: Arc<dyn Embedder>,
    folder: PathBuf,
    room: u64,
    /// Only one thread reads or writes files.
    files: Mutex<()>,
}

impl fmt::Debug for CachedEmbedder {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("CachedEmbedder")
            .field("folder", &self.folder)
            .finish_non_exhaustive()
    }
}

impl CachedEmbedder {
    /// Keeps the vectors of an embedder in a folder, which it creates.
    pub fn new(embedder: Arc<dyn Embedder>, folder: PathBuf) -> Self {
        Self { embedder, folder, room: ROOM, files: Mutex::default() }
    }

    /// Reads the vectors of hashes, as far as they are known. A file that can't be read has none. The end of a damaged
    /// file is cut off, so that records that are added can be read.
    fn read(&self, hashes: &[[u8; HASH]]) -> Known {
        let _lock = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        let mut known = Known::new();
        let mut files: Vec<u8> = hashes.iter().map(|hash| hash[0]).collect();
        files.sort_unstable();
        files.dedup();
        for path in files.into_iter().map(|file| self.path(file)) {
            let contents = fs::read(&path).unwrap_or_default();
            let mut whole = 0;
            for (hash, vector) in records(&contents) {
                whole += record_length(&vector);
                if hashes.contains(&hash) {
                    known.insert(hash, vector);
                }
            }
            if whole < contents.len()
                && let Err(error) = cut(&path, whole)
            {
                tracing::warn!(%error, "damaged embeddings not removed");
            }
        }
        known
    }

    /// Adds vectors.
    fn write(&self, new: &Known) -> io::Result<()> {
        let _lock = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        fs::create_dir_all(self.folder.join(self.embedder.model()))?;
        for (hash, vector) in new {
            let path = self.path(hash[0]);
            let mut file = OpenOptions::new().create(true).append(true).open(path)?;
            file.write_all(&record(hash, vector))?;
        }
        make_room(&self.folder, self.room)
    }

    fn path(&self, file: u8) -> PathBuf {
        self.folder.join(self.embedder.model()).join(format!("{file:02x}"))
    }
}

impl Embedder for CachedEmbedder {
    fn model(&self) -> &str {
        self.embedder.model()
    }

    fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, EmbeddingError> {
        let hash = |text: &String| -> [u8; HASH] { Sha256::digest(text).into() };
        let hashes: Vec<_> = texts.iter().map(hash).collect();
        let mut known = self.read(&hashes);
        let is_new = |(_, hash): &(&String, &[u8; HASH])| !known.contains_key(*hash);
        let missing: Vec<_> = texts.iter().zip(&hashes).filter(is_new).collect();
        if !missing.is_empty() {
            let texts: Vec<_> = missing.iter().map(|(text, _)| (*text).clone()).collect();
            let vectors = self.embedder.embed(&texts)?;
            check_vectors(&vectors, texts.len())?;
            let new: Known = missing.iter().map(|(_, hash)| **hash).zip(vectors).collect();
            if let Err(error) = self.write(&new) {
                tracing::warn!(%error, "embeddings not cached");
            }
            known.extend(new);
        }
        let vector = |hash| {
            known
                .get(hash)
                .cloned()
                .ok_or_else(|| EmbeddingError("a text has no vector".to_owned()))
        };
        hashes.iter().map(vector).collect()
    }
}

/// The bytes of a record.
fn record(hash: &[u8; HASH], vector: &[f32]) -> Vec<u8> {
    let mut record = hash.to_vec();
    record.extend(u32::try_from(vector.len()).unwrap_or_default().to_le_bytes());
    record.extend(vector.iter().flat_map(|number| number.to_le_bytes()));
    record.extend(checksum(&record));
    record
}

fn checksum(record: &[u8]) -> [u8; CHECKSUM] {
    let [first, second, third, fourth, ..] = <[u8; HASH]>::from(Sha256::digest(record));
    [first, second, third, fourth]
}

const fn record_length(vector: &[f32]) -> usize {
    HASH + 4 + vector.len() * 4 + CHECKSUM
}

/// Cuts a file to its first bytes.
fn cut(path: &Path, length: usize) -> io::Result<()> {
    let file = OpenOptions::new().write(true).open(path)?;
    file.set_len(u64::try_from(length).map_err(io::Error::other)?)
}

/// The records of a file, up to one that is damaged.
fn records(contents: &[u8]) -> impl Iterator<Item = ([u8; HASH], Vec<f32>)> {
    let mut rest = contents;
    std::iter::from_fn(move || {
        let (hash, after) = rest.split_first_chunk::<HASH>()?;
        let (length, after) = after.split_first_chunk::<4>()?;
        let length = usize::try_from(u32::from_le_bytes(*length)).ok()?;
        let (numbers, after) = after.split_at_checked(length.checked_mul(4)?)?;
        let (sum, after) = after.split_first_chunk::<CHECKSUM>()?;
        if *sum != checksum(&rest[..rest.len() - after.len() - CHECKSUM]) {
            return None;
        }
        rest = after;
        let numbers = numbers.chunks_exact(4);
        let numbers = numbers.map(|four| f32::from_le_bytes([four[0], four[1], four[2], four[3]]));
        Some((*hash, numbers.collect()))
    })
}

/// Deletes the files that changed least recently while all of them have more bytes than allowed.
fn make_room(folder: &Path, room: u64) -> io::Result<()> {
    let mut files = Vec::new();
    for model in fs::read_dir(folder)? {
        for file in fs::read_dir(model?.path())? {
            let (path, metadata) = file.and_then(|file| Ok((file.path(), file.metadata()?)))?;
            files.push((metadata.modified()?, metadata.len(), path));
        }
    }
    over_room(files, room).into_iter().try_for_each(fs::remove_file)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counts the texts that it embeds.
    #[derive(Debug, Default)]
    struct Counting {
        texts: Mutex<Vec<String>>,
        fails: bool,
    }

    impl Embedder for Counting {
        fn model(&self) -> &'static str {
            "m"
        }

        fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, EmbeddingError> {
            if self.fails {
                return Err(EmbeddingError("down".to_owned()));
            }
            self.texts.lock().unwrap().extend(texts.iter().cloned());
            #[expect(clippy::cast_precision_loss, reason = "short texts")]
            Ok(texts.iter().map(|text| vec![text.len() as f32, 0.1]).collect())
        }
    }

    fn texts(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|text| (*text).to_owned()).collect()
    }

    #[test]
    fn only_new_texts_are_embedded() {
        let folder = tempfile::tempdir().unwrap();
        let counting = Arc::new(Counting::default());
        let cached = || CachedEmbedder::new(counting.clone(), folder.path().join("cache"));
        assert_eq!(cached().embed(&texts(&["a", "bb"])).unwrap(), [[1.0, 0.1], [2.0, 0.1]]);
        let all = cached().embed(&texts(&["bb", "ccc", "a", "ccc"])).unwrap();
        assert_eq!(all, [[2.0, 0.1], [3.0, 0.1], [1.0, 0.1], [3.0, 0.1]]);
        assert_eq!(*counting.texts.lock().unwrap(), ["a", "bb", "ccc", "ccc"]);
    }

    /// Texts whose records are in the same file.
    fn neighbors() -> Vec<String> {
        let text = |number: &u32| format!("text {number}");
        let file = |text: &str| Sha256::digest(text)[0];
        let is_near = |number: &u32| file(&text(number)) == file(&text(&0));
        (0..).filter(is_near).map(|number| text(&number)).take(3).collect()
    }

    #[test]
    fn damaged_file_costs_its_vectors_only() {
        let [first, second, third] = neighbors().try_into().unwrap();
        for cut in [1, CHECKSUM as u64 + 1, 30] {
            let folder = tempfile::tempdir().unwrap();
            let counting = Arc::new(Counting::default());
            let cached = CachedEmbedder::new(counting.clone(), folder.path().to_owned());
            let embed = |text: &String| cached.embed(std::slice::from_ref(text)).unwrap();
            embed(&first);
            let before = embed(&second);
            let path = cached.path(Sha256::digest(&first)[0]);
            let length = fs::metadata(&path).unwrap().len();
            fs::File::options().write(true).open(&path).unwrap().set_len(length - cut).unwrap();
            // What is added later isn't read as the rest of the record that was cut off.
            embed(&third);
            assert_eq!(embed(&second), before);
            for known in [&first, &second, &third] {
                embed(known);
            }
            assert_eq!(counting.texts.lock().unwrap().len(), 4, "only one was lost");
        }
    }

    #[test]
    fn failure_keeps_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let failing = Counting { fails: true, ..Counting::default() };
        let cached = CachedEmbedder::new(Arc::new(failing), folder.path().join("cache"));
        assert_eq!(cached.embed(&texts(&["a"])), Err(EmbeddingError("down".to_owned())));
        assert!(!folder.path().join("cache").exists());
    }

    #[test]
    fn full_cache_forgets_oldest_files() {
        let folder = tempfile::tempdir().unwrap();
        let mut cached = CachedEmbedder::new(Arc::<Counting>::default(), folder.path().to_owned());
        cached.room = 50 * (HASH as u64 + 12);
        for number in 0..200 {
            cached.embed(&texts(&[&format!("text {number}")])).unwrap();
        }
        let files = fs::read_dir(folder.path().join("m")).unwrap();
        let total: u64 = files.map(|file| file.unwrap().metadata().unwrap().len()).sum();
        assert!(total > 0 && total <= cached.room, "{total}");
    }
}
