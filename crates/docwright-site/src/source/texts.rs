//! Texts of files, each in memory once: folders of versions are mostly copies of each other.

use std::{collections::HashSet, sync::Arc};

use super::{File, without_mark};

/// The texts of the files that are read.
#[derive(Debug, Default)]
pub(super) struct Texts(HashSet<Arc<str>>);

impl Texts {
    /// A file with a text, which it shares with earlier files that have the same.
    pub(super) fn file(&mut self, text: &str) -> File {
        let text = without_mark(text);
        if let Some(known) = self.0.get(text) {
            return File::Text(Arc::clone(known));
        }
        let text: Arc<str> = text.into();
        self.0.insert(Arc::clone(&text));
        File::Text(text)
    }
}

#[cfg(test)]
mod tests {
    use crate::source::Source;

    #[test]
    fn files_with_the_same_text_share_it() {
        let file = |path: &str, text: &str| (path.to_owned(), text.as_bytes().to_vec());
        let files =
            [file("v1/a.mdx", "One"), file("v2/a.mdx", "\u{feff}One"), file("b.mdx", "Two")];
        let source = Source::from_files(files);
        let place = |path| source.text(path).unwrap().as_ptr();
        assert_eq!(place("v1/a.mdx"), place("v2/a.mdx"));
        assert_ne!(place("v1/a.mdx"), place("b.mdx"));
    }
}
