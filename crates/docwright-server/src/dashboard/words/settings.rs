//! Of the settings of a project.

use docwright_domain::{account::Role, notification::EventKind};

/// The pages of the settings: who sees them, the last part of the path, and the label.
pub(in crate::dashboard) const SETTINGS_SECTIONS: [(Role, &str, &str); 4] = [
    (Role::Viewer, "", "General"),
    (Role::Admin, "credentials", "Credentials"),
    (Role::Viewer, "webhooks", "Webhooks"),
    (Role::Admin, "notifications", "Notifications"),
];

/// How releases become active.
pub(in crate::dashboard) const ACTIVATIONS: [(&str, &str); 2] =
    [("automatic", "As soon as it is ready"), ("manual", "Manually")];

pub(in crate::dashboard) const SETTINGS: &str = "Settings";
pub(in crate::dashboard) const REPOSITORY_SETTING_HINT: &str = "An address that git clones, such as https://github.com/acme/docs, or built-in for a repository that docwright keeps.";
pub(in crate::dashboard) const MODEL_HINT: &str = "The model of agent jobs, such as anthropic:claude-sonnet-4-5. Leave it empty for that of the install.";
pub(in crate::dashboard) const MODEL_OF_INSTALL: &str = "that of the install";
pub(in crate::dashboard) const LOOKED_FOR: &str = "looked for";
pub(in crate::dashboard) const AGENT_PATHS: &str = "Other files that agents can change";
pub(in crate::dashboard) const AGENT_PATHS_HINT: &str = "One pattern a line, relative to the docs root, such as examples/**. Leave empty for documentation only.";
pub(in crate::dashboard) const ACTIVATION: &str = "Activate new releases";
pub(in crate::dashboard) const ACTIVATION_HINT: &str =
    "Either way you can go back to an earlier one.";
pub(in crate::dashboard) const CLONE_URL: &str = "Git address";
pub(in crate::dashboard) const CLONE_URL_WHY: &str =
    "Git asks for a name and a password: any name, and an API key.";
pub(in crate::dashboard) const DANGER: &str = "Danger zone";
pub(in crate::dashboard) const DELETE_PROJECT: &str = "Delete project";
pub(in crate::dashboard) const DELETE_PROJECT_WHY: &str = "It is deleted for good: with its domains, releases, previews, exports, agent jobs, feedback, and the repository if docwright keeps it. Repositories on other hosts are not touched.";
pub(in crate::dashboard) const OTHER_NAME: &str =
    "That is not the name of the project; nothing was deleted.";
pub(in crate::dashboard) const CREDENTIALS: &str = "Credentials";
pub(in crate::dashboard) const CREDENTIALS_WHY: &str = "docwright uses these to read private repositories and open pull requests. Secrets are encrypted and never shown.";
pub(in crate::dashboard) const NO_CREDENTIALS: &str = "No credentials";
pub(in crate::dashboard) const NO_CREDENTIALS_WHY: &str = "A public repository needs none to be read. Those of the organisation are used where the project has none.";
pub(in crate::dashboard) const SET_CREDENTIAL: &str = "Add or replace";
pub(in crate::dashboard) const HOST: &str = "Host";
pub(in crate::dashboard) const HOST_HINT: &str =
    "Such as github.com, with its port if the address of the repository names one.";
pub(in crate::dashboard) const USERNAME: &str = "Name";
pub(in crate::dashboard) const USERNAME_HINT: &str = "Hosts that take tokens ignore it.";
pub(in crate::dashboard) const SECRET: &str = "Secret";
pub(in crate::dashboard) const SECRET_HINT: &str =
    "A token or a password. It replaces an earlier one for the host.";
pub(in crate::dashboard) const OF_ORGANIZATION: &str = "whole organisation";
pub(in crate::dashboard) const REMOVE_CREDENTIAL_QUESTION: &str =
    "Remove these credentials? The repository may not be readable without them.";
