//! Of projects, their releases, and what belongs to them.

use docwright_types::counted::{self, counted, grouped};

pub(in crate::dashboard) const PROJECTS: &str = "Projects";
pub(in crate::dashboard) const NO_PROJECTS: &str = "No projects yet";
pub(in crate::dashboard) const NO_PROJECTS_WHY: &str = "A project is a documentation repository with its sites and settings. Connect a repository, or start with an empty one on the built-in git host.";
pub(in crate::dashboard) const NEW_PROJECT: &str = "New project";
pub(in crate::dashboard) const REPOSITORY: &str = "Repository";
pub(in crate::dashboard) const FIND_PROJECT: &str = "Project name";
pub(in crate::dashboard) const FIND_COMMIT: &str = "Commit";
pub(in crate::dashboard) const CREATED: &str = "Created";

pub(in crate::dashboard) const OVERVIEW: &str = "Overview";
pub(in crate::dashboard) const PROJECT_ID: &str = "Project ID";
pub(in crate::dashboard) const RELEASES: &str = "Releases";
pub(in crate::dashboard) const NO_RELEASES: &str = "No releases yet";
pub(in crate::dashboard) const NO_RELEASES_WHY: &str = "A release is one commit, built for one site. docwright builds the first one when the project has a domain and the repository has a commit.";
pub(in crate::dashboard) const ALL_RELEASES: &str = "View all releases";
pub(in crate::dashboard) const LIVE: &str = "Active";
pub(in crate::dashboard) const STATE: &str = "State";
pub(in crate::dashboard) const COMMIT: &str = "Commit";
pub(in crate::dashboard) const PAGES: &str = "Pages";
pub(in crate::dashboard) const MISTAKES: &str = "Diagnostics";
pub(in crate::dashboard) const CREATE_PROJECT: &str = "Create project";
pub(in crate::dashboard) const REPOSITORY_HINT: &str = "A URL that git can clone, such as https://github.com/acme/docs. Leave empty to use the built-in git host.";
pub(in crate::dashboard) const STARTER: &str = "Start with example pages (built-in git host only)";
pub(in crate::dashboard) const NEW_DOMAIN_HINT: &str =
    "Where readers find the site, such as docs.example.com. Leave empty to add a domain later.";
pub(in crate::dashboard) const NEW_DOMAIN_HERE_HINT: &str =
    "Where readers find the site. Leave empty to use the project name with .localhost.";
pub(in crate::dashboard) const MADE_WITHOUT_DOMAIN: &str =
    "The project was created without this domain. Add a domain to build the site.";
pub(in crate::dashboard) const DOCS_PATH: &str = "Folder";
pub(in crate::dashboard) const DOCS_PATH_HINT: &str =
    "The folder with docs.json. Leave empty to find it automatically.";
pub(in crate::dashboard) const PROJECT: &str = "Project";
pub(in crate::dashboard) const POLLED_AT: &str = "Last polled";
pub(in crate::dashboard) const CANT_READ: &str = "docwright can't read the repository.";
pub(in crate::dashboard) const CANT_READ_NEXT: &str =
    "docwright retries automatically, and when you change the URL or credentials.";
pub(in crate::dashboard) const NEWEST_FAILED: &str = "The latest release failed:";
pub(in crate::dashboard) const ADDRESS_AND_FOLDER: &str = "Repository URL and folder";
pub(in crate::dashboard) const BRANCHES_OF_DOMAINS: &str = "Branches of domains";
pub(in crate::dashboard) const FOUND: &str = "Build result";
pub(in crate::dashboard) const CONFIGURATION: &str = "Configuration";
pub(in crate::dashboard) const SITE_NAME: &str = "Site name";
pub(in crate::dashboard) const THEME: &str = "Theme";
pub(in crate::dashboard) const ALL_MISTAKES: &str = "View all diagnostics";
pub(in crate::dashboard) const SEE_THEM: &str = "View";
pub(in crate::dashboard) const NEXT: &str = "Next steps";
pub(in crate::dashboard) const DONE: &str = "Done";
pub(in crate::dashboard) const TO_DO: &str = "To do";
pub(in crate::dashboard) const NEXT_DOMAIN: &str = "Add a domain";
pub(in crate::dashboard) const NEXT_DOMAIN_WHY: &str = "Readers find the site at its domain, such as docs.example.com. Names that end in .localhost work immediately on this machine.";
pub(in crate::dashboard) const NEXT_PUSH: &str = "Push a commit";
pub(in crate::dashboard) const NEXT_PUSH_BUILT_IN: &str = "Push a folder that contains docs.json. When git asks for a username, enter any name. As the password, use an API key with the scope write.";
pub(in crate::dashboard) const NEXT_PUSH_WHY: &str = "docwright polls the repository automatically. If the default branch has no docs.json, commit one.";
pub(in crate::dashboard) const NEXT_RELEASE: &str = "First release";
pub(in crate::dashboard) const NEXT_RELEASE_WHY: &str =
    "docwright builds it when the project has a domain and a commit. This page shows the progress.";
