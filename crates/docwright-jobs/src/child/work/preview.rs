//! The text of a page as readers see it, with an agent's changes.

use std::path::PathBuf;

use docwright_agent::workspace::Changes;
use docwright_site::build::read_page;
use serde::{Deserialize, Serialize};

use super::{Failure, Request, Work, WorkResponse, check::changed_source};

/// Read a page. The answer is `None` if there is no such page.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Preview {
    /// The docs root, below a folder that the child can read.
    pub root: PathBuf,
    /// The changes.
    pub changes: Changes,
    /// The page.
    pub path: String,
}

impl Work for Preview {
    const NAME: &'static str = "the preview";
    type Output = Option<String>;

    fn into_request(self) -> Request {
        Request::Preview(self)
    }

    fn read_answer(answer: WorkResponse) -> Option<Option<String>> {
        match answer {
            WorkResponse::Text(text) => Some(text),
            _ => None,
        }
    }
}

impl Preview {
    pub(super) fn perform(&self) -> Result<Option<String>, Failure> {
        Ok(read_page(&changed_source(&self.root, &self.changes)?, &self.path)?)
    }
}
