//! Writes a bundle while its files are created.

use std::{
    collections::BTreeMap,
    fs::{self, File, Metadata},
    io::{self, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::SystemTime,
};

use super::{
    About, BundleError, Manifest, Sha256Hash,
    archive_writer::ArchiveWriter,
    copied::{CopiedFile, key_of},
    kept_contents, member,
};
use crate::{
    output::Output,
    result_cache::{ContentName, Key, Kind, Place, ResultCache},
    stamp::Stamp,
};

/// Extensions of files that builds make.
const MADE: [&str; 7] = ["css", "html", "js", "json", "md", "txt", "xml"];
/// Bytes of a file on disk that are read to decide whether deflating helps.
const SAMPLE: u64 = 64 * 1024;

/// Takes the files of a site, deflates and hashes them on the caller's threads, and assembles the bundle at the
/// end. Files can arrive in any order; of two with the same path, the later one is used.
///
/// Finished members wait in a file, the spool, so that memory use doesn't grow with the site. With a cache, deflated
/// ones wait there, and later builds deflate only new contents.
#[derive(Debug)]
pub struct BundleWriter {
    spool: Mutex<Spool>,
    files: Mutex<BTreeMap<String, Finished>>,
    cache: Option<Arc<ResultCache>>,
    /// When the writer was made, as the file system counts time.
    began: Option<SystemTime>,
}

/// An append-only file.
#[derive(Debug)]
struct Spool {
    file: File,
    end: u64,
}

/// A file of the site whose member is known.
#[derive(Debug)]
pub(super) struct Finished {
    pub(super) size: u64,
    sha256: Sha256Hash,
    /// Length of the member, and whether it stores the contents as they are.
    pub(super) length: u64,
    pub(super) stored: bool,
    place: MemberSource,
}

/// The source of a member.
#[derive(Debug)]
enum MemberSource {
    /// From this byte of the spool.
    Spool(u64),
    /// An entry of the cache.
    Cache(Place),
    /// A file on disk that is read a second time. It had this checksum, or it has the stamp that it had then.
    Disk { path: PathBuf, checksum: u32, stamp: Option<Stamp> },
}

impl BundleWriter {
    /// A writer with an empty spool file, which must be readable and writable.
    pub fn new(spool: File) -> Self {
        let began = spool.metadata().and_then(|metadata| metadata.modified()).ok();
        let spool = Mutex::new(Spool { file: spool, end: 0 });
        Self { spool, files: Mutex::default(), cache: None, began }
    }

    /// A writer that also takes members of earlier builds from a cache, and adds new ones to it.
    pub fn with_cache(spool: File, cache: Arc<ResultCache>) -> Self {
        Self { cache: Some(cache), ..Self::new(spool) }
    }

    /// Writes the bundle, from its first byte to its last, and returns its manifest.
    pub fn finish(self, about: About, output: impl Write) -> Result<Manifest, BundleError> {
        let mut archive = ArchiveWriter::new(output);
        self.add_to(&mut archive)?;
        Ok(archive.finish(about)?.0)
    }

    /// Adds all files to an archive.
    pub(super) fn add_to(self, archive: &mut ArchiveWriter<impl Write>) -> Result<(), BundleError> {
        let spool = self.spool.into_inner().unwrap_or_else(PoisonError::into_inner).file;
        let mut others = self.files.into_inner().unwrap_or_else(PoisonError::into_inner);
        let leading = take_leading(&mut others);
        let cache = self.cache.as_deref();
        for files in [leading, others] {
            archive.add(files, |file, output| copy_member((Some(&spool), cache), file, output))?;
        }
        Ok(())
    }

    /// Takes out the files that lead the archive, unless some of them are in the spool, which is in use until the end.
    pub(super) fn take_leading_early(&self) -> Option<BTreeMap<String, Finished>> {
        let is_in_spool = |file: &Finished| matches!(file.place, MemberSource::Spool(_));
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        let mut leading = take_leading(&mut files);
        if leading.values().any(is_in_spool) {
            files.append(&mut leading);
            return None;
        }
        Some(leading)
    }

    pub(super) fn shared_cache(&self) -> Option<Arc<ResultCache>> {
        self.cache.clone()
    }

    fn add(&self, path: &str, finished: Finished) {
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        files.insert(path.to_owned(), finished);
    }

    /// Adds a file to the site whose contents have a name. Returns whether [`reuse`](Output::reuse) finds them.
    fn write_contents(&self, path: &str, name: &ContentName, contents: &[u8]) -> io::Result<bool> {
        if let Some(known) = self.known(name) {
            if known.length() > 0 {
                self.add(path, Finished::cached(name, known));
                return Ok(true);
            }
            // Deflating doesn't help.
            let mut stored = Vec::new();
            member::store(contents, name.size, &mut stored)?;
            self.spool(path, name, &stored, true)?;
            return Ok(false);
        }
        let (member, is_stored) = member::encode(contents)?;
        // Stored contents take longer to read from the cache than to store again.
        let kept: &[u8] = if is_stored { &[] } else { &member };
        let place = self.cache.as_ref().and_then(|cache| cache.add(name.key(), kept));
        if let Some(place) = place.filter(|_| !is_stored) {
            self.add(path, Finished::cached(name, place));
            return Ok(true);
        }
        self.spool(path, name, &member, is_stored)?;
        Ok(false)
    }

    /// Adds a file on disk that is stored as it is.
    fn add_from_disk(&self, path: &str, from: &Path, copied: &CopiedFile, stamp: Option<Stamp>) {
        let CopiedFile { name, checksum } = *copied;
        let place = MemberSource::Disk { path: from.to_owned(), checksum, stamp };
        let (length, sha256) = (member::stored_length(name.size), Sha256Hash(name.sha256));
        self.add(path, Finished { size: name.size, sha256, length, stored: true, place });
    }

    /// The stamp of a file on disk, if later builds can use it.
    fn stamp(&self, metadata: &Metadata) -> Option<Stamp> {
        Some(Stamp::of(metadata))
            .filter(|stamp| self.began.is_some_and(|began| stamp.is_settled(began)))
    }

    fn stamp_of(&self, path: &Path) -> Option<Stamp> {
        self.stamp(&fs::metadata(path).ok()?)
    }

    /// The place of contents in the cache, if they are there. Without length, the contents have to be stored.
    fn known(&self, name: &ContentName) -> Option<Place> {
        Some(self.cache.as_ref()?.get(&name.key())?.0)
    }

    /// Adds a file to the site whose member waits in the spool.
    fn spool(&self, path: &str, name: &ContentName, member: &[u8], stored: bool) -> io::Result<()> {
        let mut spool = self.spool.lock().unwrap_or_else(PoisonError::into_inner);
        let place = MemberSource::Spool(spool.append(member)?);
        drop(spool);
        let (size, sha256) = (name.size, Sha256Hash(name.sha256));
        self.add(path, Finished { size, sha256, length: member.len() as u64, stored, place });
        Ok(())
    }
}

impl Finished {
    /// Whether a file at a path is among the first of the archive: it is large, and no build makes such files, so it is
    /// known before the others.
    fn leads(&self, path: &str) -> bool {
        let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
        let is_made = MADE.contains(&extension.to_ascii_lowercase().as_str());
        self.size >= SAMPLE && !is_made && !path.starts_with("_docwright/")
    }

    /// A file whose deflated member is in the cache.
    const fn cached(name: &ContentName, place: Place) -> Self {
        Self {
            size: name.size,
            sha256: Sha256Hash(name.sha256),
            length: place.length(),
            stored: false,
            place: MemberSource::Cache(place),
        }
    }
}

/// Takes out the files that lead the archive.
fn take_leading(files: &mut BTreeMap<String, Finished>) -> BTreeMap<String, Finished> {
    files.extract_if(.., |path, file| file.leads(path)).collect()
}

/// Whether deflating the start of a file on disk doesn't help.
fn is_incompressible(path: &Path) -> io::Result<bool> {
    let mut sample = Vec::new();
    File::open(path)?.take(SAMPLE).read_to_end(&mut sample)?;
    Ok(member::encode(&sample)?.1)
}

/// Whether deflating the start of a file on disk with these contents doesn't help, or didn't in an earlier build.
fn is_incompressible_again(
    path: &Path,
    name: &ContentName,
    cache: &ResultCache,
) -> io::Result<bool> {
    let key = Key { kind: Kind::Sampled, hash: name.sha256 };
    if let Some((_, known)) = cache.get(&key) {
        return Ok(known == [1]);
    }
    let is_stored = is_incompressible(path)?;
    cache.add(key, &[u8::from(is_stored)]);
    Ok(is_stored)
}

/// Adds the member of a file, and returns the SHA-256 of its contents. Without a spool, no member can be in it.
pub(super) fn copy_member(
    (spool, cache): (Option<&File>, Option<&ResultCache>),
    file: &Finished,
    output: &mut impl Write,
) -> Result<Sha256Hash, BundleError> {
    let (path, checksum, stamp) = match &file.place {
        MemberSource::Disk { path, checksum, stamp } => (path, *checksum, stamp),
        MemberSource::Cache(place) => {
            let member = cache.and_then(|cache| cache.read(place));
            output.write_all(&member.ok_or_else(kept_contents::cache_changed)?)?;
            return Ok(file.sha256);
        }
        MemberSource::Spool(offset) => {
            let mut spool = spool.ok_or_else(|| io::Error::from(io::ErrorKind::Unsupported))?;
            spool.seek(SeekFrom::Start(*offset))?;
            let copied = io::copy(&mut spool.take(file.length), output)?;
            if copied != file.length {
                return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
            }
            return Ok(file.sha256);
        }
    };
    let contents = File::open(path)?.take(file.size);
    let found = match member::store(contents, file.size, output) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
            return Err(file_changed(path).into());
        }
        found => found?,
    };
    if found == checksum {
        return Ok(file.sha256);
    }
    let stamp = stamp.as_ref().zip(cache);
    let changed = stamp.map(|stamp| measure_again(path, stamp)).transpose()?;
    let is_copied =
        |changed: &CopiedFile| (changed.checksum, changed.name.size) == (found, file.size);
    let changed = changed.flatten().filter(is_copied);
    Ok(Sha256Hash(changed.ok_or_else(|| file_changed(path))?.name.sha256))
}

