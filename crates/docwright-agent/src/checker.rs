//! What the agent asks of the documentation compiler, which it doesn't know.

use serde::{Deserialize, Serialize};

use crate::workspace::{Changes, Workspace};

/// A diagnostic in the documentation.
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

/// Why a link leads nowhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum LinkError {
    /// There is no such page or file.
    NoPage,
    /// The page has no such place.
    NoPlace,
    /// Redirects run in a circle.
    Circle,
}

/// A link that leads nowhere.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BrokenLink {
    /// The file it stands in, below the docs root.
    pub path: String,
    /// 1-based line on which it, or the component that it is part of, begins.
    pub line: u32,
    /// As its author wrote it.
    pub href: String,
    /// Why it leads nowhere.
    pub reason: LinkError,
    /// What to write instead, if that is certain.
    pub meant: Option<String>,
    /// What was perhaps meant.
    pub perhaps: Vec<String>,
}

/// A link to a place, such as a heading, that a change gave another id.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MovedLink {
    /// The file it stands in, below the docs root.
    pub path: String,
    /// As its author wrote it; every such link of the file leads to that place.
    pub href: String,
    /// What leads there now.
    pub to: String,
}

/// Checks changed documentation. Calls can take long, and block.
pub trait Checker: Send + Sync {
    /// Diagnostics that the changes brought: those that the documentation had before are not listed,
    /// wherever they are by now. An error says why the documentation can't be checked, in a sentence.
    fn check(&self, workspace: &Workspace) -> Result<Vec<Problem>, String>;

    /// Every link that leads nowhere, sorted by place.
    fn broken_links(&self, changes: &Changes) -> Result<Vec<BrokenLink>, String>;

    /// Every link to a place that had another id at `before` than it has at `after`.
    fn moved_links(&self, before: &Changes, after: &Changes) -> Result<Vec<MovedLink>, String>;

    /// The text of a page as its readers see it.
    fn preview(&self, changes: &Changes, path: &str) -> Result<String, String>;
}
