//! Of projects, their releases, and what belongs to them.

pub(in crate::dashboard) const PROJECTS: &str = "Projects";
pub(in crate::dashboard) const NO_PROJECTS: &str = "No project yet";
pub(in crate::dashboard) const NO_PROJECTS_WHY: &str = "A project is one documentation repository and the sites that are made of it. Connect a repository, or start with an empty one that docwright keeps.";
pub(in crate::dashboard) const NEW_PROJECT: &str = "New project";
pub(in crate::dashboard) const REPOSITORY: &str = "Repository";
pub(in crate::dashboard) const CREATED: &str = "Created";

pub(in crate::dashboard) const OVERVIEW: &str = "Overview";
pub(in crate::dashboard) const PROJECT_ID: &str = "Project id";
pub(in crate::dashboard) const RELEASES: &str = "Releases";
pub(in crate::dashboard) const NO_RELEASES: &str = "No release yet";
pub(in crate::dashboard) const NO_RELEASES_WHY: &str = "A release is your site, built from one commit. The first one is made as soon as the project has a domain and the repository a commit.";
pub(in crate::dashboard) const ALL_RELEASES: &str = "All releases";
pub(in crate::dashboard) const LIVE: &str = "Live";
pub(in crate::dashboard) const STATE: &str = "State";
pub(in crate::dashboard) const COMMIT: &str = "Commit";
pub(in crate::dashboard) const PAGES: &str = "Pages";
pub(in crate::dashboard) const MISTAKES: &str = "Mistakes";
pub(in crate::dashboard) const CREATE_PROJECT: &str = "Create project";
pub(in crate::dashboard) const REPOSITORY_HINT: &str = "An address that git clones, such as https://github.com/acme/docs. Leave it empty for a repository that docwright keeps.";
pub(in crate::dashboard) const DOCS_PATH: &str = "Folder";
pub(in crate::dashboard) const DOCS_PATH_HINT: &str =
    "Where docs.json is, if not at the top. Leave it empty to have it found.";

/// The status of a release, as people read it.
pub(in crate::dashboard) fn release_status(status: &str) -> &str {
    match status {
        "queued" => "Queued",
        "building" => "Building",
        "ready" => "Ready",
        "failed" => "Failed",
        "superseded" => "Superseded",
        "skipped" => "Skipped",
        other => other,
    }
}
