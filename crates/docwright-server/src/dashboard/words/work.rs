//! Of keys and agent jobs.

use docwright_types::counted::{counted, grouped};

pub(in crate::dashboard) const FIND_KEY: &str = "Key name";
pub(in crate::dashboard) const KEYS: &str = "API keys";
pub(in crate::dashboard) const KEYS_WHY: &str = "Programs use the API with a key, such as CI, scripts, and git. An organization can create ten keys per hour.";
pub(in crate::dashboard) const NEW_KEY: &str = "New key";
pub(in crate::dashboard) const NO_KEYS: &str = "No keys yet";
pub(in crate::dashboard) const KEY_NAME_HINT: &str = "What uses the key, such as ci.";
pub(in crate::dashboard) const KEY_SCOPE: &str = "Scope";
pub(in crate::dashboard) const KEY_PROJECTS: &str = "Projects";
pub(in crate::dashboard) const KEY_PROJECTS_HINT: &str =
    "The key can access only these projects. Choose none for all projects.";
pub(in crate::dashboard) const KEY_PROJECTS_TEXT_HINT: &str =
    "IDs of the projects that the key can access, one per line. Leave empty for all projects.";
pub(in crate::dashboard) const KEY_DAYS: &str = "Expires in";
pub(in crate::dashboard) const KEY_ALLOW: &str = "Allowed IP addresses";
pub(in crate::dashboard) const KEY_ALLOW_HINT: &str =
    "IP addresses and networks that can use the key, such as 192.0.2.0/24. Leave empty for all.";
pub(in crate::dashboard) const CREATE_KEY: &str = "Create key";
pub(in crate::dashboard) const KEY_MADE: &str = "API key created";
pub(in crate::dashboard) const KEY_MADE_WHY: &str = "Copy this key now. You won't see it again.";
pub(in crate::dashboard) const KEY_TRY: &str = "Try the key";
pub(in crate::dashboard) const BACK_TO_KEYS: &str = "View all keys";
pub(in crate::dashboard) const ALL_PROJECTS: &str = "All projects";
pub(in crate::dashboard) const LAST_USED: &str = "Last used";
pub(in crate::dashboard) const NEVER: &str = "Never";
pub(in crate::dashboard) const ENDS: &str = "Expires";
pub(in crate::dashboard) const REVOKE: &str = "Revoke";
pub(in crate::dashboard) const REVOKE_WHY: &str =
    "Everything that uses this key stops working immediately. This can't be undone.";
pub(in crate::dashboard) const REVOKE_NOW: &str = "Revoke key";
pub(in crate::dashboard) const KEY_GOOD: &str = "Valid";
pub(in crate::dashboard) const KEY_REVOKED: &str = "Revoked";
pub(in crate::dashboard) const KEY_ENDED: &str = "Expired";
pub(in crate::dashboard) const PROJECT_IDS: &str = "Project IDs";
pub(in crate::dashboard) const PROJECT_IDS_WHY: &str = "API paths name projects by ID.";

/// Days that a new key can be good for.
pub(in crate::dashboard) const DAYS: [(i64, &str); 4] =
    [(7, "7 days"), (30, "30 days"), (60, "60 days"), (90, "90 days")];

/// What a key may do: the scope, its name here, and what it means.
pub(in crate::dashboard) const SCOPES: [(&str, &str, &str); 3] = [
    ("read", "Read", "Read projects, releases, jobs, and exports."),
    ("write", "Write", "Also start agent jobs, builds, and exports, push, and activate releases."),
    (
        "admin",
        "Admin",
        "Also change settings, domains, credentials, and keys, and delete projects.",
    ),
];

/// The name of a scope.
pub(in crate::dashboard) fn scope(scope: &str) -> &str {
    SCOPES.iter().find(|(name, ..)| *name == scope).map_or(scope, |(_, label, _)| label)
}

pub(in crate::dashboard) const JOBS: &str = "Agent jobs";
pub(in crate::dashboard) const JOB: &str = "Agent job";
pub(in crate::dashboard) const NO_JOBS: &str = "No agent jobs yet";
pub(in crate::dashboard) const NO_JOBS_WHY: &str = "Describe a change in plain words. An agent edits the pages, checks them, and opens a pull request that you merge or close.";
pub(in crate::dashboard) const NEW_JOB: &str = "New job";
pub(in crate::dashboard) const PROMPT: &str = "Prompt";
pub(in crate::dashboard) const PROMPT_HINT: &str =
    "Describe the change, and name the pages if you know them.";
