//! The agent's interface to the documentation compiler.

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
    /// How to fix it.
    pub help: Option<String>,
}

/// Why a link is broken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum LinkError {
    /// There is no such page or file.
    NoPage,
    /// The page has no such anchor.
    NoPlace,
    /// The redirects loop.
    Circle,
}

/// A broken link.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BrokenLink {
    /// The file that contains it, below the docs root.
    pub path: String,
    /// 1-based line on which it, or its component, starts.
    pub line: u32,
    /// As written by its author.
    pub href: String,
    /// Why it is broken.
    pub reason: LinkError,
    /// The replacement, if that is certain.
    pub meant: Option<String>,
    /// Possible targets.
    pub perhaps: Vec<String>,
}

/// A link to an anchor, such as a heading, whose id a change replaced.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MovedLink {
    /// The file that contains it, below the docs root.
    pub path: String,
    /// As written by its author; every such link in the file has that target.
    pub href: String,
    /// The address that leads there now.
    pub to: String,
}

/// Checks changed documentation. Calls can take long, and block.
pub trait Checker: Send + Sync {
    /// Diagnostics of the changes: earlier ones are not listed, even if they moved. An error says in a sentence
    /// why the documentation can't be checked.
    fn check(&self, workspace: &Workspace) -> Result<Vec<Problem>, String>;

    /// Every broken link, sorted by position.
    fn broken_links(&self, changes: &Changes) -> Result<Vec<BrokenLink>, String>;

    /// Every link to an anchor whose id differs between `before` and `after`.
    fn moved_links(&self, before: &Changes, after: &Changes) -> Result<Vec<MovedLink>, String>;

    /// The text of a page as readers see it.
    fn preview(&self, changes: &Changes, path: &str) -> Result<String, String>;
}