/// Forgets a stamp that was that of other contents, and returns those that the file has now. `None` if they aren't stored
/// as they are.
fn measure_again(
    path: &Path,
    (stamp, cache): (&Stamp, &ResultCache),
) -> io::Result<Option<CopiedFile>> {
    cache.add(key_of(stamp), &[]);
    let is_stored = is_incompressible(path)?;
    if !is_stored {
        // The build fails, and the next one must not.
        cache.save()?;
    }
    CopiedFile::measure(path).map(|found| is_stored.then_some(found))
}

fn file_changed(path: &Path) -> io::Error {
    let name = path.file_name().unwrap_or_default().display();
    io::Error::other(format!("{name} was changed while it was read"))
}

impl Output for BundleWriter {
    fn write(&self, path: &str, contents: &[u8]) -> io::Result<()> {
        self.write_contents(path, &ContentName::of(contents), contents).map(drop)
    }

    fn cache(&self) -> Option<&ResultCache> {
        self.cache.as_deref()
    }

    fn write_named(&self, path: &str, contents: &[u8]) -> io::Result<Option<ContentName>> {
        let name = ContentName::of(contents);
        let is_kept = self.write_contents(path, &name, contents)?;
        Ok(is_kept.then_some(name))
    }

    fn reuse(&self, path: &str, name: &ContentName) -> io::Result<bool> {
        let Some(known) = self.known(name).filter(|known| known.length() > 0) else {
            return Ok(false);
        };
        self.add(path, Finished::cached(name, known));
        Ok(true)
    }