pub(in crate::dashboard) const START_JOB: &str = "Start job";
pub(in crate::dashboard) const NO_MODEL: &str = "No language model is set up";
pub(in crate::dashboard) const NO_MODEL_WHY: &str = "Built-in edits work without a model. They do exactly what these sentences say. For other prompts, the operator sets up a provider with --agent-keys and --agent-model.";
pub(in crate::dashboard) const EDITS: [&str; 5] = [
    "Fix the broken links.",
    "Replace \"old words\" with \"new words\".",
    "Add page guides/start titled \"Start\" with text \"How to begin.\"",
    "Rename page quickstart to guides/quickstart.",
    "Set the description of quickstart to \"Begin in five minutes.\"",
];
pub(in crate::dashboard) const ASKED: &str = "Started";
pub(in crate::dashboard) const CHANGED_FILES: &str = "Changed files";
pub(in crate::dashboard) const OPEN_PULL_REQUEST: &str = "View pull request";
pub(in crate::dashboard) const NO_PULL_REQUEST: &str = "None: no files changed";
pub(in crate::dashboard) const NOT_YET: &str = "Not yet";
pub(in crate::dashboard) const TOKENS: &str = "Tokens";
pub(in crate::dashboard) const COST: &str = "Cost";
pub(in crate::dashboard) const COST_UNKNOWN: &str = "The model's provider doesn't report it";
pub(in crate::dashboard) const JOB_STEPS: &str = "Steps";
pub(in crate::dashboard) const JOB_CHANGES: &str = "Changes";
pub(in crate::dashboard) const JOB_CHANGES_LONG: &str =
    "The change is too long to show line by line.";
pub(in crate::dashboard) const SEE_THE_WHOLE_CHANGE: &str = "View full change";
pub(in crate::dashboard) const NO_LINE_CHANGED: &str = "No lines changed.";
pub(in crate::dashboard) const REFUSED_CALLS: &str = "Refused tool calls";
pub(in crate::dashboard) const FOLLOW_UP: &str = "Follow up";
pub(in crate::dashboard) const FOLLOW_UP_HINT: &str =
    "The agent continues in the same pull request.";
pub(in crate::dashboard) const SEND: &str = "Send";
pub(in crate::dashboard) const CANCEL_JOB: &str = "Cancel job";
pub(in crate::dashboard) const ARCHIVE_JOB: &str = "Archive job";
pub(in crate::dashboard) const JOB_FAILED: &str = "The job failed";
pub(in crate::dashboard) const JOB_FAILED_WHY: &str = "Send a follow-up, or start another job.";
pub(in crate::dashboard) const YOU: &str = "Prompt";

/// The states of a job, by which a list can be limited.
pub(in crate::dashboard) const JOB_STATUSES: [(&str, &str); 4] = [
    ("active", "Running"),
    ("completed", "Completed"),
    ("failed", "Failed"),
    ("archived", "Archived"),
];

/// The status of a job, as people read it.
pub(in crate::dashboard) fn job_status(status: &str) -> &str {
    JOB_STATUSES.iter().find(|(name, _)| *name == status).map_or(status, |(_, label)| label)
}

/// A step of a job, as people read it.
pub(in crate::dashboard) fn job_step(step: &str) -> &str {
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
pub(in crate::dashboard) fn files_so_far(count: u64) -> String {
    format!("{} changed so far", counted(count, "file"))
}

/// How many files a change has.
pub(in crate::dashboard) fn files_changed(count: usize) -> String {
    counted(count, "file")
}

/// What became of a whole file.
pub(in crate::dashboard) fn file_fate(fate: &str) -> &str {
    match fate {
        "added" => "new",
        "removed" => "deleted",
        "binary" => "not text",
        other => other,
    }
}

/// Lines that are not shown.
pub(in crate::dashboard) fn lines_left_out(count: usize) -> String {
    match count {
        1 => "1 line isn't shown.".to_owned(),
        count => format!("{} lines aren't shown.", grouped(count)),
    }
}

/// How many steps a job took.
pub(in crate::dashboard) fn steps(count: usize) -> String {
    counted(count, "step")
}

/// Tokens that were read and written.
pub(in crate::dashboard) fn tokens(read: i64, written: i64) -> String {
    format!("{} read, {} written", grouped(read), grouped(written))
}
