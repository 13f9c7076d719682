//! Texts about projects and their releases.

use docwright_types::{
    counted::{self, counted, grouped},
    problem::ProblemKind,
};

pub(crate) const PROJECTS: &str = "Projects";
pub(crate) const NO_PROJECTS: &str = "No projects yet";
pub(crate) const NO_PROJECTS_WHY: &str = "A project is a documentation repository with its sites and settings. Connect a repository, or start with an empty one on the built-in git host.";
pub(crate) const NEW_PROJECT: &str = "New project";
pub(crate) const REPOSITORY: &str = "Repository";
pub(crate) const FIND_PROJECT: &str = "Project name";
pub(crate) const LAST_RELEASE: &str = "Last release";
pub(crate) const FIND_RELEASE: &str = "Number, commit, message, or author";
pub(crate) const CREATED: &str = "Created";

pub(crate) const OVERVIEW: &str = "Overview";
pub(crate) const PROJECT_ID: &str = "Project ID";
pub(crate) const RELEASES: &str = "Releases";
pub(crate) const NO_RELEASES: &str = "No releases yet";
pub(crate) const NO_RELEASES_WHY: &str = "A release is one commit, built for one site. docwright builds the first one when the project has a domain and the repository has a commit.";
pub(crate) const ALL_RELEASES: &str = "View all releases";
pub(crate) const LIVE: &str = "Active";
pub(crate) const STATE: &str = "State";
pub(crate) const COMMIT: &str = "Commit";
pub(crate) const PAGES: &str = "Pages";
pub(crate) const DIAGNOSTICS: &str = "Diagnostics";
pub(crate) const CREATE_PROJECT: &str = "Create project";
pub(crate) const DOCS_PATH: &str = "Folder";
pub(crate) const DOCS_PATH_HINT: &str =
    "The folder with docs.json. Leave empty to find it automatically.";
pub(crate) const PROJECT: &str = "Project";
pub(crate) const POLLED_AT: &str = "Last polled";
pub(crate) const POLL: &str = "Poll now";
pub(crate) const PROBLEM_SINCE: &str = "Started";
pub(crate) const NEXT_ATTEMPT: &str = "Next attempt";
pub(crate) const TRY_NOW: &str = "Try now";
pub(crate) const DOMAIN_AND_RECORDS: &str = "Domain and DNS records";
pub(crate) const ADDRESS_AND_FOLDER: &str = "Repository URL and folder";
pub(crate) const BRANCHES_OF_DOMAINS: &str = "Branches of domains";
pub(crate) const MODEL_OF_PROJECT: &str = "Model of the project";
pub(crate) const INSTANCE_HEALTH: &str = "Health of the instance";
pub(crate) const OPERATOR_FIXES: &str = "The operator of this instance can fix this.";
pub(crate) const FOUND: &str = "Build result";
pub(crate) const CONFIGURATION: &str = "Configuration";
pub(crate) const SITE_NAME: &str = "Site name";
pub(crate) const THEME: &str = "Theme";
pub(crate) const ALL_DIAGNOSTICS: &str = "View all diagnostics";
pub(crate) const SEE_THEM: &str = "View";
pub(crate) const OPEN_PREVIEWS: &str = "Open previews";
pub(crate) const ALL_PREVIEWS: &str = "View all previews";
pub(crate) const OPEN_JOBS: &str = "Running agent jobs";
pub(crate) const ACTIVE: &str = "Running";
pub(crate) const ALL_FEEDBACK: &str = "View all feedback";
pub(crate) const RELEASE: &str = "Release";
pub(crate) const TRIGGER: &str = "Triggered by";
pub(crate) const TOOK: &str = "Duration";
pub(crate) const PROGRESS: &str = "Progress";
pub(crate) const BUILD_NEWEST: &str = "Build latest commit";
pub(crate) const BUILD_AGAIN: &str = "Build again";
pub(crate) const REBUILD: &str = "Rebuild without cache";
pub(crate) const REBUILD_QUESTION: &str = "Rebuild the latest commit of this site without results of earlier builds? The new release then becomes active like any other.";
pub(crate) const CANCEL_BUILD: &str = "Cancel release";
pub(crate) const CANCEL_BUILD_QUESTION: &str =
    "Cancel this release? Its build stops, and exports that wait for it fail.";
