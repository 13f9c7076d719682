//! Checks a docs root with an agent's changes.

use std::path::{Path, PathBuf};

use docwright_agent::{
    checker::Problem,
    workspace::{Change, Changes},
};
use docwright_site::{Severity, build::check, source::Source};
use serde::{Deserialize, Serialize};

use super::{Failure, Request, Work, WorkResponse};

/// Find the diagnostics.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Check {
    /// The docs root, below a folder that the child can read.
    pub root: PathBuf,
    /// The changes.
    pub changes: Changes,
}

impl Work for Check {
    const NAME: &'static str = "the check";
    type Output = Vec<Problem>;

    fn into_request(self) -> Request {
        Request::Check(self)
    }

    fn read_answer(answer: WorkResponse) -> Option<Vec<Problem>> {
        match answer {
            WorkResponse::Problems(problems) => Some(problems),
            _ => None,
        }
    }
}

impl Check {
    pub(super) fn perform(&self) -> Result<Vec<Problem>, Failure> {
        let report = check(&changed_source(&self.root, &self.changes)?)?.report;
        let diagnostics =
            report.diagnostics.into_iter().filter(|each| each.severity != Severity::Note);
        Ok(diagnostics
            .map(|each| Problem {
                path: each.path,
                line: each.line,
                message: each.message,
                help: each.help,
            })
            .collect())
    }
}

/// Reads a docs root and applies changes.
pub(super) fn changed_source(root: &Path, changes: &Changes) -> Result<Source, Failure> {
    let read = Source::read(root).map_err(|error| Failure::from(error).without_paths(root));
    let (mut source, _) = read?;
    // Moved files are copied before any of them is overwritten or removed.
    for (path, change) in changes.iter() {
        if let Change::Moved(from) = change {
            source.copy(from, path);
        }
    }
    for (path, change) in changes.iter() {
        match change {
            // An existing file that was not read is ignored, and stays so.
            Change::Written(_) if source.get(path).is_none() && root.join(path).is_file() => {}
            Change::Written(text) => source.write(path, text),
            Change::Deleted => source.remove(path),
            Change::Moved(_) => {}
        }
    }
    Ok(source)
}
