//! Limits on the size of a docs root.

/// Limits on a docs root. A larger one is refused, so that reading ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Files that are read or published.
    pub files: usize,
    /// Everything that is read: files, folders, links, and excluded entries, and once more the targets of links
    /// to folders.
    pub entries: usize,
    /// Nested folders.
    pub depth: usize,
    /// All text together, since it is held in memory. Bytes.
    pub text: u64,
}

impl Limits {
    /// The limits of all callers except tests. The largest known site has 24,667 pages in 216 MB of text.
    pub const DEFAULT: Self =
        Self { files: 200_000, entries: 400_000, depth: 64, text: 1024 * 1024 * 1024 };
}

impl Default for Limits {
    fn default() -> Self {
        Self::DEFAULT
    }
}
