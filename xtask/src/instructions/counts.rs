//! Counts of instructions, and their file.

use std::path::Path;

use anyhow::Context;
use serde_json::{Value, json};

/// The counts of hot paths.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Counts {
    /// Versions of what changes counts without a change of the code: the compiler, Valgrind, and the C library.
    pub(super) tools: String,
    /// The name and count of each path, in order.
    pub(super) paths: Vec<(String, u64)>,
}

impl Counts {
    /// Reads a file. A missing one has no counts.
    pub(super) fn read(path: &Path) -> anyhow::Result<Self> {
        if !path.exists() {
            return Ok(Self::default());
        }
        let text = std::fs::read_to_string(path)?;
        Self::parse(&text).with_context(|| format!("{} is damaged", path.display()))
    }

    fn parse(text: &str) -> anyhow::Result<Self> {
        let file: Value = serde_json::from_str(text)?;
        let tools = file["tools"].as_str().context("`tools` is missing")?.to_owned();
        let paths = file["instructions"].as_object().context("`instructions` is missing")?;
        let count = |(name, count): (&String, &Value)| {
            let count = count.as_u64().with_context(|| format!("`{name}` isn't a count"))?;
            Ok((name.clone(), count))
        };
        Ok(Self { tools, paths: paths.iter().map(count).collect::<anyhow::Result<_>>()? })
    }

    /// Writes the file.
    pub(super) fn write(&self, path: &Path) -> anyhow::Result<()> {
        Ok(std::fs::write(path, self.text()?)?)
    }

    fn text(&self) -> anyhow::Result<String> {
        let paths = self.paths.iter().map(|(name, count)| (name.clone(), json!(count)));
        let paths = paths.collect::<serde_json::Map<_, _>>();
        let file = json!({ "tools": self.tools, "instructions": paths });
        Ok(serde_json::to_string_pretty(&file)? + "\n")
    }

    /// The count of a path.
    pub(super) fn of(&self, name: &str) -> Option<u64> {
        self.paths.iter().find(|path| path.0 == name).map(|path| path.1)
    }
}

#[cfg(test)]
mod tests {
    use super::Counts;

    #[test]
    fn written_counts_are_read_in_order() {
        let paths = vec![("pages".to_owned(), 12), ("api".to_owned(), 3)];
        let counts = Counts { tools: "rustc 1.95.0".to_owned(), paths };
        assert_eq!(Counts::parse(&counts.text().unwrap()).unwrap(), counts);
    }

    #[test]
    fn damaged_file_is_an_error_and_missing_file_has_no_counts() {
        for text in ["", "{}", r#"{"tools":"","instructions":{"pages":-1}}"#] {
            Counts::parse(text).unwrap_err();
        }
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(Counts::read(&folder.path().join("none")).unwrap(), Counts::default());
    }
}