pub(in crate::dashboard) const OPEN_PREVIEWS: &str = "Open previews";
pub(in crate::dashboard) const ALL_PREVIEWS: &str = "View all previews";
pub(in crate::dashboard) const OPEN_JOBS: &str = "Running agent jobs";
pub(in crate::dashboard) const ACTIVE: &str = "Running";
pub(in crate::dashboard) const ALL_FEEDBACK: &str = "View all feedback";
pub(in crate::dashboard) const RELEASE: &str = "Release";
pub(in crate::dashboard) const TRIGGER: &str = "Triggered by";
pub(in crate::dashboard) const TOOK: &str = "Duration";
pub(in crate::dashboard) const PROGRESS: &str = "Progress";
pub(in crate::dashboard) const BUILD_NEWEST: &str = "Build latest commit";
pub(in crate::dashboard) const BUILD_AGAIN: &str = "Build again";
pub(in crate::dashboard) const RELEASE_STEPS: &str = "Steps";
pub(in crate::dashboard) const AFTER: &str = "after";
pub(in crate::dashboard) const WAITS_FOR_WORKER: &str = "Waiting for a worker";
pub(in crate::dashboard) const FAILED_BECAUSE: &str = "Build failed:";
pub(in crate::dashboard) const NO_REASON: &str = "unknown reason.";
pub(in crate::dashboard) const FAILED_NEXT: &str = "Readers still see the previous release. Fix the error and push again. If the error is temporary, build again.";
pub(in crate::dashboard) const THAT_RELEASE: &str = "View release";
pub(in crate::dashboard) const NOT_REPORTED: &str =
    "docwright couldn't report this release to the git host:";
pub(in crate::dashboard) const OPEN_SITE: &str = "Open site";
pub(in crate::dashboard) const OPEN: &str = "Open";
pub(in crate::dashboard) const MAKE_LIVE: &str = "Activate";
pub(in crate::dashboard) const MAKE_LIVE_WHY: &str =
    "Readers see this release immediately. It stays active until a newer commit is released.";
pub(in crate::dashboard) const COMPARE: &str = "Compare with previous release";
pub(in crate::dashboard) const AUTHOR: &str = "Author";
pub(in crate::dashboard) const FILES_CHANGED: &str = "Changed files";
pub(in crate::dashboard) const SITE: &str = "Site";
pub(in crate::dashboard) const RELEASE_ID: &str = "Release ID";
pub(in crate::dashboard) const CANCEL: &str = "Cancel";
pub(in crate::dashboard) const CHANGES: &str = "Changed pages";
pub(in crate::dashboard) const COMPARED_WITH: &str = "Compared with an earlier release.";
pub(in crate::dashboard) const FIRST_RELEASE: &str =
    "This is the first release of the site, so every page is new.";
pub(in crate::dashboard) const ADDED: &str = "added";
pub(in crate::dashboard) const CHANGED: &str = "changed";
pub(in crate::dashboard) const MOVED: &str = "moved";
pub(in crate::dashboard) const REMOVED: &str = "removed";
pub(in crate::dashboard) const NO_CHANGES: &str = "No pages changed.";
pub(in crate::dashboard) const PAGE: &str = "Page";
pub(in crate::dashboard) const PATH: &str = "Path";
pub(in crate::dashboard) const NO_MISTAKES: &str = "No errors or warnings";
pub(in crate::dashboard) const SEVERITY: &str = "Severity";
pub(in crate::dashboard) const WHERE: &str = "Location";
pub(in crate::dashboard) const WHAT: &str = "Message";
pub(in crate::dashboard) const NEW: &str = "New";
pub(in crate::dashboard) const ACTIONS: &str = "Actions";
pub(in crate::dashboard) const LAST_CHANGE: &str = "Last change";

/// The statuses of a release, by which a list can be limited.
pub(in crate::dashboard) const RELEASE_STATUSES: [(&str, &str); 6] = [
    ("queued", "Queued"),
    ("building", "Building"),
    ("ready", "Ready"),
    ("failed", "Failed"),
    ("superseded", "Superseded"),
    ("skipped", "Skipped"),
];

/// The status of a release, as people read it.
pub(in crate::dashboard) fn release_status(status: &str) -> &str {
    RELEASE_STATUSES.iter().find(|(name, _)| *name == status).map_or(status, |(_, label)| label)
}

/// What asked for a release.
pub(in crate::dashboard) fn trigger(name: &str) -> &str {
    match name {
        "push" => "Push",
        "merge" => "Merge",
        "poll" => "New commit",
        "api" => "API",
        "manual" => "Operator",
        "export" => "Export",
        "preview" => "Preview",
        other => other,
    }
}

/// Why a release was not built.
pub(in crate::dashboard) fn replaced(status: &str) -> &'static str {
    match status {
        "skipped" => "Skipped: no documentation changes since this release:",
        _ => "Superseded by a newer commit:",
    }
}

/// What happened to a page.
pub(in crate::dashboard) fn fate(name: &str) -> &str {
    match name {
        "added" => "Added",
        "changed" => "Changed",
        "moved" => "Moved",
        "removed" => "Removed",
        other => other,
    }
}

/// How bad a diagnostic is.
pub(in crate::dashboard) fn severity(name: &str) -> &str {
    match name {
        "error" => "Error",
        "warning" => "Warning",
        other => other,
    }
}

/// So many pages.
pub(in crate::dashboard) fn pages(count: i64) -> String {
    counted(count, "page")
}

/// So many diagnostics, of which those are at hand: by severity if all of them are.
pub(in crate::dashboard) fn diagnostics<'a>(
    count: i64,
    severities: impl ExactSizeIterator<Item = &'a str>,
) -> String {
    let shown = severities.len();
    if usize::try_from(count) != Ok(shown) {
        return counted(count, "diagnostic");
    }
    let errors = severities.filter(|severity| *severity == "error").count();
    counted::severities(errors, shown - errors, "")
}

/// So many of some diagnostics are new.
pub(in crate::dashboard) fn of_them_new(count: i64) -> String {
    match count {
        0 => "none of them new".to_owned(),
        count => format!("{} of them new", grouped(count)),
    }
}

/// So many diagnostics are in what readers see.
pub(in crate::dashboard) fn active_diagnostics(count: i64) -> String {
    format!("The active release has {}.", counted(count, "diagnostic"))
}

/// So many others exist that the page leaves out.
pub(in crate::dashboard) fn more(count: usize) -> String {
    format!("And {} more.", grouped(count))
}
