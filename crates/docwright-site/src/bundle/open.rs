//! A bundle that is served in place: its index in memory, its contents in the file.

use std::{
    fs::File,
    io::{self, BufReader, Read},
    path::Path,
    sync::Arc,
};

use flate2::bufread::GzDecoder;

use super::{
    About, BundleError, FileEntry, Manifest, Member,
    archive::MAXIMUM_MANIFEST,
    footer,
    section::{ReadAt, Section},
};

/// An opened bundle. Its file can be moved or removed in the meantime, but must not be written.
#[derive(Debug)]
pub struct Bundle {
    file: File,
    about: About,
    files: Vec<FileEntry>,
}

impl Bundle {
    /// Opens a bundle from its end. The manifest is consistent then, but only [`verify`](super::verify()) reads
    /// the whole bundle.
    pub fn open(path: &Path) -> Result<Self, BundleError> {
        let file = File::open(path)?;
        let Some((offset, length)) = find_manifest(&file)? else {
            return Err(BundleError::invalid("it is cut off, or not a docwright bundle"));
        };
        let member = GzDecoder::new(BufReader::new(Section::new(&file, offset, length)));
        let mut json = Vec::new();
        let read = member.take(MAXIMUM_MANIFEST + 1).read_to_end(&mut json);
        if read.map_err(BundleError::damaged)? as u64 > MAXIMUM_MANIFEST {
            return Err(BundleError::TooLarge("its manifest is too long".to_owned()));
        }
        let Manifest { about, files } = Manifest::parse(&json)?;
        // Members are before the manifest.
        match files.iter().find(|file| !ends_before(file.member, offset)) {
            Some(FileEntry { path, .. }) => {
                Err(BundleError::invalid(format!("its manifest does not say where {path} is")))
            }
            None => Ok(Self { file, about, files }),
        }
    }

    /// The kind of site.
    pub const fn about(&self) -> &About {
        &self.about
    }

    /// The files, sorted by path. The manifest is not among them.
    pub fn files(&self) -> &[FileEntry] {
        &self.files
    }

    /// The file at a path.
    pub fn get(&self, path: &str) -> Option<&FileEntry> {
        let place = self.files.binary_search_by(|file| (*file.path).cmp(path)).ok()?;
        Some(&self.files[place])
    }

    /// Whether its index equals the manifest that `.tar.gz` tools find in it.
    pub(super) fn agrees_with(&self, manifest: &Manifest) -> bool {
        self.about == manifest.about && self.files == manifest.files
    }

    /// The gzip member of a file, whole.
    pub fn member(&self, entry: &FileEntry) -> io::Result<Vec<u8>> {
        let Member { offset, length, .. } = entry.member;
        let mut bytes = vec![0; usize::try_from(length).map_err(io::Error::other)?];
        Section::new(&self.file, offset, length).read_exact(&mut bytes)?;
        Ok(bytes)
    }

    /// The contents of a file, whole.
    pub fn read(&self, entry: &FileEntry) -> io::Result<Vec<u8>> {
        let mut contents = Vec::with_capacity(usize::try_from(entry.size).unwrap_or_default());
        contents_of(&self.file, entry).read_to_end(&mut contents)?;
        Ok(contents)
    }

    /// The text of the file at a path; `None` if the file is missing or isn't text.
    pub fn read_text(&self, path: &str) -> Option<String> {
        String::from_utf8(self.read(self.get(path)?).ok()?).ok()
    }

    /// The contents of a file from the start, read on demand.
    pub fn reader(self: &Arc<Self>, entry: &FileEntry) -> impl Read + Send + use<> {
        contents_of(Arc::clone(self), entry)
    }

    /// The decoder of a file's member.
    pub(super) fn decoder(&self, entry: &FileEntry) -> Decoder<&File> {
        decoder(&self.file, entry)
    }

    /// Reads bytes of the bundle from an offset, up to its end or the buffer's size.
    pub fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        self.file.read_at(offset, buffer)
    }
}

/// Whether a member ends at an offset, or before it.
fn ends_before(member: Member, offset: u64) -> bool {
    member.offset.checked_add(member.length).is_some_and(|end| end <= offset)
}

/// Contents up to the length in the index, so that a member that expands further is harmless.
fn contents_of<S: ReadAt>(source: S, entry: &FileEntry) -> impl Read + use<S> {
    decoder(source, entry).take(entry.size)
}

fn decoder<S: ReadAt>(source: S, entry: &FileEntry) -> Decoder<S> {
    let Member { offset, length, .. } = entry.member;
    GzDecoder::new(BufReader::new(Section::new(source, offset, length)))
}

type Decoder<S> = GzDecoder<BufReader<Section<S>>>;

/// Offset and length of the manifest's member from the footer; `None` without a footer.
pub(super) fn find_manifest(file: &File) -> io::Result<Option<(u64, u64)>> {
    let Some(footer) = file.metadata()?.len().checked_sub(footer::LENGTH as u64) else {
        return Ok(None);
    };
    let mut bytes = [0; footer::LENGTH];
    Section::new(file, footer, footer::LENGTH as u64).read_exact(&mut bytes)?;
    let found = footer::decode(&bytes);
    Ok(found
        .filter(|(offset, length)| offset.checked_add(*length).is_some_and(|end| end <= footer)))
}