pub(crate) const CANCELED: &str = "Canceled";
pub(crate) const CANCELED_WHY: &str =
    "Someone canceled this release. Readers see the release that was active before.";
pub(crate) const DOWNLOAD_LOG: &str = "Download log";
pub(crate) const HELD_WHY: &str = "Readers still see the release that was active before. Fix the errors and push again, or activate this release with them.";
pub(crate) const RESOLVED_DIAGNOSTICS: &str = "Resolved diagnostics";
pub(crate) const NO_OTHER_DIAGNOSTICS: &str = "No diagnostics are new or resolved.";
pub(crate) const RELEASE_STEPS: &str = "Steps";
pub(crate) const AFTER: &str = "after";
pub(crate) const WAITS_FOR_WORKER: &str = "Waiting for a worker";
pub(crate) const FAILED_BECAUSE: &str = "Build failed:";
pub(crate) const NO_REASON: &str = "unknown reason.";
pub(crate) const FAILED_NEXT: &str = "Readers still see the previous release. Fix the error and push again. If the error is temporary, build again.";
pub(crate) const THAT_RELEASE: &str = "View release";
pub(crate) const NOT_REPORTED: &str = "docwright couldn't report this release to the git host:";
pub(crate) const OPEN_SITE: &str = "Open site";
pub(crate) const OPEN: &str = "Open";
pub(crate) const ACTIVATE: &str = "Activate";
pub(crate) const ACTIVATE_ANYWAY: &str = "Activate anyway";
pub(crate) const ACTIVATE_WHY: &str =
    "Readers see this release immediately. It stays active until a newer commit is released.";
pub(crate) const COMPARE: &str = "View changes";
pub(crate) const COMPARE_WITH: &str = "Compare with";
pub(crate) const COMPARE_RELEASES: &str = "Compare releases";
pub(crate) const AUTHOR: &str = "Author";
pub(crate) const FILES_CHANGED: &str = "Changed files";
pub(crate) const SITE: &str = "Site";
pub(crate) const RELEASE_ID: &str = "Release ID";
pub(crate) const CANCEL: &str = "Cancel";
pub(crate) const CHANGES: &str = "Changes";
pub(crate) const CHANGED_PAGES: &str = "Changed pages";
pub(crate) const COMPARED_WITH: &str = "Compared with";
pub(crate) const ACTIVE_BEFORE: &str = "Previous release";
pub(crate) const FIRST_RELEASE: &str =
    "This is the first release of the site, so every page is new.";
pub(crate) const ADDED: &str = "added";
pub(crate) const CHANGED: &str = "changed";
pub(crate) const MOVED: &str = "moved";
pub(crate) const REMOVED: &str = "removed";
pub(crate) const NO_CHANGES: &str = "No pages changed.";
pub(crate) const PAGE: &str = "Page";
pub(crate) const PATH: &str = "Path";
pub(crate) const NO_DIAGNOSTICS: &str = "No errors or warnings";
pub(crate) const SEVERITY: &str = "Severity";
pub(crate) const WHERE: &str = "Location";
pub(crate) const WHAT: &str = "Message";
pub(crate) const NEW: &str = "New";
pub(crate) const ACTIONS: &str = "Actions";
pub(crate) const FIND_DIAGNOSTIC: &str = "File or message";
pub(crate) const NO_SUCH_DIAGNOSTICS: &str = "No diagnostics match this filter.";
pub(crate) const RULE: &str = "Rule";
pub(crate) const ALL_RULES: &str = "All rules";
pub(crate) const OTHER_RULES: &str = "Other";
pub(crate) const LAST_CHANGE: &str = "Last change";

