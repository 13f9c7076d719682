//! Excluded files of a docs root: fixed names, and the patterns of `.mintignore`.

use std::{fs, path::Path};

use ignore::{
    Match,
    gitignore::{Gitignore, GitignoreBuilder},
};

use super::{OWN_SETTINGS, SETTINGS};
use crate::{Diagnostic, Rule};

/// Name of a file with patterns in the syntax of `.gitignore`, which apply to its folder.
pub(super) const PATTERNS: &str = ".mintignore";
/// Maximum size of a file of patterns in bytes, since each becomes part of an automaton.
const MAXIMUM_PATTERNS: u64 = 256 * 1024;
/// Folders at the root of a repository that contain no documentation.
const IGNORED_AT_ROOT: &[&str] = &["build", "dist", "coverage", "tmp", "temp"];

/// Whether a name is always excluded: hidden files except folders of settings, npm packages, and output
/// folders.
pub(super) fn is_ignored_name(name: &str, at_root: bool) -> bool {
    let is_settings = at_root
        && [SETTINGS, OWN_SETTINGS].iter().any(|folder| folder.trim_end_matches('/') == name);
    name.starts_with('.') && !is_settings
        || name == "node_modules"
        || at_root && IGNORED_AT_ROOT.contains(&name)
}

/// Whether a path of a docs root has an excluded name.
pub fn has_ignored_name(path: &str) -> bool {
    path.split('/').enumerate().any(|(depth, name)| is_ignored_name(name, depth == 0))
}

/// The patterns of a folder and its parents.
#[derive(Debug, Default)]
pub(super) struct Patterns {
    /// Outermost first.
    files: Vec<Gitignore>,
}

impl Patterns {
    /// Whether they exclude `path`. The innermost file with a matching pattern decides.
    pub(super) fn ignore(&self, path: &Path, is_folder: bool) -> bool {
        let answers = self.files.iter().rev().map(|file| file.matched(path, is_folder));
        matches!(answers.into_iter().find(|answer| !answer.is_none()), Some(Match::Ignore(_)))
    }

    /// Adds the patterns of a folder. `file` is the file's real path; `None` if it can't be read. `shown` is
    /// the path for diagnostics.
    pub(super) fn enter(
        &mut self,
        folder: &Path,
        file: Option<&Path>,
        shown: &str,
    ) -> Option<Diagnostic> {
        let (patterns, problem) = file.map_or_else(unread, |file| read(folder, file));
        self.files.push(patterns);
        let diagnostic = Diagnostic::new(Rule::UnreadableFile, shown, problem?)
            .help("correct it; patterns that can be read are used");
        Some(diagnostic)
    }

    /// Removes the patterns that were added last.
    pub(super) fn leave(&mut self) {
        self.files.pop();
    }
}

/// The result for a file that isn't a regular file below the docs root.
fn unread() -> (Gitignore, Option<String>) {
    (Gitignore::empty(), Some("this is no file below the docs root, and is not read".to_owned()))
}

/// The patterns of a regular file, and their errors.
fn read(folder: &Path, from: &Path) -> (Gitignore, Option<String>) {
    let nothing = |problem: String| (Gitignore::empty(), Some(problem));
    let text = match fs::metadata(from) {
        Ok(metadata) if metadata.len() > MAXIMUM_PATTERNS => {
            let kilobytes = MAXIMUM_PATTERNS / 1024;
            return nothing(format!("the file is larger than {kilobytes} kB and is not read"));
        }
        Ok(_) => fs::read(from),
        Err(error) => Err(error),
    };
    let text = match text {
        Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        Err(error) => return nothing(format!("the file can't be read: {error}")),
    };
    let mut builder = GitignoreBuilder::new(folder);
    let mut problem = None;
    for (line, pattern) in text.trim_start_matches('\u{feff}').lines().enumerate() {
        if builder.add_line(None, pattern).is_err() {
            problem.get_or_insert(format!("line {} contains no pattern", line + 1));
        }
    }
    match builder.build() {
        Ok(patterns) => (patterns, problem),
        Err(_) => nothing("its patterns can't be used together".to_owned()),
    }
}
