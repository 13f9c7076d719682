//! The files of a built site that answers come from: the search index, and pages as Markdown. Other files aren't
//! kept.

use std::{
    collections::{BTreeMap, BTreeSet},
    io,
    path::Path,
    sync::{Mutex, PoisonError},
};

use docwright_site::{output::Output, search};

/// An output in memory.
#[derive(Debug, Default)]
pub(super) struct AnswerFiles(Mutex<BTreeMap<String, String>>);

impl AnswerFiles {
    /// The text of a file.
    pub(super) fn text(&self, path: &str) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(path).cloned()
    }

    /// The languages with a search index.
    pub(super) fn languages(&self) -> BTreeSet<String> {
        let files = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        search::languages_of(files.keys().map(String::as_str)).map(str::to_owned).collect()
    }
}

impl Output for AnswerFiles {
    fn write(&self, path: &str, contents: &[u8]) -> io::Result<()> {
        if path.starts_with(search::FOLDER) || path.ends_with(".md") {
            let text = String::from_utf8_lossy(contents).into_owned();
            self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(path.to_owned(), text);
        }
        Ok(())
    }

    fn copy(&self, _path: &str, _from: &Path) -> io::Result<()> {
        Ok(())
    }
}