    fn contents(&self, name: &ContentName) -> Option<Vec<u8>> {
        kept_contents::find(self.cache.as_deref()?, name)
    }

    /// Copies a large incompressible file by reading it twice, never into memory; once if an earlier build knew it.
    fn copy(&self, path: &str, from: &Path) -> io::Result<()> {
        let metadata = fs::metadata(from)?;
        if metadata.len() < SAMPLE {
            return self.write(path, &fs::read(from)?);
        }
        let Some(cache) = self.cache.as_deref() else {
            if is_incompressible(from)? {
                self.add_from_disk(path, from, &CopiedFile::measure(from)?, None);
                return Ok(());
            }
            return self.write(path, &fs::read(from)?);
        };
        let stamp = self.stamp(&metadata);
        let copied = stamp.as_ref().and_then(|stamp| CopiedFile::find(cache, stamp));
        if let Some(copied) = copied {
            self.add_from_disk(path, from, &copied, stamp);
            return Ok(());
        }
        let copied = CopiedFile::measure(from)?;
        if !is_incompressible_again(from, &copied.name, cache)? {
            match self.known(&copied.name) {
                Some(known) if known.length() > 0 => {
                    self.add(path, Finished::cached(&copied.name, known));
                }
                // An earlier build deflated all of it, which didn't help.
                Some(_) => self.add_from_disk(path, from, &copied, None),
                None => self.write(path, &fs::read(from)?)?,
            }
            return Ok(());
        }
        if let Some(stamp) = stamp.filter(|_| self.stamp_of(from) == stamp) {
            copied.add(cache, &stamp);
        }
        self.add_from_disk(path, from, &copied, None);
        Ok(())
    }
}

