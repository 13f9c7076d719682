//! The files that an agent sees: a read-only folder, and its changes.
//!
//! Nothing is written to disk here. The changes are a value that can be saved after every step and applied to a
//! fresh checkout, so an interrupted run can continue. Paths are relative to the docs root and use `/`; the folder
//! is opened once and no path or link leads outside.

mod changes;
mod moves;

use std::{
    collections::BTreeSet,
    io::{self, Read},
    path::Path,
};

use cap_std::{ambient_authority, fs::Dir};

pub use changes::{Change, Changes};

use crate::policy::{documentation::Documentation, paths, patterns::Patterns};

/// Limits of a workspace.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Files below the docs root.
    pub files: usize,
    /// Size of a file that is read or written, in bytes.
    pub file_bytes: u64,
    /// Files that a run can change.
    pub changed_files: usize,
    /// Length of all changed files together, in bytes.
    pub changed_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            files: 50_000,
            file_bytes: 1024 * 1024,
            changed_files: 2_000,
            changed_bytes: 16 * 1024 * 1024,
        }
    }
}

/// A refused request of the agent. The agent gets the reason, and can try something else.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Refusal(pub String);

impl Refusal {
    /// A refusal with a reason.
    pub fn new(reason: impl Into<String>) -> Self {
        Self(reason.into())
    }
}

/// Why a workspace can't be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The folder can't be read.
    #[error("the docs root can't be read: {}", .0.kind())]
    Unreadable(#[from] io::Error),
    /// It has too many files.
    #[error("there are more than {0} files below the docs root, the limit for agent jobs")]
    TooManyFiles(usize),
}

/// A docs root with the changes of a run.
#[derive(Debug)]
pub struct Workspace {
    base: Dir,
    /// Files of the docs root.
    files: BTreeSet<String>,
    changes: Changes,
    limits: Limits,
    documentation: Documentation,
}

impl Workspace {
    /// Opens a docs root, with earlier changes.
    pub fn open(root: &Path, changes: Changes, limits: Limits) -> Result<Self, OpenError> {
        let base = Dir::open_ambient_dir(root, ambient_authority())?;
        let mut files = BTreeSet::new();
        list(&base, "", limits.files, &mut files)?;
        Ok(Self { base, files, changes, limits, documentation: Documentation::default() })
    }

    /// Sets further documentation files, besides those recognized by type.
    #[must_use]
    pub fn with_documentation(self, documentation: Documentation) -> Self {
        Self { documentation, ..self }
    }

    /// The allowed paths for these files, from before the changes.
    pub fn documentation(&self, patterns: Patterns) -> Documentation {
        Documentation::of(self.files.iter(), |path| self.read_base(path).ok(), patterns)
    }

    /// The allowed paths.
    pub fn agent_documentation(&self) -> &Documentation {
        &self.documentation
    }

    /// The same as [`Workspace::check_writable`], for use while the workspace is borrowed.
    pub(crate) fn writable(&self) -> impl Fn(&str) -> Result<(), Refusal> + Send + Sync + use<> {
        let (documentation, files) = (self.documentation.clone(), self.files.clone());
        move |path| documentation.check(path, files.contains(path))
    }

    /// Fails unless agents can change a file.
    pub fn check_writable(&self, path: &str) -> Result<(), Refusal> {
        self.documentation.check(path, self.files.contains(path))
    }

    /// The changes so far.
    pub fn changes(&self) -> &Changes {
        &self.changes
    }

    /// Every file, including changes, in alphabetical order.
    pub fn paths(&self) -> BTreeSet<String> {
        let mut paths = self.files.clone();
        for (path, change) in self.changes.iter() {
            match change {
                Change::Deleted => drop(paths.remove(path)),
                Change::Written(_) | Change::Moved(_) => drop(paths.insert(path.clone())),
            }
        }
        paths
    }

    /// Whether a file exists.
    pub fn contains(&self, path: &str) -> bool {
        match self.changes.get(path) {
            Some(change) => !matches!(change, Change::Deleted),
            None => self.files.contains(path),
        }
    }

    /// The text of a file.
    pub fn read(&self, path: &str) -> Result<String, Refusal> {
        paths::check_readable(path)?;
        match self.changes.get(path) {
            Some(Change::Written(text)) => Ok(text.clone()),
            Some(Change::Moved(from)) => self.read_base(from),
            Some(Change::Deleted) => Err(missing(path)),
            None => self.read_base(path),
        }
    }

    /// The text of a file before the changes.
    pub fn read_original(&self, path: &str) -> Result<String, Refusal> {
        paths::check_readable(path)?;
        self.read_base(path)
    }

