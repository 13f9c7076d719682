//! Writes the archive of a bundle: the members of files in some order, then the manifest.

use std::{
    collections::BTreeMap,
    io::{self, Write},
};

use rayon::prelude::*;

use super::{
    About, BundleError, FileEntry, MANIFEST, Manifest, Member, Sha256Hash, archive, footer, member,
    write::Finished,
};

/// An archive, as far as it is written.
#[derive(Debug)]
pub(super) struct ArchiveWriter<W> {
    output: Counting<W>,
    files: Vec<FileEntry>,
}

impl<W: Write> ArchiveWriter<W> {
    pub(super) const fn new(output: W) -> Self {
        Self { output: Counting { output, written: 0 }, files: Vec::new() }
    }

    /// Adds files in the order of their paths. `copy` adds the member of one, and returns the SHA-256 of its contents.
    pub(super) fn add(
        &mut self,
        files: BTreeMap<String, Finished>,
        mut copy: impl FnMut(&Finished, &mut Counting<W>) -> Result<Sha256Hash, BundleError>,
    ) -> Result<(), BundleError> {
        let headers = self.headers(&files)?;
        for ((path, file), header) in files.into_iter().zip(headers) {
            self.output.write_all(&header)?;
            let member =
                Member { offset: self.output.written, length: file.length, stored: file.stored };
            let sha256 = copy(&file, &mut self.output)?;
            self.files.push(FileEntry { path: path.into(), size: file.size, sha256, member });
        }
        Ok(())
    }

    /// The member before each file: padding of the previous file, and the header.
    fn headers(&self, files: &BTreeMap<String, Finished>) -> io::Result<Vec<Vec<u8>>> {
        let sizes: Vec<_> = files.iter().map(|(path, file)| (path.as_str(), file.size)).collect();
        let last = self.last_size();
        let before = |place: usize| place.checked_sub(1).map_or(last, |before| sizes[before].1);
        let header = |place: usize| {
            let (path, size) = sizes[place];
            let mut bytes = archive::padding(before(place));
            bytes.extend(archive::header(path, size)?);
            member::deflate(&bytes)
        };
        (0..sizes.len()).into_par_iter().map(header).collect()
    }

    fn last_size(&self) -> u64 {
        self.files.last().map_or(0, |file| file.size)
    }

    /// Adds the manifest and the end of the bundle. Returns the manifest and the output.
    pub(super) fn finish(mut self, about: About) -> Result<(Manifest, W), BundleError> {
        let mut before = archive::padding(self.last_size());
        self.files.sort_unstable_by(|one, other| one.path.cmp(&other.path));
        let manifest = Manifest { about, files: self.files };
        let json = serde_json::to_vec_pretty(&manifest).map_err(io::Error::other)?;
        let size = json.len() as u64;
        before.extend(archive::header(MANIFEST, size)?);
        let output = &mut self.output;
        output.write_all(&member::deflate(&before)?)?;
        let contents = member::deflate(&json)?;
        let (offset, length) = (output.written, contents.len() as u64);
        output.write_all(&contents)?;
        let mut end = archive::padding(size);
        end.extend(archive::END);
        output.write_all(&member::deflate(&end)?)?;
        output.write_all(&footer::encode(offset, length))?;
        output.flush()?;
        Ok((manifest, self.output.output))
    }
}

/// Counts written bytes.
#[derive(Debug)]
pub(super) struct Counting<W> {
    output: W,
    written: u64,
}

impl<W: Write> Write for Counting<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.output.write(bytes)?;
        self.written += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }
}
