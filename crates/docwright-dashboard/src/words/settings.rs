//! Texts about the settings of a project.

use docwright_types::{account::Role, notification::EventKind};

/// The pages of the settings: the required role, the last part of the path, and the label.
pub(crate) const SETTINGS_SECTIONS: [(Role, &str, &str); 5] = [
    (Role::Viewer, "", "General"),
    (Role::Admin, "credentials", "Credentials"),
    (Role::Viewer, "webhooks", "Webhooks"),
    (Role::Admin, "notifications", "Notifications"),
    (Role::Admin, "assistant-keys", ASSISTANT_KEYS),
];

/// Labels of activation modes.
pub(crate) const ACTIVATIONS: [(&str, &str); 3] = [
    ("automatic", "Automatically, when ready"),
    ("hold-new-errors", "Automatically, but hold releases with new errors"),
    ("manual", "Manually"),
];

pub(crate) const SETTINGS: &str = "Settings";
pub(crate) const REPOSITORY_SETTING_HINT: &str = "A URL that git can clone, such as https://github.com/acme/docs, or built-in for the built-in git host.";
pub(crate) const MODEL_HINT: &str = "The model of agent jobs, such as anthropic:claude-sonnet-4-5. Leave empty for the instance's default.";
pub(crate) const MODEL_OF_INSTANCE: &str = "instance default";
pub(crate) const LOOKED_FOR: &str = "found automatically";
pub(crate) const AGENT_PATHS: &str = "Other files that agents can change";
pub(crate) const AGENT_PATHS_HINT: &str = "One pattern per line, relative to the docs root, such as examples/**. Leave empty for documentation only.";
pub(crate) const ACTIVATION: &str = "Activate new releases";
pub(crate) const ACTIVATION_HINT: &str = "A release is held if it has errors that the active release doesn't have. You can activate any ready release at any time.";
pub(crate) const CLONE_URL: &str = "Git URL";
pub(crate) const CLONE_URL_WHY: &str =
    "When git asks for a username, enter any name. As the password, use a personal access token.";
pub(crate) const DANGER: &str = "Danger zone";
pub(crate) const DELETE_PROJECT: &str = "Delete project";
pub(crate) const DELETE_PROJECT_WHY: &str = "This permanently deletes the project with its domains, releases, previews, exports, agent jobs, and feedback. A repository on the built-in git host is deleted too. Repositories on other git hosts aren't changed.";
pub(crate) const OTHER_NAME: &str = "This isn't the name of the project. Nothing was deleted.";
pub(crate) const CREDENTIALS: &str = "Credentials";
pub(crate) const CREDENTIALS_WHY: &str = "docwright uses these to read private repositories and open pull requests. Secrets are encrypted and never shown.";
pub(crate) const NO_CREDENTIALS: &str = "No credentials yet";
pub(crate) const NO_CREDENTIALS_WHY: &str = "Private repositories need credentials. A project without its own uses those of the organization.";
pub(crate) const SET_CREDENTIAL: &str = "Save credentials";
pub(crate) const HOST: &str = "Host";
pub(crate) const HOST_HINT: &str =
    "A hostname, such as github.com. Add the port if the repository URL has one.";
pub(crate) const USERNAME: &str = "Username";
pub(crate) const USERNAME_HINT: &str = "Hosts that take tokens ignore it.";
pub(crate) const SECRET: &str = "Secret";
pub(crate) const SECRET_HINT: &str =
    "A token or a password. Replaces the current one for this host.";
pub(crate) const OF_ORGANIZATION: &str = "whole organization";
pub(crate) const REMOVE_CREDENTIAL_QUESTION: &str =
    "Remove these credentials? Without them, docwright can't read a private repository.";