pub(in crate::dashboard) const WEBHOOKS: &str = "Webhooks";
pub(in crate::dashboard) const WEBHOOKS_WHY: &str = "A git host that sends webhooks here tells of a push at once. Without webhooks, docwright polls the repository.";
pub(in crate::dashboard) const WEBHOOK_URL: &str = "Address";
pub(in crate::dashboard) const SHOWN_ONCE: &str = "Copy it now: it is not shown again.";
pub(in crate::dashboard) const MAKE_SECRET: &str = "Make a secret";
pub(in crate::dashboard) const MAKE_SECRET_QUESTION: &str =
    "Create a new secret? The current one stops working.";
pub(in crate::dashboard) const DELIVERIES: &str = "Deliveries";
pub(in crate::dashboard) const NO_DELIVERIES: &str = "No delivery yet";
pub(in crate::dashboard) const NO_DELIVERIES_WHY: &str = "Make a secret, and set it with the address in the settings of the repository on its host. What the host delivers is listed here.";
pub(in crate::dashboard) const EVENT: &str = "Event";
pub(in crate::dashboard) const OUTCOME: &str = "Outcome";
pub(in crate::dashboard) const RECEIVED: &str = "Received";
pub(in crate::dashboard) const REDELIVER: &str = "Redeliver";
pub(in crate::dashboard) const NOTIFICATIONS: &str = "Notifications";
pub(in crate::dashboard) const NO_SUBSCRIPTIONS: &str = "No subscriptions yet";
pub(in crate::dashboard) const NO_SUBSCRIPTIONS_WHY: &str =
    "Get notified about releases, exports, agent jobs, and feedback.";
pub(in crate::dashboard) const NEW_SUBSCRIPTION: &str = "Add subscription";
pub(in crate::dashboard) const ADD_SUBSCRIPTION: &str = "Add";
pub(in crate::dashboard) const TARGET: &str = "Where";
pub(in crate::dashboard) const TARGET_HINT: &str =
    "A URL that takes webhooks, or mailto: and an address, such as mailto:ops@example.com.";
pub(in crate::dashboard) const EVENTS: &str = "Events";
pub(in crate::dashboard) const EVENTS_HINT: &str =
    "Choose none for what is usual: everything for a server, failures for a mailbox.";
pub(in crate::dashboard) const SUBSCRIPTION_SECRET: &str =
    "This secret checks the signatures of what the server gets:";
pub(in crate::dashboard) const REMOVE_SUBSCRIPTION_QUESTION: &str =
    "Delete this subscription and its history?";
pub(in crate::dashboard) const NOTHING_SENT: &str = "Nothing sent yet";
pub(in crate::dashboard) const NOTHING_SENT_WHY: &str =
    "What happens is sent at once, and listed here for 30 days.";
pub(in crate::dashboard) const ATTEMPTS: &str = "Attempts";
pub(in crate::dashboard) const SEND_AGAIN: &str = "Send again";

/// What became of a delivery.
pub(in crate::dashboard) fn delivery(outcome: &str) -> &str {
    match outcome {
        "accepted" => "Accepted",
        "looked" => "Looked",
        "failed" => "Failed",
        other => other,
    }
}

/// What became of a notification.
pub(in crate::dashboard) fn notification(status: &str) -> &str {
    match status {
        "pending" => "Waiting",
        "delivered" => "Delivered",
        "failed" => "Failed",
        other => other,
    }
}

/// What somebody may hear of.
pub(in crate::dashboard) const fn event(kind: EventKind) -> &'static str {
    match kind {
        EventKind::ReleaseReady => "A release is ready",
        EventKind::ReleaseFailed => "A release failed",
        EventKind::ExportCompleted => "An export is completed",
        EventKind::ExportFailed => "An export failed",
        EventKind::JobCompleted => "An agent job is completed",
        EventKind::JobFailed => "An agent job failed",
        EventKind::FeedbackCreated => "New feedback",
    }
}

/// The label of the field that asks for the name of what is deleted.
pub(in crate::dashboard) fn write_name(name: &str) -> String {
    format!("Type {name} to confirm")
}
