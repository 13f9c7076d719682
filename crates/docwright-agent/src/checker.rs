//! What the agent asks of the documentation compiler, which it doesn't know.

use serde::{Deserialize, Serialize};

use crate::workspace::Changes;

/// A mistake in the documentation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// The file, below the docs root.
    pub path: String,
    /// 1-based line; 0 for the whole file.
    pub line: u32,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub help: Option<String>,
}

/// Checks changed documentation. Calls may take long, and block.
pub trait Checker: Send + Sync {
    /// Mistakes that the changes brought: those that the documentation had before are not listed.
    /// An error says why the documentation can't be checked, in a sentence.
    fn check(&self, changes: &Changes) -> Result<Vec<Problem>, String>;

    /// The text of a page as its readers see it.
    fn preview(&self, changes: &Changes, path: &str) -> Result<String, String>;
}
