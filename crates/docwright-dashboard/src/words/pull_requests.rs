//! Of pull requests on the built-in git host.

use docwright_types::pull_request::PullRequestState;

pub(crate) const PULL_REQUESTS: &str = "Pull requests";
pub(crate) const NO_PULL_REQUESTS: &str = "No pull requests yet";
pub(crate) const NO_PULL_REQUESTS_WHY: &str = "A pull request shows what a branch changes, before it is merged. Push a branch and open one; agent jobs open theirs automatically.";
pub(crate) const NEW_PULL_REQUEST: &str = "New pull request";
pub(crate) const OPEN_PULL_REQUEST_NOW: &str = "Open pull request";
pub(crate) const NO_OTHER_BRANCH: &str = "The repository has no other branch yet. Push one first.";
pub(crate) const HEAD_HINT: &str = "The branch with your change.";
pub(crate) const PULL_REQUEST_TITLE: &str = "Title";
pub(crate) const DESCRIPTION: &str = "Description";
pub(crate) const DESCRIPTION_HINT: &str = "Markdown. Leave empty if the title says it all.";
pub(crate) const TARGET_BRANCH: &str = "Target branch";
pub(crate) const OPENED: &str = "Opened";
pub(crate) const MERGE: &str = "Merge and publish";
pub(crate) const MERGE_METHOD: &str = "Merge method";
pub(crate) const MERGE_METHODS: [(&str, &str); 3] =
    [("merge", "Merge commit"), ("squash", "Squash into one commit"), ("rebase", "Rebase commits")];
pub(crate) const DELETE_BRANCH: &str = "Delete branch";
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

/// The same, where there is nothing to merge into.
pub(crate) fn no_target_branch(base: &str) -> String {
    format!("The target branch {base} doesn't exist. Push it again, or close the pull request.")
}

/// The same, where there is nothing to merge.
pub(crate) fn no_branch(head: &str) -> String {
    format!("The branch {head} doesn't exist. Start another agent job, or push the branch again.")
}