impl Spool {
    /// Adds bytes and returns their start.
    fn append(&mut self, bytes: &[u8]) -> io::Result<u64> {
        let place = self.end;
        self.file.write_all(bytes)?;
        self.end += bytes.len() as u64;
        Ok(place)
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::time::Duration;

    use super::*;

    fn bundle(path: &Path, cache: Option<Arc<ResultCache>>) -> Vec<u8> {
        let spool = tempfile::tempfile().unwrap();
        let mut writer = BundleWriter { cache, ..BundleWriter::new(spool) };
        // As if the file had been there for long.
        writer.began = writer.began.map(|began| began + Duration::from_mins(1));
        writer.copy("a.png", path).unwrap();
        let mut bytes = Vec::new();
        writer.finish(About::default(), &mut bytes).unwrap();
        bytes
    }

    #[test]
    fn wrong_stamp_changes_no_bundle() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.png");
        let noise = (0..6_000_u32).flat_map(|number| ContentName::of(&number.to_le_bytes()).sha256);
        fs::write(&path, noise.collect::<Vec<_>>()).unwrap();
        let cold = bundle(&path, None);
        let open = || Arc::new(ResultCache::open(&folder.path().join("results"), 1 << 30));
        let build = || {
            let cache = open();
            assert!(bundle(&path, Some(Arc::clone(&cache))) == cold);
            cache.save().unwrap();
        };
        build();
        let metadata = fs::metadata(&path).unwrap();
        let changed = metadata.modified().unwrap();
        let stamp = Stamp::of(&metadata);
        assert!(!stamp.is_settled(changed), "it can change again");
        let cache = open();
        let known = CopiedFile::find(&cache, &stamp).unwrap();
        let name = ContentName { sha256: [1; 32], ..known.name };
        let wrong = CopiedFile { name, checksum: known.checksum ^ 1 };
        wrong.add(&cache, &stamp);
        cache.save().unwrap();
        // Only one build at a time adds results.
        drop(cache);
        let found = || CopiedFile::find(&open(), &stamp);
        assert_eq!(found(), Some(wrong));
        build();
        assert_eq!(found(), None, "it is forgotten");
        build();
        assert_eq!(found(), Some(known));
    }
}
