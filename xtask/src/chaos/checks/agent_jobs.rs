//! Checks of agent jobs: one final state, one pull request.

use std::collections::{BTreeMap, BTreeSet};

use super::Check;
use crate::chaos::{ask::Ticket, watch::Followed};

/// A pull request on the built-in git host.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::chaos) struct PullRequest {
    /// The path of its page on the server.
    pub(in crate::chaos) path: String,
    /// Its branch.
    pub(in crate::chaos) head: String,
}

/// Each agent job has one final event. `events` are the numbers of such events.
pub(in crate::chaos) fn one_final_event(events: &[(String, usize)]) -> Check {
    let wrong = events.iter().filter(|(_, count)| *count != 1);
    Check {
        name: "each agent job has one final event",
        examined: events.len(),
        problems: wrong.map(|(job, count)| format!("{job} has {count}")).collect(),
    }
}

/// Each branch has one pull request, and the links of jobs are correct.
pub(in crate::chaos) fn one_pull_request(jobs: &[Followed], found: &[PullRequest]) -> Check {
    let mut check = Check::new("no duplicate pull request");
    check.examined = found.len();
    let mut paths = BTreeMap::new();
    let mut heads = BTreeSet::new();
    for each in found {
        if !heads.insert(&each.head) {
            check.problems.push(format!("{} has another pull request, {}", each.head, each.path));
        }
        paths.insert(each.path.as_str(), each.head.as_str());
    }
    for job in jobs {
        let Ticket::Agent(id) = &job.asked.ticket else { continue };
        let Some(link) = job.ended.as_ref().and_then(|seen| seen.link.as_deref()) else { continue };
        let head = paths.iter().find(|(path, _)| link.ends_with(*path)).map(|(_, head)| *head);
        if head != Some(&format!("docwright/job-{id}")) {
            check.problems.push(format!("{} links to {link}, which is {head:?}", job.describe()));
        }
    }
    check
}
