//! What is in a folder before a site is written to it.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use rustc_hash::FxHashMap;

use crate::stamp::Stamp;

/// The files and folders below a folder, with `/` between the parts of their paths.
#[derive(Debug, Default)]
pub(super) struct Present {
    pub(super) files: FxHashMap<String, Stamp>,
    /// Each after the one that has it.
    pub(super) folders: Vec<String>,
    /// Links, and what else can't be part of a site.
    others: Vec<PathBuf>,
}

impl Present {
    /// Lists the folder, and follows no links.
    pub(super) fn read(root: &Path) -> io::Result<Self> {
        let mut present = Self::default();
        present.list(root, "")?;
        let mut next = 0;
        while let Some(folder) = present.folders.get(next).cloned() {
            present.list(&root.join(&folder), &format!("{folder}/"))?;
            next += 1;
        }
        Ok(present)
    }

    /// Whether all that it has can be part of a site.
    pub(super) const fn is_plain(&self) -> bool {
        self.others.is_empty()
    }

    /// Removes what can't be part of a site, such as links.
    pub(super) fn remove_odd(&mut self) -> io::Result<()> {
        self.others.drain(..).try_for_each(|path| remove(&path))
    }

    fn list(&mut self, folder: &Path, before: &str) -> io::Result<()> {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let kind = entry.file_type()?;
            match entry.file_name().into_string() {
                Ok(name) if kind.is_dir() => self.folders.push(format!("{before}{name}")),
                Ok(name) if kind.is_file() => {
                    let stamp = Stamp::of(&entry.metadata()?);
                    self.files.insert(format!("{before}{name}"), stamp);
                }
                _ => self.others.push(entry.path()),
            }
        }
        Ok(())
    }

    /// Removes the files that don't belong, and the folders that have none then.
    pub(super) fn remove_others(
        &self,
        root: &Path,
        belongs: impl Fn(&str) -> bool,
    ) -> io::Result<()> {
        for (path, stamp) in self.files.iter().filter(|(path, _)| !belongs(path)) {
            let target = root.join(path);
            // Where names can differ in case alone, a new file can have taken its place.
            let is_same = |found: fs::Metadata| Stamp::of(&found) == *stamp;
            if fs::symlink_metadata(&target).is_ok_and(is_same) {
                fs::remove_file(target)?;
            }
        }
        for folder in self.folders.iter().rev() {
            match fs::remove_dir(root.join(folder)) {
                Err(error) if !is_expected(error.kind()) => return Err(error),
                _ => {}
            }
        }
        Ok(())
    }
}

/// Whether a folder can't be removed because it has files, or is gone.
fn is_expected(kind: io::ErrorKind) -> bool {
    use io::ErrorKind::{DirectoryNotEmpty, NotADirectory, NotFound};
    matches!(kind, DirectoryNotEmpty | NotADirectory | NotFound)
}

/// Removes a file, a link, or a folder with all that it has.
pub(super) fn remove(path: &Path) -> io::Result<()> {
    if fs::symlink_metadata(path)?.is_dir() {
        fs::remove_dir_all(path)
    } else {
        fs::remove_file(path)
    }
}