    fn read_base(&self, path: &str) -> Result<String, Refusal> {
        if !self.files.contains(path) {
            return Err(missing(path));
        }
        let unreadable =
            |error: io::Error| Refusal::new(format!("`{path}` can't be read: {error}"));
        let file = self.base.open(path).map_err(unreadable)?;
        let mut bytes = Vec::new();
        file.take(self.limits.file_bytes + 1).read_to_end(&mut bytes).map_err(unreadable)?;
        if bytes.len() as u64 > self.limits.file_bytes {
            return Err(Refusal::new(format!(
                "`{path}` exceeds {} bytes, the limit; it can't be searched either",
                self.limits.file_bytes
            )));
        }
        String::from_utf8(bytes).map_err(|_| Refusal::new(format!("`{path}` isn't a text file")))
    }

    /// Writes a file, new or existing.
    pub fn write(&mut self, path: &str, text: String) -> Result<(), Refusal> {
        self.check_writable(path)?;
        self.refuse_link(path)?;
        if text.len() as u64 > self.limits.file_bytes {
            return Err(Refusal::new(format!(
                "the text for `{path}` exceeds {} bytes, the limit; split the page",
                self.limits.file_bytes
            )));
        }
        if self.files.contains(path) && self.read_base(path).as_ref() == Ok(&text) {
            self.changes.undo(path);
            return Ok(());
        }
        self.change(path, Change::Written(text))
    }

    /// Deletes a file.
    pub fn delete(&mut self, path: &str) -> Result<(), Refusal> {
        self.check_writable(path)?;
        if !self.contains(path) {
            return Err(missing(path));
        }
        if self.files.contains(path) {
            self.change(path, Change::Deleted)
        } else {
            self.changes.undo(path);
            Ok(())
        }
    }

    /// Moves a file with any contents to an unused path.
    pub fn rename(&mut self, from: &str, to: &str) -> Result<(), Refusal> {
        self.check_writable(from)?;
        self.check_writable(to)?;
        self.refuse_link(to)?;
        if !self.contains(from) {
            return Err(missing(from));
        }
        if self.contains(to) {
            return Err(Refusal::new(format!("file `{to}` already exists")));
        }
        let change = match self.changes.get(from) {
            Some(change) => change.clone(),
            None => match self.read_base(from) {
                Ok(text) => Change::Written(text),
                Err(_) => Change::Moved(from.to_owned()),
            },
        };
        self.change(to, change)?;
        self.delete(from)
    }

    /// Writes every file, including changes, into an empty folder.
    pub fn copy_to(&self, folder: &Path) -> io::Result<()> {
        let target = Dir::open_ambient_dir(folder, ambient_authority())?;
        for path in self.paths() {
            if let Some((parent, _)) = path.rsplit_once('/') {
                target.create_dir_all(parent)?;
            }
            match self.changes.get(&path) {
                Some(Change::Written(text)) => target.write(&path, text)?,
                Some(Change::Moved(from)) => drop(self.base.copy(from, &target, &path)?),
                Some(Change::Deleted) => {}
                None => drop(self.base.copy(&path, &target, &path)?),
            }
        }
        Ok(())
    }

    fn change(&mut self, path: &str, change: Change) -> Result<(), Refusal> {
        let before = self.changes.get(path).cloned();
        self.changes.set(path, change);
        let (count, bytes) = self.changes.size();
        if count <= self.limits.changed_files && bytes <= self.limits.changed_bytes {
            return Ok(());
        }
        match before {
            Some(before) => self.changes.set(path, before),
            None => self.changes.undo(path),
        }
        Err(Refusal::new(format!(
            "a job can change {} files and {} bytes; do less in one job",
            self.limits.changed_files, self.limits.changed_bytes
        )))
    }

    /// A link can lead anywhere, so nothing is written through one.
    fn refuse_link(&self, path: &str) -> Result<(), Refusal> {
        let mut part = path;
        loop {
            if self.base.symlink_metadata(part).is_ok_and(|metadata| metadata.is_symlink()) {
                return Err(Refusal::new(format!("`{part}` is a symbolic link; write elsewhere")));
            }
            match part.rsplit_once('/') {
                Some((folder, _)) => part = folder,
                None => return Ok(()),
            }
        }
    }
}

fn missing(path: &str) -> Refusal {
    Refusal::new(format!("file `{path}` not found; list the files to see all"))
}

/// Folders without documentation.
const SKIPPED: &[&str] = &[".git", "node_modules"];

/// Collects the files below a folder. Links are skipped, whatever their target.
fn list(
    folder: &Dir,
    prefix: &str,
    limit: usize,
    files: &mut BTreeSet<String>,
) -> Result<(), OpenError> {
    for entry in folder.entries()? {
        let entry = entry?;
        let Ok(name) = entry.file_name().into_string() else { continue };
        let kind = entry.file_type()?;
        if kind.is_dir() && !SKIPPED.contains(&name.as_str()) {
            list(&entry.open_dir()?, &format!("{prefix}{name}/"), limit, files)?;
        } else if kind.is_file() {
            files.insert(format!("{prefix}{name}"));
            if files.len() > limit {
                return Err(OpenError::TooManyFiles(limit));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
