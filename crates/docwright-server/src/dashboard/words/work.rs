//! Of keys and agent jobs.

use docwright_domain::counted::{counted, grouped};

pub(in crate::dashboard) const FIND_KEY: &str = "Name of a key";
pub(in crate::dashboard) const KEYS: &str = "API keys";
pub(in crate::dashboard) const KEYS_WHY: &str = "Programs use the API with a key: CI, scripts, git. An organisation makes ten keys an hour at most.";
pub(in crate::dashboard) const NEW_KEY: &str = "New key";
pub(in crate::dashboard) const NO_KEYS: &str = "No key yet";
pub(in crate::dashboard) const KEY_NAME_HINT: &str = "What it is for, such as ci.";
pub(in crate::dashboard) const KEY_SCOPE: &str = "Scope";
pub(in crate::dashboard) const KEY_PROJECTS: &str = "Projects";
pub(in crate::dashboard) const KEY_PROJECTS_HINT: &str =
    "The only ones that it reaches. Choose none for all of them.";
pub(in crate::dashboard) const KEY_PROJECTS_TEXT_HINT: &str =
    "Ids of the only ones that it reaches, one a line. Leave it empty for all of them.";
pub(in crate::dashboard) const KEY_DAYS: &str = "Expires in";
pub(in crate::dashboard) const KEY_ALLOW: &str = "Addresses";
pub(in crate::dashboard) const KEY_ALLOW_HINT: &str =
    "Addresses and networks it may be used from, such as 192.0.2.0/24. Leave it empty for all.";
pub(in crate::dashboard) const CREATE_KEY: &str = "Create key";
pub(in crate::dashboard) const KEY_MADE: &str = "Your new key";
pub(in crate::dashboard) const KEY_MADE_WHY: &str = "Copy this key now. You won't see it again.";
pub(in crate::dashboard) const KEY_TRY: &str = "Try it";
pub(in crate::dashboard) const BACK_TO_KEYS: &str = "Back to the keys";
pub(in crate::dashboard) const ALL_PROJECTS: &str = "All projects";
pub(in crate::dashboard) const LAST_USED: &str = "Last used";
pub(in crate::dashboard) const NEVER: &str = "Never";
pub(in crate::dashboard) const ENDS: &str = "Ends";
pub(in crate::dashboard) const REVOKE: &str = "Revoke";
pub(in crate::dashboard) const REVOKE_WHY: &str =
    "Whatever uses this key stops working at once, for good.";
pub(in crate::dashboard) const REVOKE_NOW: &str = "Revoke this key";
pub(in crate::dashboard) const KEY_GOOD: &str = "Valid";
pub(in crate::dashboard) const KEY_REVOKED: &str = "Revoked";
pub(in crate::dashboard) const KEY_ENDED: &str = "Expired";
pub(in crate::dashboard) const PROJECT_IDS: &str = "Project ids";
pub(in crate::dashboard) const PROJECT_IDS_WHY: &str =
    "Paths of the API name projects by their ids.";

/// Days that a new key can be good for.
pub(in crate::dashboard) const DAYS: [(i64, &str); 4] =
    [(7, "7 days"), (30, "30 days"), (60, "60 days"), (90, "90 days")];

/// What a key may do: the scope, its name here, and what it means.
pub(in crate::dashboard) const SCOPES: [(&str, &str, &str); 3] = [
    ("read", "Read", "See projects, releases, jobs and exports."),
    ("write", "Write", "Also start agent jobs, updates and exports, push, and roll back."),
    ("admin", "Admin", "Also change settings, domains, credentials and keys, and delete."),
];

/// The name of a scope.
pub(in crate::dashboard) fn scope(scope: &str) -> &str {
    SCOPES.iter().find(|(name, ..)| *name == scope).map_or(scope, |(_, label, _)| label)
}

pub(in crate::dashboard) const JOBS: &str = "Agent jobs";
pub(in crate::dashboard) const JOB: &str = "Agent job";
pub(in crate::dashboard) const NO_JOBS: &str = "No agent job yet";
pub(in crate::dashboard) const NO_JOBS_WHY: &str = "Tell an agent what to change, in plain words. It edits the pages, checks that nothing breaks, and opens a pull request, which you merge or close.";
pub(in crate::dashboard) const NEW_JOB: &str = "New job";
pub(in crate::dashboard) const PROMPT: &str = "Prompt";
pub(in crate::dashboard) const PROMPT_HINT: &str =
    "Say what is to change, and in which pages if you know.";
pub(in crate::dashboard) const START_JOB: &str = "Start job";
pub(in crate::dashboard) const NO_MODEL: &str = "No language model is set up here";
pub(in crate::dashboard) const NO_MODEL_WHY: &str = "Built-in edits work without one. They do exactly what these sentences say; for anything else the operator gives docwright the key of a provider, with --agent-keys and --agent-model.";
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
pub(in crate::dashboard) const NO_PULL_REQUEST: &str = "None: no file was changed";
pub(in crate::dashboard) const NOT_YET: &str = "Not yet";
pub(in crate::dashboard) const TOKENS: &str = "Tokens";
pub(in crate::dashboard) const COST: &str = "Cost";
pub(in crate::dashboard) const COST_UNKNOWN: &str = "The model's host does not say";
pub(in crate::dashboard) const JOB_STEPS: &str = "What happened";
pub(in crate::dashboard) const JOB_CHANGES: &str = "What it changes";
pub(in crate::dashboard) const JOB_CHANGES_LONG: &str =
    "The change is too long to be shown here line by line.";
pub(in crate::dashboard) const SEE_THE_WHOLE_CHANGE: &str = "See the whole change";
pub(in crate::dashboard) const NO_LINE_CHANGED: &str = "No line is changed.";
pub(in crate::dashboard) const REFUSED_CALLS: &str = "Refused tool calls";
pub(in crate::dashboard) const FOLLOW_UP: &str = "Follow up";
pub(in crate::dashboard) const FOLLOW_UP_HINT: &str =
    "The agent goes on with this, in the same pull request.";
pub(in crate::dashboard) const SEND: &str = "Send";
pub(in crate::dashboard) const CANCEL_JOB: &str = "Cancel job";
pub(in crate::dashboard) const ARCHIVE_JOB: &str = "Archive job";
pub(in crate::dashboard) const JOB_FAILED: &str = "The job failed";
pub(in crate::dashboard) const JOB_FAILED_WHY: &str =
    "Say below what to do otherwise, or start another job.";
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
        "claimed" => "An agent took the job",
        "checked_out" => "It has the files",
        "worked" => "It works",
        "model" => "The agent",
        "tools" => "Tools answered",
        "committed" => "The change is committed",
        "pushed" => "The branch is pushed",
        "pull_request" => "The pull request is open",
        "restarted" => "Run restarted",
        "ended" => "It ended",
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
