//! Of the settings of a project.

use docwright_types::{account::Role, notification::EventKind};

/// The pages of the settings: who sees them, the last part of the path, and the label.
pub(in crate::dashboard) const SETTINGS_SECTIONS: [(Role, &str, &str); 4] = [
    (Role::Viewer, "", "General"),
    (Role::Admin, "credentials", "Credentials"),
    (Role::Viewer, "webhooks", "Webhooks"),
    (Role::Admin, "notifications", "Notifications"),
];

/// How releases become active.
pub(in crate::dashboard) const ACTIVATIONS: [(&str, &str); 2] =
    [("automatic", "Automatically, when ready"), ("manual", "Manually")];

pub(in crate::dashboard) const SETTINGS: &str = "Settings";
pub(in crate::dashboard) const REPOSITORY_SETTING_HINT: &str = "A URL that git can clone, such as https://github.com/acme/docs, or built-in for the built-in git host.";
pub(in crate::dashboard) const MODEL_HINT: &str = "The model of agent jobs, such as anthropic:claude-sonnet-4-5. Leave empty for the instance's default.";
pub(in crate::dashboard) const MODEL_OF_INSTANCE: &str = "instance default";
pub(in crate::dashboard) const LOOKED_FOR: &str = "found automatically";
pub(in crate::dashboard) const AGENT_PATHS: &str = "Other files that agents can change";
pub(in crate::dashboard) const AGENT_PATHS_HINT: &str = "One pattern per line, relative to the docs root, such as examples/**. Leave empty for documentation only.";
pub(in crate::dashboard) const ACTIVATION: &str = "Activate new releases";
pub(in crate::dashboard) const ACTIVATION_HINT: &str =
    "You can activate an earlier release at any time.";
pub(in crate::dashboard) const CLONE_URL: &str = "Git URL";
pub(in crate::dashboard) const CLONE_URL_WHY: &str =
    "When git asks for a username, enter any name. As the password, use an API key.";
pub(in crate::dashboard) const DANGER: &str = "Danger zone";
pub(in crate::dashboard) const DELETE_PROJECT: &str = "Delete project";
pub(in crate::dashboard) const DELETE_PROJECT_WHY: &str = "This permanently deletes the project with its domains, releases, previews, exports, agent jobs, and feedback. A repository on the built-in git host is deleted too. Repositories on other git hosts aren't changed.";
pub(in crate::dashboard) const OTHER_NAME: &str =
    "This isn't the name of the project. Nothing was deleted.";
pub(in crate::dashboard) const CREDENTIALS: &str = "Credentials";
pub(in crate::dashboard) const CREDENTIALS_WHY: &str = "docwright uses these to read private repositories and open pull requests. Secrets are encrypted and never shown.";
pub(in crate::dashboard) const NO_CREDENTIALS: &str = "No credentials yet";
pub(in crate::dashboard) const NO_CREDENTIALS_WHY: &str = "Private repositories need credentials. A project without its own uses those of the organization.";
pub(in crate::dashboard) const SET_CREDENTIAL: &str = "Save credentials";
pub(in crate::dashboard) const HOST: &str = "Host";
pub(in crate::dashboard) const HOST_HINT: &str =
    "A hostname, such as github.com. Add the port if the repository URL has one.";
pub(in crate::dashboard) const USERNAME: &str = "Username";
pub(in crate::dashboard) const USERNAME_HINT: &str = "Hosts that take tokens ignore it.";
pub(in crate::dashboard) const SECRET: &str = "Secret";
pub(in crate::dashboard) const SECRET_HINT: &str =
    "A token or a password. Replaces the current one for this host.";
pub(in crate::dashboard) const OF_ORGANIZATION: &str = "whole organization";
pub(in crate::dashboard) const REMOVE_CREDENTIAL_QUESTION: &str =
    "Remove these credentials? Without them, docwright can't read a private repository.";
pub(in crate::dashboard) const WEBHOOKS: &str = "Webhooks";
pub(in crate::dashboard) const WEBHOOKS_WHY: &str = "A git host reports each push with a webhook. Without webhooks, docwright polls the repository.";
pub(in crate::dashboard) const WEBHOOK_URL: &str = "URL";
pub(in crate::dashboard) const SHOWN_ONCE: &str = "Copy it now. You won't see it again.";
pub(in crate::dashboard) const MAKE_SECRET: &str = "Create secret";
pub(in crate::dashboard) const MAKE_SECRET_QUESTION: &str =
    "Create a new secret? The current one stops working.";
pub(in crate::dashboard) const DELIVERIES: &str = "Deliveries";
pub(in crate::dashboard) const NO_DELIVERIES: &str = "No deliveries yet";
pub(in crate::dashboard) const NO_DELIVERIES_WHY: &str = "Create a secret. Then add the URL and the secret to the webhook settings of your git host. Received webhooks are listed here.";
pub(in crate::dashboard) const EVENT: &str = "Event";
pub(in crate::dashboard) const OUTCOME: &str = "Outcome";
pub(in crate::dashboard) const RECEIVED: &str = "Received";
pub(in crate::dashboard) const REDELIVER: &str = "Redeliver";
pub(in crate::dashboard) const NOTIFICATIONS: &str = "Notifications";
pub(in crate::dashboard) const NO_SUBSCRIPTIONS: &str = "No subscriptions yet";
pub(in crate::dashboard) const NO_SUBSCRIPTIONS_WHY: &str =
    "Get notified about releases, exports, agent jobs, and feedback.";
pub(in crate::dashboard) const NEW_SUBSCRIPTION: &str = "Add subscription";
pub(in crate::dashboard) const ADD_SUBSCRIPTION: &str = "Add subscription";
pub(in crate::dashboard) const TARGET: &str = "Target";
pub(in crate::dashboard) const TARGET_HINT: &str =
    "A URL that receives HTTP POST requests, or an email address, such as mailto:ops@example.com.";
pub(in crate::dashboard) const EVENTS: &str = "Events";
pub(in crate::dashboard) const EVENTS_HINT: &str =
    "Leave empty for the default: all events for a URL, failures for an email address.";
pub(in crate::dashboard) const SUBSCRIPTION_SECRET: &str =
    "Verify signatures of notifications with this secret:";
pub(in crate::dashboard) const REMOVE_SUBSCRIPTION_QUESTION: &str =
    "Delete this subscription and its history?";
pub(in crate::dashboard) const NOTHING_SENT: &str = "No notifications yet";
pub(in crate::dashboard) const NOTHING_SENT_WHY: &str =
    "Notifications of the last 30 days are listed here.";
pub(in crate::dashboard) const ATTEMPTS: &str = "Attempts";
pub(in crate::dashboard) const SEND_AGAIN: &str = "Resend";

/// What became of a delivery.
pub(in crate::dashboard) fn delivery(outcome: &str) -> &str {
    match outcome {
        "accepted" => "Accepted",
        "polled" => "Polled",
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
        EventKind::ReleaseReady => "Release ready",
        EventKind::ReleaseFailed => "Release failed",
        EventKind::ExportCompleted => "Export completed",
        EventKind::ExportFailed => "Export failed",
        EventKind::JobCompleted => "Agent job completed",
        EventKind::JobFailed => "Agent job failed",
        EventKind::FeedbackCreated => "New feedback",
    }
}

/// The label of the field that asks for the name of what is deleted.
pub(in crate::dashboard) fn write_name(name: &str) -> String {
    format!("Type {name} to confirm")
}
