//! The files of a docs root, read safely.
//!
//! Owns: which folder is the docs root, what is read and what is ignored (`.mintignore`, the fixed
//! names), that no path or link leaves the root, and limits on size and count. Does not look inside
//! files.

mod ignored;
mod limits;
mod read;
mod root;
mod roots_among;
mod snapshot;
mod texts;
mod walk;

use std::{
    borrow::Cow,
    collections::BTreeMap,
    io,
    path::{Path, PathBuf},
    sync::Arc,
    time::SystemTime,
};

pub use ignored::has_ignored_name;
pub use limits::Limits;
pub use root::{find_root, find_root_within};
pub use roots_among::roots_among;
pub use snapshot::SourceSnapshot;

use crate::{Diagnostic, output::Output};
use texts::Texts;

/// A page or snippet larger than this is not read. Bytes.
pub const MAXIMUM_TEXT: u64 = 10 * 1024 * 1024;
/// A JSON or YAML file, such as an API spec, larger than this is not read. Bytes.
pub const MAXIMUM_DATA: u64 = 64 * 1024 * 1024;
/// A static file larger than this is not published. Bytes.
pub const MAXIMUM_ASSET: u64 = 20 * 1024 * 1024;
/// Folder of what is said to docwright and to agents rather than to readers.
pub const SETTINGS: &str = ".mintlify/";
/// Folder of docwright's own settings, such as the synonyms of search.
pub const OWN_SETTINGS: &str = ".docwright/";

/// The files of a docs root, by path below it with `/` between the parts.
#[derive(Debug, Clone, Default)]
pub struct Source {
    files: BTreeMap<String, File>,
    /// The size of files that are larger than their limit, and the limit.
    too_large: BTreeMap<String, TooLarge>,
    remote: BTreeMap<String, Arc<str>>,
    fonts: BTreeMap<String, Arc<[u8]>>,
}

/// A docs root as it was read.
#[derive(Debug)]
pub struct ReadSource {
    /// Its files.
    pub source: Source,
    /// How they were; `None` if that wasn't wanted, or a file can't be in a snapshot.
    pub snapshot: Option<SourceSnapshot>,
    /// What is wrong with them.
    pub diagnostics: Vec<Diagnostic>,
}

/// A file that is left out because of its size. Bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooLarge {
    /// Its size.
    pub size: u64,
    /// The limit for files of its kind.
    pub limit: u64,
}

impl std::fmt::Display for TooLarge {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        const MEBIBYTE: u64 = 1024 * 1024;
        // A file that is slightly too large must not seem to be as large as the limit.
        let tenths = (self.size * 10).div_ceil(MEBIBYTE);
        let (whole, tenth, limit) = (tenths / 10, tenths % 10, self.limit / MEBIBYTE);
        write!(formatter, "{whole}.{tenth} MiB, and the limit is {limit} MiB")
    }
}

/// One file.
#[derive(Debug, Clone)]
pub enum File {
    /// UTF-8 text, without a byte-order mark.
    Text(Arc<str>),
    /// Anything else, held in memory.
    Bytes(Arc<[u8]>),
    /// Anything else, left on disk until it is copied.
    Disk {
        /// Where it is.
        path: PathBuf,
        /// Its length in bytes.
        size: u64,
    },
}

