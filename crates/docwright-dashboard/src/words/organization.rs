//! Texts about organizations: plans, usage, the audit log, and the instance.

use docwright_types::{counted::bytes, field_name};

pub(crate) const PLAN_AND_USAGE: &str = "Plan and usage";
pub(crate) const PLANS: &str = "Plans";
pub(crate) const PLANS_WHY: &str = "Limits and features of each plan. Changes apply immediately. Items already above a limit are kept.";
pub(crate) const PLAN_WHO: &str = "The operator of this instance sets the plan.";
pub(crate) const FEATURE: &str = "Feature";
pub(crate) const USED: &str = "Used";
pub(crate) const INCLUDED: &str = "Included";
pub(crate) const NO_LIMIT: &str = "No limit";
pub(crate) const NO_LIMIT_HINT: &str = "Leave empty for no limit.";
pub(crate) const STATIC_EXPORT: &str = "Static export";
pub(crate) const PLAN_INCLUDES: &str = "Included";
pub(crate) const PLAN_LACKS: &str = "Not included";
pub(crate) const PROMPTS_AN_HOUR: &str = "Prompts per hour and project";
pub(crate) const THIS_MONTH: &str = "This month";
pub(crate) const RELEASES_ASKED: &str = "Releases";
pub(crate) const PROMPTS_SENT: &str = "Prompts";
pub(crate) const EXPORTS_STARTED: &str = "Static exports";
pub(crate) const FOR_OPERATOR: &str = "Operator settings";
pub(crate) const NEW_ORGANIZATION: &str = "New organization";
pub(crate) const CREATE_ORGANIZATION: &str = "Create organization";
pub(crate) const NO_ORGANIZATIONS: &str = "No organizations yet";
pub(crate) const NO_ORGANIZATIONS_WHY: &str =
    "An organization owns projects, members, and keys. Create the first one below.";
pub(crate) const DELETE_ORGANIZATION: &str = "Delete organization";
pub(crate) const DELETE_ORGANIZATION_WHY: &str = "This permanently deletes its projects, sites, releases, exports, jobs, and keys. The audit log is kept.";
pub(crate) const TYPE_THE_NAME: &str = "Type its name to confirm";
pub(crate) const WRONG_NAME: &str =
    "This isn't the name of the organization. Nothing was deleted. Type the name exactly as shown.";
pub(crate) const NOT_A_LIMIT: &str = "A limit is a whole number. Leave empty for no limit.";

/// Label of a plan.
pub(crate) fn plan(plan: &str) -> &str {
    match plan {
        "free" => "Free",
        "pro" => "Pro",
        "enterprise" => "Enterprise",
        other => other,
    }
}

pub(crate) const AUDIT: &str = "Audit log";
pub(crate) const AUDIT_WHY: &str =
    "Every change, with its actor and IP address. Entries can't be changed.";
pub(crate) const NO_AUDIT: &str = "No results";
pub(crate) const NO_AUDIT_WHY: &str = "No entries match these filters.";
pub(crate) const AUDIT_NOT_YET: &str =
    "No matches among the latest entries. Select the next page to search older ones.";
pub(crate) const AUDIT_ACTION: &str = "Action";
pub(crate) const AUDIT_ACTION_HINT: &str = "Created an API key";
pub(crate) const AUDIT_ACTOR: &str = "Actor";
pub(crate) const AUDIT_ACTOR_HINT: &str = "ada@example.com or a key";
pub(crate) const AUDIT_SUBJECT: &str = "Target";
pub(crate) const AUDIT_SUBJECT_HINT: &str = "A project, key, email, or ID";
pub(crate) const AUDIT_SINCE: &str = "From";
pub(crate) const AUDIT_UNTIL: &str = "To";
pub(crate) const WRONG_DATE: &str = "Enter a date such as 2026-11-22.";
pub(crate) const DOWNLOAD_CSV: &str = "Download as CSV";
pub(crate) const DETAILS: &str = "Details";
pub(crate) const FROM_ADDRESS: &str = "IP address";
pub(crate) const REQUEST: &str = "Request";
pub(crate) const ON_THE_MACHINE: &str = "on the server";
pub(crate) const BY_KEY: &str = "key";
pub(crate) const BY_SHELL: &str = "CLI";
pub(crate) const BY_SERVICE: &str = "service";