/// Release statuses for the filter.
pub(crate) const RELEASE_STATUSES: [(&str, &str); 6] = [
    ("queued", "Queued"),
    ("building", "Building"),
    ("ready", "Ready"),
    ("failed", "Failed"),
    ("superseded", "Superseded"),
    ("skipped", "Skipped"),
];

/// Label of a release status.
pub(crate) fn release_status(status: &str) -> &str {
    RELEASE_STATUSES.iter().find(|(name, _)| *name == status).map_or(status, |(_, label)| label)
}

/// Label of a release trigger.
pub(crate) fn trigger(name: &str) -> &str {
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

/// The reason why a release wasn't built.
pub(crate) fn replaced(status: &str) -> &'static str {
    match status {
        "skipped" => "Skipped: no documentation changes since this release:",
        _ => "Superseded by a newer commit:",
    }
}

/// Label of a change to a page.
pub(crate) fn fate(name: &str) -> &str {
    match name {
        "added" => "Added",
        "changed" => "Changed",
        "moved" => "Moved",
        "removed" => "Removed",
        other => other,
    }
}

/// Label of a severity.
pub(crate) fn severity(name: &str) -> &str {
    match name {
        "error" => "Error",
        "warning" => "Warning",
        other => other,
    }
}

/// Severities for the filter of diagnostics.
pub(crate) const DIAGNOSTIC_SEVERITIES: [(&str, &str); 4] =
    [("", "All"), ("error", "Errors"), ("warning", "Warnings"), ("new", "New")];

/// The number of diagnostics of a rule.
pub(crate) fn grouped_count(count: usize) -> String {
    grouped(count)
}

/// The note that only the first diagnostics are listed.
pub(crate) fn first_diagnostics(count: usize) -> String {
    format!("The first {} are listed.", grouped(count))
}

/// The number of a release, for people.
pub(crate) fn number_of_release(number: i64) -> String {
    format!("#{number}")
}

/// The notice that a release of a domain has to be activated.
pub(crate) fn release_waits(number: i64, domain: &str) -> String {
    format!("Release #{number} is ready to activate on {domain}")
}

/// The notice that a release of a domain is held.
pub(crate) fn release_held(number: i64, domain: &str, errors: i64) -> String {
    format!("Release #{number} is held on {domain}: {}", counted(errors, "new error"))
}

/// The state of a held release.
pub(crate) fn held(errors: i64) -> String {
    format!("Held: {}", counted(errors, "new error"))
}

/// A number of pages.
pub(crate) fn pages(count: i64) -> String {
    counted(count, "page")
}

/// A number of diagnostics, by severity if all of them are given.
pub(crate) fn diagnostics<'a>(
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

/// The number of new diagnostics.
pub(crate) fn of_them_new(count: i64) -> String {
    match count {
        0 => "none of them new".to_owned(),
        count => format!("{} of them new", grouped(count)),
    }
}

/// The number of diagnostics in the active release.
pub(crate) fn active_diagnostics(count: i64) -> String {
    format!("The active release has {}.", counted(count, "diagnostic"))
}

/// The number of diagnostics that the page leaves out.
pub(crate) fn more(count: usize) -> String {
    format!("And {} more.", grouped(count))
}

/// What a problem of a project is, before its details.
pub(crate) const fn problem(kind: ProblemKind) -> &'static str {
    match kind {
        ProblemKind::Repository => "docwright can't read the repository.",
        ProblemKind::Credentials => "The repository needs credentials that its git host accepts.",
        ProblemKind::Branch => "The branch of a site is missing.",
        ProblemKind::Release => "The latest release failed:",
        ProblemKind::CommitStatus => {
            "docwright couldn't report the latest release to the git host:"
        }
        ProblemKind::Dns => "A domain needs a DNS record.",
        ProblemKind::Certificate => "A hostname has no valid certificate.",
        ProblemKind::Notification => "A subscription doesn't receive notifications:",
        ProblemKind::Model => "Agent jobs and answers need a model that works:",
        ProblemKind::Storage => "Releases and exports need object storage that works:",
    }
}

/// How often something failed.
pub(crate) fn failed_attempts(count: i64) -> String {
    counted(count, "failed attempt")
}