/// Why a docs root can't be read at all.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// A folder can't be read.
    #[error("cannot read {path}: {error}; check the path and its permissions")]
    Unreadable {
        /// The folder.
        path: String,
        /// What the system said.
        error: io::Error,
    },
    /// No configuration was found.
    #[error(
        "{path} holds no docs.json (nor mint.json), and no folder below it does; name the folder that holds it{}",
        also(.elsewhere)
    )]
    NoRoot {
        /// The folder that was searched.
        path: String,
        /// Folders of the same repository that hold one.
        elsewhere: Vec<String>,
    },
    /// Several folders hold one.
    #[error("several folders hold a docs.json: {}; name one of them", first(.folders))]
    SeveralRoots {
        /// The folders.
        folders: Vec<String>,
    },
    /// A docs path that is no path below the repository.
    #[error(
        "`{path}` isn't a path in the repository; use a path such as guides/docs, without a slash at either end"
    )]
    UnsafePath {
        /// As it was given.
        path: String,
    },
    /// A docs path where there is no folder.
    #[error(
        "folder `{path}` not found in the repository; correct the docs path{}",
        also(.elsewhere)
    )]
    NoFolder {
        /// The docs path.
        path: String,
        /// Folders of the repository that hold a configuration.
        elsewhere: Vec<String>,
    },
    /// A docs path, or the configuration in it, that is a link to somewhere else.
    #[error(
        "`{path}` is a symbolic link that leads out of {leaves}; put the files themselves there"
    )]
    LinkOutside {
        /// The link, below the repository.
        path: String,
        /// What it leads out of.
        leaves: &'static str,
    },
    /// There are too many files.
    #[error(
        "the docs root holds more than {limit} files; name a folder with fewer, or list what is not documentation in .mintignore"
    )]
    TooManyFiles {
        /// How many there can be.
        limit: usize,
    },
    /// There are too many files, folders and links, what is left out included.
    #[error(
        "the docs root holds more than {limit} files, folders and links; name a folder with fewer, or remove links to folders"
    )]
    TooManyEntries {
        /// How many there can be.
        limit: usize,
    },
    /// Folders are inside each other too deeply.
    #[error(
        "{path} is more than {limit} folders below the docs root; move it up, or list it in .mintignore"
    )]
    TooDeep {
        /// The folder, below the docs root.
        path: String,
        /// How deep it can be.
        limit: usize,
    },
    /// The text files are too large together.
    #[error(
        "the text files of the docs root hold more than {} MB; name a folder with fewer, or list what is not documentation in .mintignore",
        .limit / 1024 / 1024
    )]
    TooMuchText {
        /// Bytes that they can hold.
        limit: u64,
    },
}

/// Folders that an error names.
const NAMED_FOLDERS: usize = 10;

/// Where else there is a configuration, if anywhere.
fn also(folders: &[String]) -> String {
    if folders.is_empty() {
        return String::new();
    }
    format!(". A docs.json is in: {}", first(folders))
}

fn first(folders: &[String]) -> String {
    let named =
        folders.iter().take(NAMED_FOLDERS).map(String::as_str).collect::<Vec<_>>().join(", ");
    match folders.len().saturating_sub(NAMED_FOLDERS) {
        0 => named,
        more => format!("{named} and {more} more"),
    }
}

/// Whether a path is in one of the folders of settings.
fn is_setting(path: &str) -> bool {
    path.starts_with(SETTINGS) || path.starts_with(OWN_SETTINGS)
}

impl Source {
    /// Reads the docs root at `root`. A file that can't be read, is too large, or is a link out of
    /// the root is left out with a diagnostic.
    pub fn read(root: &Path) -> Result<(Self, Vec<Diagnostic>), SourceError> {
        Self::read_within(root, &Limits::DEFAULT)
    }

    /// Reads the docs root at `root` within limits of the caller's own.
    pub fn read_within(
        root: &Path,
        limits: &Limits,
    ) -> Result<(Self, Vec<Diagnostic>), SourceError> {
        let ReadSource { source, diagnostics, .. } = read::read(root, limits, (None, None))?;
        Ok((source, diagnostics))
    }

    /// Reads the docs root at `root` for a build that writes to `out`, which isn't part of its input. If it is `now`, the
    /// result has a snapshot.
    pub fn read_for_build(
        root: &Path,
        out: Option<&Path>,
        now: Option<SystemTime>,
    ) -> Result<ReadSource, SourceError> {
        read::read(root, &Limits::DEFAULT, (out, now))
    }

    /// A source made of files in memory. Paths that are absolute or hold `.` or `..` are dropped.
    pub fn from_files(files: impl IntoIterator<Item = (String, Vec<u8>)>) -> Self {
        let mut texts = Texts::default();
        let files =
            files.into_iter().filter(|(path, _)| is_safe_path(path)).map(|(path, bytes)| {
                let file = match String::from_utf8(bytes) {
                    Ok(text) => texts.file(&text),
                    Err(error) => File::Bytes(error.into_bytes().into()),
                };
                (path, file)
            });
        Self { files: files.collect(), ..Self::default() }
    }

    /// Adds what is at an address on another host. It is never a file of the site.
    pub fn add_remote(&mut self, address: &str, text: &str) {
        self.remote.insert(address.to_owned(), text.into());
    }

    /// What is on other hosts: address and text.
    pub fn remote(&self) -> impl Iterator<Item = (&str, &str)> {
        self.remote.iter().map(|(address, text)| (address.as_str(), text.as_ref()))
    }

