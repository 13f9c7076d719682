//! Of keys and agent jobs.

use docwright_operations::diff::FileFate;
use docwright_types::counted::{counted, grouped};

pub(crate) const FIND_KEY: &str = "Name, ID, or email";
pub(crate) const KEYS: &str = "API keys";
pub(crate) const KEYS_WHY: &str = "Programs use the API with a key, such as CI, scripts, and git. An organization can create ten keys per hour.";
pub(crate) const NEW_KEY: &str = "New key";
pub(crate) const NO_KEYS: &str = "No keys yet";
pub(crate) const KEY_NAME_HINT: &str = "What uses the key, such as ci.";
pub(crate) const KEY_SCOPE: &str = "Scope";
pub(crate) const KEY_PROJECTS: &str = "Projects";
pub(crate) const KEY_PROJECTS_HINT: &str =
    "The key can access only these projects. Choose none for all projects.";
pub(crate) const KEY_PROJECTS_TEXT_HINT: &str =
    "IDs of the projects that the key can access, one per line. Leave empty for all projects.";
pub(crate) const KEY_DAYS: &str = "Expires in";
pub(crate) const KEY_ALLOW: &str = "Allowed IP addresses";
pub(crate) const KEY_ALLOW_HINT: &str =
    "IP addresses and networks that can use the key, such as 192.0.2.0/24. Leave empty for all.";
pub(crate) const CREATE_KEY: &str = "Create key";
pub(crate) const KEY_MADE: &str = "API key created";
pub(crate) const KEY_MADE_WHY: &str = "Copy this key now. You won't see it again.";
pub(crate) const KEY_TRY: &str = "Try the key";
pub(crate) const ALL_PROJECTS: &str = "All projects";
pub(crate) const LAST_USED: &str = "Last used";
pub(crate) const NEVER: &str = "Never";
pub(crate) const ENDS: &str = "Expires";
pub(crate) const REVOKE: &str = "Revoke";
pub(crate) const REVOKE_WHY: &str =
    "Everything that uses this key stops working immediately. This can't be undone.";
pub(crate) const REVOKE_NOW: &str = "Revoke key";
pub(crate) const KEY_GOOD: &str = "Valid";
pub(crate) const KEY_REVOKED: &str = "Revoked";
pub(crate) const KEY_ENDED: &str = "Expired";
pub(crate) const PROJECT_IDS: &str = "Project IDs";
pub(crate) const PROJECT_IDS_WHY: &str = "API paths name projects by ID.";

/// Lifetimes of a new key in days.
pub(crate) const DAYS: [(i64, &str); 4] =
    [(7, "7 days"), (30, "30 days"), (60, "60 days"), (90, "90 days")];

/// The scopes of a key: the value, the label, and the description.
pub(crate) const SCOPES: [(&str, &str, &str); 3] = [
    ("read", "Read", "Read projects, releases, jobs, and exports."),
    ("write", "Write", "Also start agent jobs, builds, and exports, push, and activate releases."),
    (
        "admin",
        "Admin",
        "Also change settings, domains, credentials, and keys, and delete projects.",
    ),
];

/// The name of a scope.
pub(crate) fn scope(scope: &str) -> &str {
    SCOPES.iter().find(|(name, ..)| *name == scope).map_or(scope, |(_, label, _)| label)
}

