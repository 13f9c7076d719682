//! A bundle that is served in place: its index in memory, its contents in the file.

use std::{
    fs::File,
    io::{self, BufReader, Read},
    path::Path,
    sync::Arc,
};

use flate2::bufread::GzDecoder;

use super::{
    About, BundleError, FileEntry, Manifest, Member, Sha256Hash,
    archive::{self, MAXIMUM_MANIFEST},
    footer,
    section::{ReadAt, Section},
};

/// An opened bundle. Its file may be moved or removed meanwhile; it must not be written to.
#[derive(Debug)]
pub struct Bundle {
    file: File,
    about: About,
    files: Vec<IndexEntry>,
}

/// A file of an opened bundle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexEntry {
    /// Path below the site root.
    pub path: Box<str>,
    /// Length in bytes.
    pub size: u64,
    /// SHA-256 of the contents.
    pub sha256: Sha256Hash,
    /// Where the contents are.
    pub member: Member,
}

impl Bundle {
    /// Opens a bundle by its end. What it says is consistent then, but only
    /// [`verify`](super::verify()) reads all of it. One of the earlier form is [`BundleError::Old`].
    pub fn open(path: &Path) -> Result<Self, BundleError> {
        let file = File::open(path)?;
        let Some((offset, length)) = find_manifest(&file)? else {
            return Err(if archive::is_old(&file) {
                BundleError::Old
            } else {
                BundleError::invalid("it is cut off, or no bundle of docwright")
            });
        };
        let member = GzDecoder::new(BufReader::new(Section::new(&file, offset, length)));
        let mut json = Vec::new();
        let read = member.take(MAXIMUM_MANIFEST + 1).read_to_end(&mut json);
        if read.map_err(BundleError::damaged)? as u64 > MAXIMUM_MANIFEST {
            return Err(BundleError::TooLarge("its manifest is too long".to_owned()));
        }
        let Manifest { about, files } = Manifest::parse(&json)?;
        // Members lie before the manifest.
        let files = files.into_iter().map(|file| IndexEntry::new(file, offset));
        let files = files.collect::<Result<_, _>>()?;
        Ok(Self { file, about, files })
    }

    /// What the site is.
    pub const fn about(&self) -> &About {
        &self.about
    }

    /// The files, sorted by path. The manifest is not among them.
    pub fn files(&self) -> &[IndexEntry] {
        &self.files
    }

    /// The file at a path.
    pub fn get(&self, path: &str) -> Option<&IndexEntry> {
        let place = self.files.binary_search_by(|file| (*file.path).cmp(path)).ok()?;
        Some(&self.files[place])
    }

    /// Whether it was opened by the manifest that tools for `.tar.gz` find in it.
    pub(super) fn agrees_with(&self, manifest: &Manifest) -> bool {
        let own = self.files.iter().map(|file| (&*file.path, file.size, file.sha256, file.member));
        let theirs = manifest.files.iter();
        let theirs =
            theirs.filter_map(|file| Some((&*file.path, file.size, file.sha256, file.member?)));
        self.about == manifest.about && own.eq(theirs)
    }

    /// The gzip member of a file, whole.
    pub fn member(&self, entry: &IndexEntry) -> io::Result<Vec<u8>> {
        let Member { offset, length, .. } = entry.member;
        let mut bytes = vec![0; usize::try_from(length).map_err(io::Error::other)?];
        Section::new(&self.file, offset, length).read_exact(&mut bytes)?;
        Ok(bytes)
    }

    /// The contents of a file, whole.
    pub fn read(&self, entry: &IndexEntry) -> io::Result<Vec<u8>> {
        let mut contents = Vec::with_capacity(usize::try_from(entry.size).unwrap_or_default());
        contents_of(&self.file, entry).read_to_end(&mut contents)?;
        Ok(contents)
    }

    /// The contents of the file at a path; `None` if there is no such text.
    pub fn read_text(&self, path: &str) -> Option<String> {
        String::from_utf8(self.read(self.get(path)?).ok()?).ok()
    }

    /// The contents of a file from their start, read as they are asked for.
    pub fn reader(self: &Arc<Self>, entry: &IndexEntry) -> impl Read + Send + use<> {
        contents_of(Arc::clone(self), entry)
    }

    /// The decoder of a file's member.
    pub(super) fn decoder(&self, entry: &IndexEntry) -> Decoder<&File> {
        decoder(&self.file, entry)
    }

    /// Bytes of the bundle itself from a place on: as many as there are and fit.
    pub fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        self.file.read_at(offset, buffer)
    }
}

impl IndexEntry {
    /// A file whose member ends before a place.
    fn new(file: FileEntry, before: u64) -> Result<Self, BundleError> {
        let FileEntry { path, size, sha256, member } = file;
        let inside = |member: &Member| {
            member.offset.checked_add(member.length).is_some_and(|end| end <= before)
        };
        match member.filter(inside) {
            Some(member) => Ok(Self { path, size, sha256, member }),
            None => Err(BundleError::invalid(format!("its manifest does not say where {path} is"))),
        }
    }
}

/// Contents, no more of them than the index says, so that a member that grows is harmless.
fn contents_of<S: ReadAt>(source: S, entry: &IndexEntry) -> impl Read + use<S> {
    decoder(source, entry).take(entry.size)
}

fn decoder<S: ReadAt>(source: S, entry: &IndexEntry) -> Decoder<S> {
    let Member { offset, length, .. } = entry.member;
    GzDecoder::new(BufReader::new(Section::new(source, offset, length)))
}

type Decoder<S> = GzDecoder<BufReader<Section<S>>>;

/// Offset and length of the manifest's member, by the footer; `None` if there is no footer.
fn find_manifest(file: &File) -> io::Result<Option<(u64, u64)>> {
    let Some(footer) = file.metadata()?.len().checked_sub(footer::LENGTH as u64) else {
        return Ok(None);
    };
    let mut bytes = [0; footer::LENGTH];
    Section::new(file, footer, footer::LENGTH as u64).read_exact(&mut bytes)?;
    let found = footer::decode(&bytes);
    Ok(found
        .filter(|(offset, length)| offset.checked_add(*length).is_some_and(|end| end <= footer)))
}