    /// Adds the font at an address on another host.
    pub fn add_font(&mut self, address: &str, bytes: &[u8]) {
        self.fonts.insert(address.to_owned(), bytes.into());
    }

    /// Fonts on other hosts: address and contents.
    pub fn fonts(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.fonts.iter().map(|(address, bytes)| (address.as_str(), bytes.as_ref()))
    }

    /// The font at an address on another host, if it was added.
    pub fn font(&self, address: &str) -> Option<&[u8]> {
        self.fonts.get(address).map(AsRef::as_ref)
    }

    /// Puts a text in the place of a file, or adds it.
    pub fn write(&mut self, path: &str, text: &str) {
        if is_safe_path(path) {
            self.files.insert(path.to_owned(), File::Text(without_mark(text).into()));
        }
    }

    /// Takes a file away.
    pub fn remove(&mut self, path: &str) {
        self.files.remove(path);
    }

    /// Puts a copy of a file at another path.
    pub fn copy(&mut self, from: &str, to: &str) {
        if let Some(file) = self.files.get(from).cloned().filter(|_| is_safe_path(to)) {
            self.files.insert(to.to_owned(), file);
        }
    }

    /// The file at a path.
    pub fn get(&self, path: &str) -> Option<&File> {
        self.files.get(path)
    }

    /// The file at a path if it is left out because of its size.
    pub fn too_large(&self, path: &str) -> Option<TooLarge> {
        self.too_large.get(path).copied()
    }

    /// Paths of files that are left out because of their size.
    pub fn too_large_paths(&self) -> impl Iterator<Item = &str> {
        self.too_large.keys().map(String::as_str)
    }

    /// Whether there is a file at a path.
    pub fn contains(&self, path: &str) -> bool {
        self.files.contains_key(path)
    }

    /// The text of a file; `None` if there is none, or it is not text.
    pub fn text(&self, path: &str) -> Option<&str> {
        match self.files.get(path)? {
            File::Text(text) => Some(text),
            File::Bytes(_) | File::Disk { .. } => None,
        }
    }

    /// Paths of all files but those in [`SETTINGS`] and [`OWN_SETTINGS`], in order.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str).filter(|path| !is_setting(path))
    }

    /// Paths of the files in [`SETTINGS`] and [`OWN_SETTINGS`], in order. They are never pages or files of the
    /// site.
    pub fn settings(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str).filter(|path| is_setting(path))
    }

    /// The text at an address on another host, if it was added.
    pub fn remote_text(&self, address: &str) -> Option<&str> {
        self.remote.get(address).map(AsRef::as_ref)
    }

    /// Up to `length` bytes from the start of a file, for a look at its header.
    pub fn head(&self, path: &str, length: usize) -> Option<Cow<'_, [u8]>> {
        match self.files.get(path)? {
            File::Text(text) => Some(Cow::Borrowed(&text.as_bytes()[..text.len().min(length)])),
            File::Bytes(bytes) => Some(Cow::Borrowed(&bytes[..bytes.len().min(length)])),
            File::Disk { path, .. } => read::head(path, length).ok().map(Cow::Owned),
        }
    }

    /// Writes a file to an output under its own path.
    pub fn publish(&self, path: &str, output: &dyn Output) -> io::Result<()> {
        match self.files.get(path) {
            Some(File::Text(text)) => output.write(path, text.as_bytes()),
            Some(File::Bytes(bytes)) => output.write(path, bytes),
            Some(File::Disk { path: from, .. }) => output.copy(path, from),
            None => Ok(()),
        }
    }
}

/// Whether a path stays below the root and can be a path on any host.
pub fn is_safe_path(path: &str) -> bool {
    !path.is_empty()
        && !path.contains(['\\', ':'])
        && !path.chars().any(char::is_control)
        && path.split('/').all(|part| !part.is_empty() && part != "." && part != "..")
}

fn without_mark(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::is_safe_path;

    #[test]
    fn unsafe_paths_are_refused() {
        for path in ["a.mdx", "a/b c.mdx", "v1.2/ä.png", "a/..b/c"] {
            assert!(is_safe_path(path), "{path}");
        }
        for path in
            ["", "/a", "a/", "a//b", "../a", "a/../b", "./a", "a\\b", "c:/a", "a\0b", "a\nb"]
        {
            assert!(!is_safe_path(path), "{path:?}");
        }
    }
}
