//! Lists the files of a docs root: folders, links, and exclusions. It reads only files with patterns.
//!
//! A real folder is visited once. A link to a folder is followed if it stays below the root, but links to
//! folders inside of it aren't followed, so links can't multiply the work.

use std::{
    ffi::OsString,
    fs::{self, FileType},
    io,
    path::{Path, PathBuf},
};

use super::{
    Limits, SourceError,
    ignored::{PATTERNS, Patterns, is_ignored_name},
};
use crate::{Diagnostic, Rule};

/// Maximum number of reported links that aren't followed, since a few folders can contain very many.
const MAXIMUM_REPORTS: usize = 50;

/// A function for each file, with its path on disk and below the root.
pub(super) type Visit<'v> = dyn FnMut(&Path, String) -> Result<(), SourceError> + 'v;

/// Visits the files of a docs root but those at or below a skipped path. `root` and that path are canonical.
pub(super) fn walk(
    root: &Path,
    (limits, skipped): (&Limits, Option<&Path>),
    visit: &mut Visit<'_>,
) -> Result<Vec<Diagnostic>, SourceError> {
    let mut walker = Walker {
        root,
        limits,
        skipped,
        visit,
        patterns: Patterns::default(),
        entries: 0,
        not_followed: 0,
        diagnostics: Vec::new(),
    };
    let folder =
        Folder { path: root.to_path_buf(), real: root.to_path_buf(), linked: false, depth: 0 };
    walker.folder(&folder)?;
    Ok(walker.diagnostics)
}

/// A folder on the current path.
struct Folder {
    /// Where it is seen.
    path: PathBuf,
    /// Where it is.
    real: PathBuf,
    /// Whether a link leads to it, or to a parent folder.
    linked: bool,
    /// Folders around it below the root, with itself.
    depth: usize,
}

struct Walker<'w, 'v> {
    root: &'w Path,
    limits: &'w Limits,
    skipped: Option<&'w Path>,
    visit: &'w mut Visit<'v>,
    patterns: Patterns,
    entries: usize,
    not_followed: usize,
    diagnostics: Vec<Diagnostic>,
}

impl Walker<'_, '_> {
    fn folder(&mut self, folder: &Folder) -> Result<(), SourceError> {
        if folder.depth > self.limits.depth {
            let path = relative(self.root, &folder.path);
            return Err(SourceError::TooDeep { path, limit: self.limits.depth });
        }
        let entries = match self.entries_of(&folder.path)? {
            Ok(entries) => entries,
            Err(error) => {
                let path = relative(self.root, &folder.path);
                self.diagnostics.push(unreadable(path, &error));
                return Ok(());
            }
        };
        let has_patterns = entries.iter().any(|(name, _)| name == PATTERNS);
        if has_patterns {
            self.enter_patterns(folder);
        }
        let ended = entries.iter().try_for_each(|(name, kind)| {
            let is_ignored = is_ignored_name(&name.to_string_lossy(), folder.depth == 0);
            if is_ignored { Ok(()) } else { self.entry(folder, name, *kind) }
        });
        if has_patterns {
            self.patterns.leave();
        }
        ended
    }

    /// Names and kinds of a folder's entries, by name, without following links.
    fn entries_of(
        &mut self,
        folder: &Path,
    ) -> Result<io::Result<Vec<(OsString, FileType)>>, SourceError> {
        let listing = match fs::read_dir(folder) {
            Ok(listing) => listing,
            Err(error) => return Ok(Err(error)),
        };
        let mut entries = Vec::new();
        for entry in listing {
            self.entries += 1;
            if self.entries > self.limits.entries {
                return Err(SourceError::TooManyEntries { limit: self.limits.entries });
            }
            match entry.and_then(|entry| Ok((entry.file_name(), entry.file_type()?))) {
                Ok(entry) => entries.push(entry),
                Err(error) => return Ok(Err(error)),
            }
        }
        entries.sort_by(|one, other| one.0.cmp(&other.0));
        Ok(Ok(entries))
    }

    /// Reads only regular files below the root, since reading others might never end.
    fn enter_patterns(&mut self, folder: &Folder) {
        let file = folder.path.join(PATTERNS);
        let shown = relative(self.root, &file);
        let target = self.target(&file).filter(|target| target.is_file());
        let found = self.patterns.enter(&folder.path, target.as_deref(), &shown);
        self.diagnostics.extend(found);
    }

    fn entry(
        &mut self,
        folder: &Folder,
        name: &OsString,
        kind: FileType,
    ) -> Result<(), SourceError> {
        let path = folder.path.join(name);
        let is_link = kind.is_symlink();
        let is_folder = if is_link { path.is_dir() } else { kind.is_dir() };
        if self.skipped == Some(path.as_path()) || self.patterns.ignore(&path, is_folder) {
            return Ok(());
        }
        if is_link {
            return self.link(folder, path, is_folder);
        }
        if is_folder {
            let (real, linked, depth) = (folder.real.join(name), folder.linked, folder.depth + 1);
            return self.folder(&Folder { path, real, linked, depth });
        }
        // Pipes, sockets, and devices aren't files, and reading them might never end.
        if kind.is_file() { self.file(&path) } else { Ok(()) }
    }

    fn file(&mut self, path: &Path) -> Result<(), SourceError> {
        (self.visit)(path, relative(self.root, path))
    }

    fn link(&mut self, folder: &Folder, path: PathBuf, is_folder: bool) -> Result<(), SourceError> {
        let Some(real) = self.target(&path) else {
            self.diagnostics.push(link_outside(relative(self.root, &path)));
            return Ok(());
        };
        if !is_folder {
            return if real.is_file() { self.file(&path) } else { Ok(()) };
        }
        if folder.real.starts_with(&real) {
            self.report_not_followed(&path, "leads to a folder that holds it");
        } else if folder.linked {
            self.report_not_followed(&path, "is in a folder that is itself reached through a link");
        } else {
            return self.folder(&Folder { path, real, linked: true, depth: folder.depth + 1 });
        }
        Ok(())
    }

    /// The real path of a file or link, if it is below the root and isn't in git's own data, which can contain
    /// credentials.
    fn target(&self, path: &Path) -> Option<PathBuf> {
        let target = path.canonicalize().ok()?;
        let below = target.strip_prefix(self.root).ok()?;
        let is_git = below.components().any(|part| part.as_os_str() == ".git");
        (!is_git).then_some(target)
    }

    fn report_not_followed(&mut self, path: &Path, why: &str) {
        self.not_followed += 1;
        if self.not_followed <= MAXIMUM_REPORTS {
            let message = format!("this symbolic link {why}, and is not followed");
            let path = relative(self.root, path);
            self.diagnostics.push(
                Diagnostic::new(Rule::LinkNotFollowed, path, message)
                    .help("put the files there, or link to each file"),
            );
        }
    }
}

fn relative(root: &Path, path: &Path) -> String {
    let below = path.strip_prefix(root).unwrap_or(path);
    let parts: Vec<_> = below.components().map(|part| part.as_os_str().to_string_lossy()).collect();
    parts.join("/")
}

fn link_outside(path: String) -> Diagnostic {
    let message = "this symbolic link has no target in the docs root";
    Diagnostic::new(Rule::LinkOutsideRoot, path, message)
        .help("put a copy of the file into the docs root")
}

fn unreadable(path: String, error: &io::Error) -> Diagnostic {
    Diagnostic::new(Rule::UnreadableFile, path, format!("this can't be read: {error}"))
        .help("check its permissions")
}
