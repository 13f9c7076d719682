//! A key of the authoring format, for the tables of keys.

/// A key that authors write.
#[derive(Debug)]
pub struct Key {
    /// Its name, or its path in objects.
    pub name: &'static str,
    /// A value: JSON in `docs.json`, YAML in frontmatter.
    pub example: &'static str,
    /// Its purpose.
    pub means: &'static str,
}

/// A line of a table.
pub(super) const fn key(name: &'static str, example: &'static str, means: &'static str) -> Key {
    Key { name, example, means }
}
