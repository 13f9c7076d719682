//! Of projects, their releases, and what belongs to them.

use docwright_domain::counted::{self, counted, grouped};

pub(in crate::dashboard) const PROJECTS: &str = "Projects";
pub(in crate::dashboard) const NO_PROJECTS: &str = "No project yet";
pub(in crate::dashboard) const NO_PROJECTS_WHY: &str = "A project is one documentation repository and the sites that are made of it. Connect a repository, or start with an empty one that docwright keeps.";
pub(in crate::dashboard) const NEW_PROJECT: &str = "New project";
pub(in crate::dashboard) const REPOSITORY: &str = "Repository";
pub(in crate::dashboard) const FIND_PROJECT: &str = "Name of a project";
pub(in crate::dashboard) const FIND_COMMIT: &str = "Commit";
pub(in crate::dashboard) const CREATED: &str = "Created";

pub(in crate::dashboard) const OVERVIEW: &str = "Overview";
pub(in crate::dashboard) const PROJECT_ID: &str = "Project id";
pub(in crate::dashboard) const RELEASES: &str = "Releases";
pub(in crate::dashboard) const NO_RELEASES: &str = "No releases yet";
pub(in crate::dashboard) const NO_RELEASES_WHY: &str = "A release is your site, built from one commit. The first one is made as soon as the project has a domain and the repository a commit.";
pub(in crate::dashboard) const ALL_RELEASES: &str = "All releases";
pub(in crate::dashboard) const LIVE: &str = "Active";
pub(in crate::dashboard) const STATE: &str = "State";
pub(in crate::dashboard) const COMMIT: &str = "Commit";
pub(in crate::dashboard) const PAGES: &str = "Pages";
pub(in crate::dashboard) const MISTAKES: &str = "Diagnostics";
pub(in crate::dashboard) const CREATE_PROJECT: &str = "Create project";
pub(in crate::dashboard) const REPOSITORY_HINT: &str = "An address that git clones, such as https://github.com/acme/docs. Leave it empty for a repository that docwright keeps.";
pub(in crate::dashboard) const STARTER: &str =
    "Begin with example pages, if docwright keeps the repository";
pub(in crate::dashboard) const NEW_DOMAIN_HINT: &str =
    "Where readers find the site, such as docs.example.com. Leave it empty to add it later.";
pub(in crate::dashboard) const NEW_DOMAIN_HERE_HINT: &str = "Where readers find the site. Leave it empty for one of this machine: the name of the project, and .localhost.";
pub(in crate::dashboard) const MADE_WITHOUT_DOMAIN: &str =
    "The project is there, without this domain. Its site is built as soon as it has one.";
pub(in crate::dashboard) const DOCS_PATH: &str = "Folder";
pub(in crate::dashboard) const DOCS_PATH_HINT: &str =
    "Where docs.json is, if not at the top. Leave it empty to have it found.";
pub(in crate::dashboard) const PROJECT: &str = "Project";
pub(in crate::dashboard) const LOOKED_AT: &str = "Last polled";
pub(in crate::dashboard) const CANT_READ: &str = "docwright can't read the repository.";
pub(in crate::dashboard) const CANT_READ_NEXT: &str =
    "docwright retries automatically, and when you change the URL or credentials.";
