//! Of pull requests on the built-in git host.

use docwright_types::pull_request::PullRequestState;

pub(crate) const PULL_REQUESTS: &str = "Pull requests";
pub(crate) const NO_PULL_REQUESTS: &str = "No pull requests yet";
pub(crate) const NO_PULL_REQUESTS_WHY: &str = "Agent jobs open pull requests. Review the change, then merge it or close the pull request. You can't yet open one for a branch that you push with git.";
pub(crate) const TARGET_BRANCH: &str = "Target branch";
pub(crate) const OPENED: &str = "Opened";
pub(crate) const MERGE: &str = "Merge and publish";
pub(crate) const CLOSE_PULL_REQUEST: &str = "Close pull request";
pub(crate) const PULL_REQUEST_CHANGES: &str = "Changes";
pub(crate) const MERGED_CHANGES: &str = "The target branch has all changes of this branch.";
pub(crate) const USE_GIT: &str = "Use git";

/// The state of a pull request.
pub(crate) const fn pull_request_state(state: PullRequestState) -> &'static str {
    match state {
        PullRequestState::Open => "Open",
        PullRequestState::Merged => "Merged",
        PullRequestState::Closed => "Closed",
    }
}

/// Asks before a pull request is closed.
pub(crate) fn close_question(number: i64) -> String {
    format!("Close pull request #{number}? You can't reopen it.")
}

/// That a pull request can be merged.
pub(crate) fn no_conflicts(base: &str) -> String {
    format!("No conflicts with {base}.")
}

/// Why a pull request can't be merged.
pub(crate) fn conflicts(base: &str) -> String {
    format!("Conflicts with {base}. Start another agent job, or merge with git.")
}

/// The same, where there is nothing to merge.
pub(crate) fn no_branch(head: &str) -> String {
    format!("The branch {head} doesn't exist. Start another agent job, or push the branch again.")
}
