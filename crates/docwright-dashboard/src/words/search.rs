//! Texts of the search for everything.

pub(crate) const SEARCH_PATH: &str = "/search";
pub(crate) const SEARCH_EVERYTHING: &str = "Search or run an action";
pub(crate) const SEARCH_RESULTS: &str = "Results";
pub(crate) const SEARCH_LIMITS: &str = "Shows up to 6 items of each kind. Pages, releases, agent jobs, pull requests, and previews are those of the current project.";
pub(crate) const GO_TO: &str = "Go to";
pub(crate) const RECENT: &str = "Recent";

pub(crate) const START_AGENT_JOB: &str = "Start agent job";
pub(crate) const ORGANIZATION: &str = "Organization";
pub(crate) const START_PREVIEW: &str = "Start preview";
pub(crate) const EDIT_PAGE: &str = "Edit page";

/// The text for a search without results.
pub(crate) fn nothing_found_for(text: &str) -> String {
    format!("No results for “{text}”.")
}
