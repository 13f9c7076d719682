//! The contents of the files of a docs root, from disk.

use std::{
    collections::BTreeMap,
    fs,
    io::{self, Read},
    path::Path,
    time::SystemTime,
};

use sha2::{Digest, Sha256};

use super::{
    File, Limits, MAXIMUM_ASSET, MAXIMUM_DATA, MAXIMUM_TEXT, ReadSource, Source, SourceError,
    SourceSnapshot, TooLarge, is_safe_path, texts::Texts, walk::walk,
};
use crate::{
    Diagnostic, Rule,
    stamp::{SeenFile, Snapshot, Stamp, hash_of},
};

/// Endings of files that are read as text.
const TEXT: &[&str] = &[
    "mdx", "md", "json", "yaml", "yml", "jsx", "tsx", "ts", "js", "css", "svg", "txt", "xml",
    "graphql",
];

/// Endings of text files that can be as long as data: API specs are one file.
const DATA: &[&str] = &["json", "yaml", "yml"];

const HELP: &str = "split it, make it smaller, or put it on a file host and link to it";
const DATA_HELP: &str =
    "split it into several files, such as an API spec whose `$ref`s lead to other files";

/// See [`Source::read_for_build`].
pub(super) fn read(
    root: &Path,
    limits: &Limits,
    (skipped, now): (Option<&Path>, Option<SystemTime>),
) -> Result<ReadSource, SourceError> {
    let unreadable = |error| SourceError::Unreadable { path: "the docs root".to_owned(), error };
    let root = root.canonicalize().map_err(unreadable)?;
    fs::read_dir(&root).map_err(unreadable)?;
    let mut reader = Reader {
        limits,
        too_large: BTreeMap::new(),
        files: BTreeMap::new(),
        texts: Texts::default(),
        bytes: Vec::new(),
        text: 0,
        diagnostics: Vec::new(),
        seen: now.map(Seen::new),
    };
    let skipped = skipped.and_then(|skipped| skipped.canonicalize().ok());
    let walked = (limits, skipped.as_deref());
    let found = walk(&root, walked, &mut |from, path| reader.take(from, path))?;
    let Reader { files, too_large, mut diagnostics, seen, .. } = reader;
    let seen = seen.and_then(Seen::into_snapshot);
    let snapshot = seen.map(|files| SourceSnapshot { files, found: found.clone() });
    diagnostics.extend(found);
    let source = Source { files, too_large, ..Source::default() };
    Ok(ReadSource { source, snapshot, diagnostics })
}

/// The first bytes of a file.
pub(super) fn head(path: &Path, length: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    fs::File::open(path)?.take(length as u64).read_to_end(&mut bytes)?;
    Ok(bytes)
}

struct Reader<'a> {
    limits: &'a Limits,
    files: BTreeMap<String, File>,
    too_large: BTreeMap<String, TooLarge>,
    texts: Texts,
    /// The bytes of the last text file. Each file uses the memory again.
    bytes: Vec<u8>,
    /// Bytes of text so far.
    text: u64,
    diagnostics: Vec<Diagnostic>,
    /// If the caller wants a snapshot.
    seen: Option<Seen>,
}

/// The files of a snapshot so far.
struct Seen {
    now: SystemTime,
    /// `None` if a file can't be in a snapshot.
    files: Option<Vec<SeenFile>>,
}

impl Seen {
    const fn new(now: SystemTime) -> Self {
        Self { now, files: Some(Vec::new()) }
    }

    /// Adds a file, whose contents are needed only if they can change without another stamp.
    fn add(&mut self, path: &str, from: &Path) {
        let stamp = fs::metadata(from).map(|metadata| Stamp::of(&metadata)).ok();
        let seen = stamp.map(|stamp| SeenFile {
            path: path.to_owned(),
            stamp,
            is_settled: stamp.is_settled(self.now),
            contents: None,
        });
        match (&mut self.files, seen) {
            (Some(files), Some(seen)) => files.push(seen),
            _ => self.files = None,
        }
    }