pub(crate) const WEBHOOKS: &str = "Webhooks";
pub(crate) const WEBHOOKS_WHY: &str = "A git host reports each push with a webhook. Without webhooks, docwright polls the repository.";
pub(crate) const WEBHOOK_URL: &str = "URL";
pub(crate) const SHOWN_ONCE: &str = "Copy it now. You won't see it again.";
pub(crate) const MAKE_SECRET: &str = "Create secret";
pub(crate) const MAKE_SECRET_QUESTION: &str = "Create a new secret? The current one stops working.";
pub(crate) const DELIVERIES: &str = "Deliveries";
pub(crate) const NO_DELIVERIES: &str = "No deliveries yet";
pub(crate) const NO_DELIVERIES_WHY: &str = "Create a secret. Then add the URL and the secret to the webhook settings of your git host. Received webhooks are listed here.";
pub(crate) const EVENT: &str = "Event";
pub(crate) const OUTCOME: &str = "Outcome";
pub(crate) const RECEIVED: &str = "Received";
pub(crate) const REDELIVER: &str = "Redeliver";
pub(crate) const ASSISTANT_KEYS: &str = "Assistant keys";
pub(crate) const ASSISTANT_KEYS_WHY: &str = "An assistant key asks the assistant of one domain, from pages of other sites and from programs. Pages can contain it.";
pub(crate) const NO_ASSISTANT_KEYS: &str = "No assistant keys yet";
pub(crate) const NO_ASSISTANT_KEYS_WHY: &str =
    "A key lets another site show the assistant of a domain.";
pub(crate) const CREATE_ASSISTANT_KEY: &str = "Create assistant key";
pub(crate) const ASSISTANT_KEY: &str = "Key";
pub(crate) const ASSISTANT_KEY_DOMAIN_HINT: &str =
    "A domain of this project, such as docs.example.com.";
pub(crate) const ORIGINS: &str = "Origins";
pub(crate) const ORIGINS_HINT: &str = "Sites whose pages can use the key, such as https://shop.example.com: one per line. Leave empty to allow only programs.";
pub(crate) const ONLY_PROGRAMS: &str = "Only programs";
pub(crate) const WIDGET: &str = "Widget";
pub(crate) const WIDGET_WHY: &str =
    "Add this to the pages of a site whose origin the key lists. They show the assistant.";
pub(crate) const DELETE_ASSISTANT_KEY: &str = "Delete assistant key";
pub(crate) const DELETE_ASSISTANT_KEY_QUESTION: &str =
    "Delete this assistant key? Pages and programs that use it can't ask anymore.";
pub(crate) const NOTIFICATIONS: &str = "Notifications";
pub(crate) const NO_SUBSCRIPTIONS: &str = "No subscriptions yet";
pub(crate) const NO_SUBSCRIPTIONS_WHY: &str =
    "Get notified about releases, exports, agent jobs, feedback, and analytics.";
pub(crate) const NEW_SUBSCRIPTION: &str = "Add subscription";
pub(crate) const ADD_SUBSCRIPTION: &str = "Add subscription";
pub(crate) const TARGET: &str = "Target";
pub(crate) const TARGET_HINT: &str =
    "A URL that receives HTTP POST requests, or an email address, such as mailto:ops@example.com.";
pub(crate) const EVENTS: &str = "Events";
pub(crate) const EVENTS_HINT: &str = "Leave empty for the default: all events except weekly analytics for a URL, failures for an email address.";
pub(crate) const SUBSCRIPTION_SECRET: &str = "Verify signatures of notifications with this secret:";
pub(crate) const REMOVE_SUBSCRIPTION_QUESTION: &str = "Delete this subscription and its history?";
pub(crate) const NOTHING_SENT: &str = "No notifications yet";
pub(crate) const NOTHING_SENT_WHY: &str = "Notifications of the last 30 days are listed here.";
pub(crate) const ATTEMPTS: &str = "Attempts";
pub(crate) const SEND_AGAIN: &str = "Resend";

/// Label of a delivery status.
pub(crate) fn delivery(outcome: &str) -> &str {
    match outcome {
        "accepted" => "Accepted",
        "polled" => "Polled",
        "failed" => "Failed",
        other => other,
    }
}

/// Label of a notification status.
pub(crate) fn notification(status: &str) -> &str {
    match status {
        "pending" => "Waiting",
        "delivered" => "Delivered",
        "failed" => "Failed",
        other => other,
    }
}

/// The events of a subscription.
pub(crate) const fn event(kind: EventKind) -> &'static str {
    match kind {
        EventKind::ReleaseReady => "Release ready",
        EventKind::ReleaseHeld => "Release held for new errors",
        EventKind::ReleaseFailed => "Release failed",
        EventKind::ExportCompleted => "Export completed",
        EventKind::ExportFailed => "Export failed",
        EventKind::JobCompleted => "Agent job completed",
        EventKind::JobFailed => "Agent job failed",
        EventKind::FeedbackCreated => "New feedback",
        EventKind::AnalyticsWeekly => "Weekly analytics, on Mondays",
    }
}

/// The label of the field for the name of the record to delete.
pub(crate) fn write_name(name: &str) -> String {
    format!("Type {name} to confirm")
}