/// The actions of the audit log, with their labels.
pub(crate) const AUDIT_ACTIONS: &[(&str, &str)] = &[
    ("organization.create", "Created the organization"),
    ("organization.update", "Changed the organization"),
    ("organization.delete", "Deleted the organization"),
    ("plan.update", "Changed a plan"),
    ("project.create", "Created a project"),
    ("project.update", "Changed a project"),
    ("project.poll", "Polled a repository"),
    ("project.dismiss_step", "Dismissed a next step"),
    ("project.delete", "Deleted a project"),
    ("domain.create", "Added a domain"),
    ("domain.update", "Changed a domain"),
    ("domain.verify", "Checked a domain's DNS record"),
    ("domain.rename", "Renamed a domain"),
    ("domain.end_redirect", "Removed a redirect"),
    ("domain.delete", "Removed a domain"),
    ("key.create", "Created an API key"),
    ("key.update", "Changed an API key"),
    ("key.revoke", "Revoked an API key"),
    ("credential.set", "Set credentials"),
    ("credential.delete", "Removed credentials"),
    ("update.create", "Requested a build"),
    ("release.activate", "Activated a release"),
    ("release.cancel", "Canceled a release"),
    ("release.bundle_lost", "Lost the bundle of a release"),
    ("release.rebuild", "Rebuilt a lost bundle"),
    ("preview.create", "Created a preview"),
    ("preview.close", "Closed a preview"),
    ("preview_password.set", "Set the preview password"),
    ("preview_password.remove", "Removed the preview password"),
    ("export_job.create", "Started a static export"),
    ("agent_job.create", "Started an agent job"),
    ("agent_job.message", "Sent a prompt"),
    ("agent_job.cancel", "Canceled an agent job"),
    ("agent_job.archive", "Archived an agent job"),
    ("pull_request.create", "Opened a pull request"),
    ("pull_request.merge", "Merged a pull request"),
    ("pull_request.close", "Closed a pull request"),
    ("page.edit", "Edited a page"),
    ("repository.push", "Pushed to the repository"),
    ("webhook_secret.create", "Created a webhook secret"),
    ("delivery.redeliver", "Redelivered a webhook"),
    ("subscription.create", "Subscribed to notifications"),
    ("subscription.delete", "Deleted a subscription"),
    ("notification.resend", "Resent a notification"),
    ("feedback.update", "Answered feedback"),
    ("thread.delete", "Deleted a conversation"),
    ("conversations.delete", "Deleted all conversations"),
    ("assistant_key.create", "Created an assistant key"),
    ("assistant_key.delete", "Deleted an assistant key"),
    ("member.add", "Added a member"),
    ("member.update", "Changed a member's role"),
    ("member.delete", "Removed a member"),
    ("account.create", "Created an account"),
    ("account.update", "Changed an account"),
    ("account.delete", "Deleted an account"),
    ("account.password", "Set a password"),
    ("account.identity", "Linked an account to the provider"),
    ("account.identity_remove", "Removed an identity from an account"),
    ("account.sign_in_link", "Created a sign-in link"),
    ("account.sign_in_email", "Requested a sign-in link by email"),
    ("account.second_factor_on", "Set up an authenticator app"),
    ("account.second_factor_off", "Turned off an authenticator app"),
    ("account.recovery_codes", "Created recovery codes"),
    ("account.passkey_add", "Added a passkey"),
    ("account.passkey_remove", "Removed a passkey"),
    ("account.passkey_sign_in", "Signed in with a passkey"),
    ("invitation.create", "Invited a member"),
    ("invitation.withdraw", "Withdrew an invitation"),
    ("invitation.accept", "Accepted an invitation"),
];

/// Label of an action.
pub(crate) fn action(action: &str) -> &str {
    AUDIT_ACTIONS.iter().find(|(name, _)| *name == action).map_or(action, |(_, label)| label)
}

/// Label of a changed field.
pub(crate) fn field(name: &str) -> String {
    match name {
        "allow" => "allowed IP addresses".to_owned(),
        "path" => "folder".to_owned(),
        "promptsAnHour" => "prompts per hour".to_owned(),
        "storageBytes" => "storage in bytes".to_owned(),
        other => words_of(other.strip_suffix("Id").or(other.strip_suffix("At")).unwrap_or(other)),
    }
}

/// The words of a name such as `pullRequest`. Other names, such as those of branches, stay as they are.
fn words_of(name: &str) -> String {
    if !name.starts_with(|letter: char| letter.is_ascii_lowercase())
        || !name.bytes().all(|letter| letter.is_ascii_alphabetic())
    {
        return name.to_owned();
    }
    field_name::words(name)
}

pub(crate) const STORAGE: &str = "Storage";
pub(crate) const BUNDLES: &str = "Releases and exports";
pub(crate) const REPOSITORIES: &str = "Repositories on the built-in git host";
pub(crate) const CLONES: &str = "Clones used in the last hour";
pub(crate) const STORAGE_FULL: &str =
    "New builds, pushes, and previews are refused. Sites stay online.";
pub(crate) const STORAGE_BYTES: &str = "Storage in bytes";
pub(crate) const STORAGE_BYTES_HINT: &str =
    "A number, such as 20000000000 for 20 GB. Leave empty for no limit.";

/// The used storage.
pub(crate) fn storage_used(used: i64, limit: Option<i64>) -> String {
    match limit {
        Some(limit) => format!("{} of {} used", bytes(used), bytes(limit)),
        None => format!("{} used", bytes(used)),
    }
}

