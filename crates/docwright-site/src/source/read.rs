//! Reading a docs root from disk.

use std::{
    collections::BTreeMap,
    fs,
    io::{self, Read},
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
};

use ignore::{DirEntry, WalkBuilder};

use super::{
    File, MAXIMUM_ASSET, MAXIMUM_FILES, MAXIMUM_TEXT, SETTINGS, Source, SourceError, is_safe_path,
    without_mark,
};
use crate::Diagnostic;

/// Endings of files that are read as text.
const TEXT: &[&str] = &[
    "mdx", "md", "json", "yaml", "yml", "jsx", "tsx", "ts", "js", "css", "svg", "txt", "xml",
    "graphql",
];
/// Folders at the root of a repository that hold no documentation.
const IGNORED_AT_ROOT: &[&str] = &["build", "dist", "coverage", "tmp", "temp"];

/// See [`Source::read`].
pub(super) fn read(root: &Path) -> Result<(Source, Vec<Diagnostic>), SourceError> {
    let unreadable = |error| SourceError::Unreadable { path: root.to_path_buf(), error };
    let root = root.canonicalize().map_err(unreadable)?;
    fs::read_dir(&root).map_err(unreadable)?;
    let refused = Arc::new(Mutex::new(Vec::new()));
    let mut reader = Reader { root: root.clone(), files: BTreeMap::new(), diagnostics: Vec::new() };
    for entry in walk(&root, &refused) {
        match entry {
            Ok(entry) => reader.take(&entry),
            Err(error) => reader.diagnostics.push(unreadable_entry(&root, &error)),
        }
        if reader.files.len() > MAXIMUM_FILES {
            return Err(SourceError::TooManyFiles { path: root });
        }
    }
    if let Ok(refused) = refused.lock() {
        reader.diagnostics.extend(refused.iter().map(|path| link_outside(&root, path)));
    }
    Ok((Source { files: reader.files, remote: BTreeMap::new() }, reader.diagnostics))
}

/// The first bytes of a file.
pub(super) fn head(path: &Path, length: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    fs::File::open(path)?.take(length as u64).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Hidden files but those in [`SETTINGS`], `.mintignore` matches and the fixed names are left out;
/// links are followed as long as they stay below the root, and the walker stops at circles.
fn walk(root: &Path, refused: &Arc<Mutex<Vec<PathBuf>>>) -> ignore::Walk {
    let (root, inside, refused) = (root, root.to_path_buf(), Arc::clone(refused));
    WalkBuilder::new(root)
        .standard_filters(false)
        .hidden(false)
        .follow_links(true)
        .add_custom_ignore_filename(".mintignore")
        .sort_by_file_name(Ord::cmp)
        .filter_entry(move |entry| {
            let name = entry.file_name().to_string_lossy();
            let hidden = name.starts_with('.') && entry.depth() > 0;
            if hidden && !(entry.depth() == 1 && SETTINGS.trim_end_matches('/') == name) {
                return false;
            }
            if name == "node_modules"
                || entry.depth() == 1 && IGNORED_AT_ROOT.contains(&name.as_ref())
            {
                return false;
            }
            if !entry.path_is_symlink() {
                return true;
            }
            let stays = entry.path().canonicalize().is_ok_and(|target| target.starts_with(&inside));
            if !stays && let Ok(mut refused) = refused.lock() {
                refused.push(entry.path().to_path_buf());
            }
            stays
        })
        .build()
}

struct Reader {
    root: PathBuf,
    files: BTreeMap<String, File>,
    diagnostics: Vec<Diagnostic>,
}

impl Reader {
    fn take(&mut self, entry: &DirEntry) {
        if !entry.file_type().is_some_and(|kind| kind.is_file()) {
            return;
        }
        let path = relative(&self.root, entry.path());
        if !is_safe_path(&path) || entry.path().to_str().is_none() {
            self.diagnostics.push(
                Diagnostic::error(
                    "unsafe-path",
                    path,
                    "the name of this file can't be part of an address",
                )
                .help("rename it without backslashes, colons and control characters"),
            );
            return;
        }
        match self.file(entry.path(), &path) {
            Ok(Some(file)) => drop(self.files.insert(path, file)),
            Ok(None) => {}
            Err(error) => self.diagnostics.push(
                Diagnostic::error(
                    "unreadable-file",
                    path,
                    format!("the file can't be read: {error}"),
                )
                .help("check its permissions"),
            ),
        }
    }

    fn file(&mut self, from: &Path, path: &str) -> io::Result<Option<File>> {
        let size = fs::metadata(from)?.len();
        let extension = path.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase());
        let is_text = extension.as_deref().is_some_and(|extension| TEXT.contains(&extension));
        let limit = if is_text { MAXIMUM_TEXT } else { MAXIMUM_ASSET };
        if size > limit {
            let megabytes = limit / 1024 / 1024;
            let message = format!("the file is larger than {megabytes} MB and is left out");
            self.diagnostics.push(
                Diagnostic::error("file-too-large", path, message)
                    .help("split it, make it smaller, or put it on a file host and link to it"),
            );
            return Ok(None);
        }
        if !is_text {
            return Ok(Some(File::Disk { path: from.to_path_buf(), size }));
        }
        Ok(Some(self.text(fs::read(from)?, path)))
    }

    fn text(&mut self, bytes: Vec<u8>, path: &str) -> File {
        match String::from_utf8(bytes) {
            Ok(text) => File::Text(without_mark(text).into()),
            Err(error) => {
                let valid = error.utf8_error().valid_up_to();
                let line = error.as_bytes()[..valid].split(|byte| *byte == b'\n').count();
                self.diagnostics.push(
                    Diagnostic::error("invalid-utf-8", path, "the file is not valid UTF-8 text")
                        .at(u32::try_from(line).unwrap_or(u32::MAX), 0)
                        .help("save it as UTF-8; what can't be read is shown as \u{fffd}"),
                );
                File::Text(String::from_utf8_lossy(error.as_bytes()).into())
            }
        }
    }
}

fn relative(root: &Path, path: &Path) -> String {
    let below = path.strip_prefix(root).unwrap_or(path);
    let parts: Vec<_> = below.components().map(|part| part.as_os_str().to_string_lossy()).collect();
    parts.join("/")
}

fn link_outside(root: &Path, path: &Path) -> Diagnostic {
    Diagnostic::error(
        "link-outside-root",
        relative(root, path),
        "this symbolic link leads out of the docs root, or nowhere",
    )
    .help("put a copy of the file into the docs root")
}

fn unreadable_entry(root: &Path, error: &ignore::Error) -> Diagnostic {
    let path = match error {
        ignore::Error::WithPath { path, .. } => relative(root, path),
        ignore::Error::Loop { child, .. } => relative(root, child),
        _ => String::new(),
    };
    Diagnostic::error("unreadable-file", path, format!("this can't be read: {error}"))
        .help("check its permissions, and that links don't run in circles")
}
