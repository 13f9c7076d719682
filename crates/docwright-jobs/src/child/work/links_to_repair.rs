//! Finds broken links of a docs root with an agent's changes.

use std::path::PathBuf;

use docwright_agent::{
    checker::{BrokenLink, LinkError},
    workspace::Changes,
};
use docwright_site::build::{BrokenLinkReason, LinkToRepair, links_to_repair};
use serde::{Deserialize, Serialize};

use super::{Failure, Request, Work, WorkResponse, check::changed_source};

/// Find broken links and their likely targets.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct LinksToRepair {
    /// The docs root, below a folder that the child can read.
    pub root: PathBuf,
    /// The changes.
    pub changes: Changes,
}

impl Work for LinksToRepair {
    const NAME: &'static str = "the search for broken links";
    type Output = Vec<BrokenLink>;

    fn into_request(self) -> Request {
        Request::LinksToRepair(self)
    }

    fn read_answer(answer: WorkResponse) -> Option<Vec<BrokenLink>> {
        match answer {
            WorkResponse::BrokenLinks(links) => Some(links),
            _ => None,
        }
    }
}

impl LinksToRepair {
    pub(super) fn perform(&self) -> Result<Vec<BrokenLink>, Failure> {
        let found = links_to_repair(&changed_source(&self.root, &self.changes)?)?;
        let links = found.into_iter().map(|link| {
            let LinkToRepair { path, line, href, reason, meant, perhaps } = link;
            let reason = match reason {
                BrokenLinkReason::NoPage => LinkError::NoPage,
                BrokenLinkReason::NoPlace => LinkError::NoPlace,
                BrokenLinkReason::Circle => LinkError::Circle,
            };
            BrokenLink { path, line, href, reason, meant, perhaps }
        });
        Ok(links.collect())
    }
}