pub(crate) const HEALTH: &str = "Health";
pub(crate) const WELL: &str = "Healthy";
pub(crate) const DATABASE: &str = "Database";
pub(crate) const NO_ANSWER: &str = "No answer";
pub(crate) const NO_ANSWER_WHY: &str =
    "The database didn't respond within two seconds. See the log of the service.";
pub(crate) const DISK: &str = "Disk";
pub(crate) const DISK_LOW: &str = "Nearly full";
pub(crate) const DISK_LOW_WHY: &str = "No new jobs start until disk space is freed.";
pub(crate) const DISK_UNKNOWN: &str = "Unknown";
pub(crate) const GIT: &str = "Git";
pub(crate) const GIT_MISSING: &str = "Missing";
pub(crate) const GIT_MISSING_WHY: &str = "git isn't available. Install it on the server.";
pub(crate) const ACCOUNTS: &str = "Accounts";
pub(crate) const IDENTITIES: &str = "Identities";
pub(crate) const IS_OPERATOR: &str = "Operator";

/// The button that removes an identity, for screen readers.
pub(crate) fn remove_identity(subject: &str, email: &str) -> String {
    format!("Remove the identity {subject} from {email}")
}

pub(crate) const PREVIEWS_STATE: &str = "Previews";
pub(crate) const PREVIEWS_ON: &str = "On";
pub(crate) const PREVIEWS_OFF: &str = "Off";
pub(crate) const ADDRESS: &str = "Address";
pub(crate) const QUEUES: &str = "Queues and workers";
pub(crate) const QUEUE: &str = "Queue";
pub(crate) const DELAYED: &str = "Retrying";
pub(crate) const RUNNING: &str = "Running";
pub(crate) const OLDEST_WAIT: &str = "Longest wait";
pub(crate) const QUEUE_IDLE: &str = "Idle";
pub(crate) const QUEUE_WORKS: &str = "Running";
pub(crate) const QUEUE_WAITS: &str = "Waiting";
pub(crate) const QUEUE_STUCK: &str = "No worker";
pub(crate) const QUEUE_STUCK_WHY: &str = "Jobs have waited for more than a minute without a worker. Check that a process with --role all or --role worker is running.";
pub(crate) const MODELS: &str = "Agent models";
pub(crate) const MODEL_USABLE: &str = "Set up";
pub(crate) const MODEL_UNUSABLE: &str = "Not usable";

pub(crate) const MODEL_ANSWERS: &str = "Responds";
pub(crate) const MODEL_NOT_ASKED: &str = "Not tested since the service started.";
pub(crate) const ASKED_LAST: &str = "tested";
pub(crate) const ASK_MODELS: &str = "Test models";
pub(crate) const ASK_MODELS_HINT: &str = "Each test costs a few tokens.";

/// A duration in milliseconds.
pub(crate) fn milliseconds(time: u64) -> String {
    format!("in {time} ms")
}

/// Label of a queue.
pub(crate) fn queue(kind: &str) -> &str {
    match kind {
        "release" => "Releases",
        "agent_job" => "Agent jobs",
        "poll" => "Repository polls",
        "report" => "Reports to git hosts",
        other => other,
    }
}

/// The status of a database.
pub(crate) fn answered(kind: &str, milliseconds: u64) -> String {
    let name = if kind == "postgres" { "PostgreSQL" } else { "SQLite" };
    let time = if milliseconds == 0 { "less than 1".to_owned() } else { milliseconds.to_string() };
    format!("{name} responded in {time} ms")
}

/// The number of open connections.
pub(crate) fn connections(open: u32, most: u32) -> String {
    format!("{open} of {most} connections open")
}

/// The free disk space.
pub(crate) fn room(free: u64, total: u64) -> String {
    format!("{} of {} free", gibibytes(free), gibibytes(total))
}

fn gibibytes(bytes: u64) -> String {
    let tenths = bytes / (1024 * 1024 * 1024 / 10);
    format!("{}.{} GiB", tenths / 10, tenths % 10)
}

/// A duration in the largest unit that fits.
pub(crate) fn seconds(seconds: i64) -> String {
    match seconds {
        0..=59 => format!("{seconds}s"),
        60..=3599 => format!("{}m {}s", seconds / 60, seconds % 60),
        _ => format!("{}h {}m", seconds / 3600, seconds % 3600 / 60),
    }
}

#[cfg(test)]
mod tests {
    use docwright_storage::database::Queue;

    use super::{field, queue};

    #[test]
    fn names_of_fields_are_shown_as_words() {
        let labels = ["name", "pullRequest", "activeReleaseId", "expiresAt", "path"].map(field);
        assert_eq!(labels, ["name", "pull request", "active release", "expires", "folder"]);
        let branches = ["fix/Typos", "Release", "v2Docs"];
        assert_eq!(branches.map(field), branches);
    }

    #[test]
    fn each_queue_has_label() {
        for each in Queue::ALL {
            assert_ne!(queue(each.kind()), each.kind());
        }
    }
}
