//! Subscriptions: targets of an organization's notifications, and the states of these.

use std::str::FromStr;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// An event that organizations can subscribe to.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, ToSchema,
)]
#[schema(as = Event)]
pub enum EventKind {
    /// A release was built.
    #[serde(rename = "release.ready")]
    ReleaseReady,
    /// A release has new errors, so it is held.
    #[serde(rename = "release.held")]
    ReleaseHeld,
    /// A release failed.
    #[serde(rename = "release.failed")]
    ReleaseFailed,
    /// A static export can be downloaded.
    #[serde(rename = "export.completed")]
    ExportCompleted,
    /// A static export can't be made.
    #[serde(rename = "export.failed")]
    ExportFailed,
    /// An agent's run ended.
    #[serde(rename = "job.completed")]
    JobCompleted,
    /// An agent's run failed, or was canceled.
    #[serde(rename = "job.failed")]
    JobFailed,
    /// A reader said whether a page helped.
    #[serde(rename = "feedback.created")]
    FeedbackCreated,
    /// A week is over: how the sites of a project were read.
    #[serde(rename = "analytics.weekly")]
    AnalyticsWeekly,
}

impl EventKind {
    /// Every kind.
    pub const ALL: [Self; 9] = [
        Self::ReleaseReady,
        Self::ReleaseHeld,
        Self::ReleaseFailed,
        Self::ExportCompleted,
        Self::ExportFailed,
        Self::JobCompleted,
        Self::JobFailed,
        Self::FeedbackCreated,
        Self::AnalyticsWeekly,
    ];

    /// Its name in the database and in payloads.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ReleaseReady => "release.ready",
            Self::ReleaseHeld => "release.held",
            Self::ReleaseFailed => "release.failed",
            Self::ExportCompleted => "export.completed",
            Self::ExportFailed => "export.failed",
            Self::JobCompleted => "job.completed",
            Self::JobFailed => "job.failed",
            Self::FeedbackCreated => "feedback.created",
            Self::AnalyticsWeekly => "analytics.weekly",
        }
    }

    /// Whether it is sent only to those who ask for it by its name.
    pub const fn is_by_name(self) -> bool {
        matches!(self, Self::AnalyticsWeekly)
    }

    /// Whether someone should look into it.
    pub const fn is_failure(self) -> bool {
        matches!(
            self,
            Self::ReleaseHeld | Self::ReleaseFailed | Self::ExportFailed | Self::JobFailed
        )
    }
}

impl FromStr for EventKind {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let found = Self::ALL.into_iter().find(|kind| kind.name() == text);
        found.ok_or_else(|| {
            let known = Self::ALL.map(Self::name).join(", ");
            format!("`{text}` isn't an event; use {known}")
        })
    }
}

/// Target of notifications.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target<'a> {
    /// A server; its URL.
    Webhook(&'a str),
    /// A mailbox; its address.
    Email(&'a str),
}

impl<'a> Target<'a> {
    /// Parses a stored target: `mailto:` and an address, or a URL.
    pub fn of(text: &'a str) -> Self {
        text.strip_prefix("mailto:").map_or(Self::Webhook(text), Self::Email)
    }
}

/// State of a notification.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = DeliveryStatus)]
pub enum NotificationStatus {
    /// It will be sent, for the first time or again.
    Pending,
    /// Its target accepted it.
    Delivered,
    /// Its target didn't accept it in three days, or never will.
    Failed,
}

impl NotificationStatus {
    /// Every state.
    pub const ALL: [Self; 3] = [Self::Pending, Self::Delivered, Self::Failed];

    /// Its name in the database and the API.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Delivered => "delivered",
            Self::Failed => "failed",
        }
    }
}

impl FromStr for NotificationStatus {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let found = Self::ALL.into_iter().find(|status| status.name() == text);
        found.ok_or_else(|| format!("`{text}` is not a state of a notification"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for kind in EventKind::ALL {
            assert_eq!(kind.name().parse(), Ok(kind));
            let is_failure = [".failed", ".held"].iter().any(|end| kind.name().ends_with(end));
            assert_eq!(kind.is_failure(), is_failure);
        }
        for status in NotificationStatus::ALL {
            assert_eq!(status.name().parse(), Ok(status));
        }
        let wire = |kind: EventKind| serde_json::to_value(kind).unwrap();
        assert!(EventKind::ALL.iter().all(|kind| wire(*kind) == kind.name()));
        assert!("release.lost".parse::<EventKind>().unwrap_err().contains("release.ready, "));
        assert!("lost".parse::<NotificationStatus>().is_err());
    }

    #[test]
    fn target_is_url_or_email_address() {
        assert_eq!(Target::of("mailto:ops@example.com"), Target::Email("ops@example.com"));
        assert_eq!(Target::of("https://example.com"), Target::Webhook("https://example.com"));
    }
}