pub(in crate::dashboard) const NEWEST_FAILED: &str = "The newest release failed:";
pub(in crate::dashboard) const ADDRESS_AND_FOLDER: &str = "Address and folder";
pub(in crate::dashboard) const BRANCHES_OF_DOMAINS: &str = "Branches of domains";
pub(in crate::dashboard) const FOUND: &str = "Build result";
pub(in crate::dashboard) const CONFIGURATION: &str = "Configuration";
pub(in crate::dashboard) const SITE_NAME: &str = "Name of the site";
pub(in crate::dashboard) const THEME: &str = "Theme";
pub(in crate::dashboard) const ALL_MISTAKES: &str = "View all diagnostics";
pub(in crate::dashboard) const SEE_THEM: &str = "View";
pub(in crate::dashboard) const NEXT: &str = "Next steps";
pub(in crate::dashboard) const DONE: &str = "Done";
pub(in crate::dashboard) const TO_DO: &str = "To do";
pub(in crate::dashboard) const NEXT_DOMAIN: &str = "A domain";
pub(in crate::dashboard) const NEXT_DOMAIN_WHY: &str = "It is where readers find the site, such as docs.example.com. Names that end with .localhost work on this machine at once.";
pub(in crate::dashboard) const NEXT_PUSH: &str = "A commit";
pub(in crate::dashboard) const NEXT_PUSH_BUILT_IN: &str = "Push a folder that has a docs.json. Git asks for a name and a password: any name, and an API key with the scope write.";
pub(in crate::dashboard) const NEXT_PUSH_WHY: &str = "The repository is looked at by itself. Commit a docs.json to its default branch if it has none.";
pub(in crate::dashboard) const NEXT_RELEASE: &str = "The first release";
pub(in crate::dashboard) const NEXT_RELEASE_WHY: &str = "It is built as soon as there are a domain and a commit, and readers see it when it is ready. This page shows it meanwhile.";
pub(in crate::dashboard) const OPEN_PREVIEWS: &str = "Open previews";
pub(in crate::dashboard) const ALL_PREVIEWS: &str = "All previews";
pub(in crate::dashboard) const OPEN_JOBS: &str = "Running agent jobs";
pub(in crate::dashboard) const ACTIVE: &str = "Running";
pub(in crate::dashboard) const ALL_FEEDBACK: &str = "All feedback";
pub(in crate::dashboard) const RELEASE: &str = "Release";
pub(in crate::dashboard) const TRIGGER: &str = "Triggered by";
pub(in crate::dashboard) const TOOK: &str = "Took";
pub(in crate::dashboard) const PROGRESS: &str = "Progress";
pub(in crate::dashboard) const BUILD_NEWEST: &str = "Build latest commit";
pub(in crate::dashboard) const BUILD_AGAIN: &str = "Build again";
pub(in crate::dashboard) const RELEASE_STEPS: &str = "Steps";
pub(in crate::dashboard) const AFTER: &str = "after";
pub(in crate::dashboard) const WAITS_FOR_WORKER: &str = "Waiting for a worker";
pub(in crate::dashboard) const FAILED_BECAUSE: &str = "Build failed:";
pub(in crate::dashboard) const NO_REASON: &str = "no reason is known.";
pub(in crate::dashboard) const FAILED_NEXT: &str = "What readers see has not changed. Fix what is wrong and push again, or build again if it was no fault of the files.";
pub(in crate::dashboard) const THAT_RELEASE: &str = "Release";
pub(in crate::dashboard) const NOT_REPORTED: &str = "It could not be reported to the git host:";
pub(in crate::dashboard) const OPEN_SITE: &str = "Open the site";
pub(in crate::dashboard) const OPEN: &str = "Open";
pub(in crate::dashboard) const MAKE_LIVE: &str = "Activate";
pub(in crate::dashboard) const MAKE_LIVE_WHY: &str =
    "Readers see this release immediately. It stays active until a newer commit is released.";
pub(in crate::dashboard) const COMPARE: &str = "Compare with the one before";
pub(in crate::dashboard) const AUTHOR: &str = "Author";
pub(in crate::dashboard) const FILES_CHANGED: &str = "Files changed";
pub(in crate::dashboard) const SITE: &str = "Site";
pub(in crate::dashboard) const RELEASE_ID: &str = "Release id";
pub(in crate::dashboard) const CANCEL: &str = "Cancel";
pub(in crate::dashboard) const CHANGES: &str = "Changed pages";
pub(in crate::dashboard) const COMPARED_WITH: &str = "Compared with the earlier";
pub(in crate::dashboard) const FIRST_RELEASE: &str =
    "The site had no release before this one, so that each page is new.";
pub(in crate::dashboard) const ADDED: &str = "added";
pub(in crate::dashboard) const CHANGED: &str = "changed";
pub(in crate::dashboard) const MOVED: &str = "moved";
pub(in crate::dashboard) const REMOVED: &str = "removed";
pub(in crate::dashboard) const NO_CHANGES: &str = "No page differs.";
pub(in crate::dashboard) const PAGE: &str = "Page";
pub(in crate::dashboard) const PATH: &str = "Path";
pub(in crate::dashboard) const NO_MISTAKES: &str = "No errors or warnings";
pub(in crate::dashboard) const SEVERITY: &str = "Severity";
pub(in crate::dashboard) const WHERE: &str = "Where";
pub(in crate::dashboard) const WHAT: &str = "What";
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
        "api" => "Request",
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