    /// Adds the contents of the last file if they are needed. Without `bytes`, they are on disk.
    fn add_contents(&mut self, from: &Path, bytes: Option<&[u8]>) {
        let last = self.files.as_mut().and_then(|files| files.last_mut());
        if let Some(file) = last.filter(|file| !file.is_settled && file.contents.is_none()) {
            let read = |bytes: &[u8]| Some(Sha256::digest(bytes).into());
            file.contents = bytes.map_or_else(|| hash_of(from).ok(), read);
        }
    }

    fn into_snapshot(self) -> Option<Snapshot> {
        self.files.map(|files| Snapshot { files })
    }
}

impl Reader<'_> {
    fn take(&mut self, from: &Path, path: String) -> Result<(), SourceError> {
        if let Some(seen) = &mut self.seen {
            seen.add(&path, from);
        }
        if !is_safe_path(&path) || from.to_str().is_none() {
            self.diagnostics.push(
                Diagnostic::new(
                    Rule::UnsafePath,
                    path,
                    "the name of this file can't be part of an address",
                )
                .help("rename it without backslashes, colons and control characters"),
            );
            return Ok(());
        }
        match self.file(from, &path) {
            Ok(Some(file)) => drop(self.files.insert(path, file)),
            Ok(None) => {}
            Err(error) => self.diagnostics.push(
                Diagnostic::new(
                    Rule::UnreadableFile,
                    path,
                    format!("the file can't be read: {error}"),
                )
                .help("check its permissions"),
            ),
        }
        if self.files.len() > self.limits.files {
            return Err(SourceError::TooManyFiles { limit: self.limits.files });
        }
        if self.text > self.limits.text {
            return Err(SourceError::TooMuchText { limit: self.limits.text });
        }
        Ok(())
    }

    fn file(&mut self, from: &Path, path: &str) -> io::Result<Option<File>> {
        let size = fs::metadata(from)?.len();
        let extension = path.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase());
        let is_text = extension.as_deref().is_some_and(|extension| TEXT.contains(&extension));
        let is_data = extension.as_deref().is_some_and(|extension| DATA.contains(&extension));
        let (limit, help) = match (is_data, is_text) {
            (true, _) => (MAXIMUM_DATA, DATA_HELP),
            (_, true) => (MAXIMUM_TEXT, HELP),
            _ => (MAXIMUM_ASSET, HELP),
        };
        if size > limit {
            let too_large = TooLarge { size, limit };
            let message = format!("the file is left out: it has {too_large}");
            self.diagnostics.push(Diagnostic::new(Rule::FileTooLarge, path, message).help(help));
            self.too_large.insert(path.to_owned(), too_large);
            return Ok(None);
        }
        if !is_text {
            if let Some(seen) = &mut self.seen {
                seen.add_contents(from, None);
            }
            return Ok(Some(File::Disk { path: from.to_path_buf(), size }));
        }
        let mut bytes = std::mem::take(&mut self.bytes);
        bytes.clear();
        fs::File::open(from)?.take(limit).read_to_end(&mut bytes)?;
        if let Some(seen) = &mut self.seen {
            seen.add_contents(from, Some(&bytes));
        }
        self.text += bytes.len() as u64;
        let file = self.decode(&bytes, path);
        self.bytes = bytes;
        Ok(Some(file))
    }

    fn decode(&mut self, bytes: &[u8], path: &str) -> File {
        match std::str::from_utf8(bytes) {
            Ok(text) => self.texts.file(text),
            Err(error) => {
                let line = bytes[..error.valid_up_to()].split(|byte| *byte == b'\n').count();
                self.diagnostics.push(
                    Diagnostic::new(Rule::InvalidUtf8, path, "the file is not valid UTF-8 text")
                        .at(u32::try_from(line).unwrap_or(u32::MAX), 0)
                        .help("save it as UTF-8; what can't be read is shown as \u{fffd}"),
                );
                File::Text(String::from_utf8_lossy(bytes).into())
            }
        }
    }
}
