//! The links of a docs root that lead nowhere, with an agent's changes laid over it.

use std::path::PathBuf;

use docwright_agent::{
    checker::{BrokenLink, LinkFault},
    workspace::Changes,
};
use docwright_site::build::{Fault, LinkToRepair, links_to_repair};
use serde::{Deserialize, Serialize};

use super::{Answer, Failure, Request, Work, check::changed_source};

/// Find the links that lead nowhere, and what was meant by them.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct LinksToRepair {
    /// The docs root, below a folder that the child may read.
    pub root: PathBuf,
    /// What is laid over it.
    pub changes: Changes,
}

impl Work for LinksToRepair {
    const NAME: &'static str = "the search for broken links";
    type Answer = Vec<BrokenLink>;

    fn into_request(self) -> Request {
        Request::LinksToRepair(self)
    }

    fn read_answer(answer: Answer) -> Option<Vec<BrokenLink>> {
        match answer {
            Answer::BrokenLinks(links) => Some(links),
            _ => None,
        }
    }
}

impl LinksToRepair {
    pub(super) fn perform(&self) -> Result<Vec<BrokenLink>, Failure> {
        let found = links_to_repair(&changed_source(&self.root, &self.changes)?)?;
        let links = found.into_iter().map(|link| {
            let LinkToRepair { path, line, href, fault, meant, perhaps } = link;
            let fault = match fault {
                Fault::NoPage => LinkFault::NoPage,
                Fault::NoPlace => LinkFault::NoPlace,
                Fault::Circle => LinkFault::Circle,
            };
            BrokenLink { path, line, href, fault, meant, perhaps }
        });
        Ok(links.collect())
    }
}