pub(crate) const JOBS: &str = "Agent jobs";
pub(crate) const JOB: &str = "Agent job";
pub(crate) const NO_JOBS: &str = "No agent jobs yet";
pub(crate) const NO_JOBS_WHY: &str = "Describe a change in plain words. An agent edits the pages, checks them, and opens a pull request that you merge or close.";
pub(crate) const NEW_JOB: &str = "New job";
pub(crate) const PROMPT: &str = "Prompt";
pub(crate) const PROMPT_HINT: &str = "Describe the change, and name the pages if you know them.";
pub(crate) const START_JOB: &str = "Start job";
pub(crate) const JOBS_CANNOT_WORK: &str = "Agent jobs can't work in this project:";
pub(crate) const JOBS_CANNOT_WORK_WHY: &str = "An agent proposes its changes as a pull request. Use the built-in git host, or a git host with pull requests.";
pub(crate) const EXAMPLES: &str = "Examples";
pub(crate) const EXAMPLES_WHY: &str = "Select one to fill in the prompt.";
pub(crate) const NO_MODEL: &str = "No language model is set up";
pub(crate) const NO_MODEL_WHY: &str = "Built-in edits work without a model. They do exactly what the examples say. For other prompts, the operator sets up a provider with --agent-keys and --agent-model.";
pub(crate) const EDITS: [&str; 5] = [
    "Fix the broken links.",
    "Replace \"old words\" with \"new words\".",
    "Add page guides/start titled \"Start\" with text \"How to begin.\"",
    "Rename page quickstart to guides/quickstart.",
    "Set the description of quickstart to \"Begin in five minutes.\"",
];
pub(crate) const ASKED: &str = "Started";
pub(crate) const CHANGED_FILES: &str = "Changed files";
pub(crate) const OPEN_PULL_REQUEST: &str = "View pull request";
pub(crate) const NO_PULL_REQUEST: &str = "None: no files changed";
pub(crate) const NOT_YET: &str = "Not yet";
pub(crate) const TOKENS: &str = "Tokens";
pub(crate) const COST: &str = "Cost";
pub(crate) const COST_UNKNOWN: &str = "The model's provider doesn't report it";
pub(crate) const JOB_STEPS: &str = "Steps";
pub(crate) const JOB_CHANGES: &str = "Changes";
pub(crate) const JOB_CHANGES_LONG: &str = "The change is too long to show line by line.";
pub(crate) const FILE_TREE: &str = "File tree";
pub(crate) const SEE_THE_WHOLE_CHANGE: &str = "View full change";
pub(crate) const NO_LINE_CHANGED: &str = "No lines changed.";
pub(crate) const REFUSED_CALLS: &str = "Refused tool calls";
pub(crate) const FOLLOW_UP: &str = "Follow up";
pub(crate) const FOLLOW_UP_HINT: &str = "The agent continues in the same pull request.";
pub(crate) const SEND: &str = "Send";
pub(crate) const CANCEL_JOB: &str = "Cancel job";
pub(crate) const ARCHIVE_JOB: &str = "Archive job";
pub(crate) const FOLLOW_UP_FAILED: &str = "Follow-up failed";
pub(crate) const FOLLOW_UP_FAILED_WHY: &str =
    "The pull request is as it was before. Send another follow-up.";
pub(crate) const JOB_FAILED: &str = "The job failed";
pub(crate) const JOB_FAILED_WHY: &str = "Send a follow-up, or start another job.";
pub(crate) const YOU: &str = "Prompt";

/// The states of a job, by which a list can be limited.
pub(crate) const JOB_STATUSES: [(&str, &str); 4] = [
    ("active", "Running"),
    ("completed", "Completed"),
    ("failed", "Failed"),
    ("archived", "Archived"),
];

/// The status of a job, as people read it.
pub(crate) fn job_status(status: &str) -> &str {
    JOB_STATUSES.iter().find(|(name, _)| *name == status).map_or(status, |(_, label)| label)
}

/// A step of a job, as people read it.
pub(crate) fn job_step(step: &str) -> &str {
    match step {
        "claimed" => "Started",
        "checked_out" => "Repository checked out",
        "worked" => "Agent is working",
        "model" => "Agent",
        "tools" => "Tool results",
        "committed" => "Change committed",
        "pushed" => "Branch pushed",
        "pull_request" => "Pull request opened",
        "restarted" => "Run restarted",
        "ended" => "Ended",
        other => other,
    }
}

/// How many files were changed so far.
pub(crate) fn files_so_far(count: u64) -> String {
    format!("{} changed so far", counted(count, "file"))
}

/// How many files a change has.
pub(crate) fn files_changed(count: usize) -> String {
    counted(count, "file")
}

/// Change of a whole file; `None` if only lines changed.
pub(crate) const fn file_fate(fate: FileFate) -> Option<&'static str> {
    match fate {
        FileFate::Added => Some("new"),
        FileFate::Changed => None,
        FileFate::Moved => Some("moved"),
        FileFate::Removed => Some("deleted"),
        FileFate::Binary => Some("not text"),
    }
}

/// Lines that are not shown.
pub(crate) fn lines_left_out(count: usize) -> String {
    match count {
        1 => "1 line isn't shown.".to_owned(),
        count => format!("{} lines aren't shown.", grouped(count)),
    }
}

/// How many steps a job took.
pub(crate) fn steps(count: usize) -> String {
    counted(count, "step")
}

/// Tokens that were read and written.
pub(crate) fn tokens(read: i64, written: i64) -> String {
    format!("{} read, {} written", grouped(read), grouped(written))
}
