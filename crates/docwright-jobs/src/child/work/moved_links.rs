//! Finds links of a docs root to headings whose id changed between two states of an agent's changes.

use std::path::PathBuf;

use docwright_agent::{checker::MovedLink, workspace::Changes};
use docwright_site::build::moved_links;
use serde::{Deserialize, Serialize};

use super::{Failure, Request, Work, WorkResponse, check::changed_source};

/// Find the links that a change of headings breaks.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct MovedLinks {
    /// The docs root, below a folder that the child can read.
    pub root: PathBuf,
    /// The earlier changes.
    pub before: Changes,
    /// The present changes.
    pub after: Changes,
}

impl Work for MovedLinks {
    const NAME: &'static str = "the search for links to changed headings";
    type Output = Vec<MovedLink>;

    fn into_request(self) -> Request {
        Request::MovedLinks(self)
    }

    fn read_answer(answer: WorkResponse) -> Option<Vec<MovedLink>> {
        match answer {
            WorkResponse::MovedLinks(links) => Some(links),
            _ => None,
        }
    }
}

impl MovedLinks {
    pub(super) fn perform(&self) -> Result<Vec<MovedLink>, Failure> {
        let before = changed_source(&self.root, &self.before)?;
        let after = changed_source(&self.root, &self.after)?;
        let found = moved_links(&before, &after)?.into_iter();
        Ok(found.map(|link| MovedLink { path: link.path, href: link.href, to: link.to }).collect())
    }
}
