//! Texts of the inbox.

use docwright_operations::inbox::InboxKind;
use docwright_types::{counted::counted, problem::ProblemKind};

use super::event;

pub(crate) const INBOX: &str = "Inbox";
pub(crate) const INBOX_WHY: &str = "What became of your builds, agent jobs, exports, pull requests, and invitations. Editors and admins also find releases that wait and problems of their projects here. Items are kept for 30 days.";
pub(crate) const NO_INBOX: &str = "No items yet";
pub(crate) const MARK_ALL_AS_READ: &str = "Mark all as read";
pub(crate) const UNREAD: &str = "Unread";
pub(crate) const NOT_A_TIME: &str = "The form has no time. Open the inbox again.";

/// The name of the link to the inbox.
pub(crate) fn inbox_with(unread: usize) -> String {
    if unread == 0 { INBOX.to_owned() } else { format!("{INBOX}, {unread} unread") }
}

/// The number of unread items, in a heading.
pub(crate) fn unread_items(unread: usize) -> String {
    counted(i64::try_from(unread).unwrap_or(i64::MAX), "unread item")
}

/// What happened.
pub(crate) const fn inbox_kind(kind: InboxKind) -> &'static str {
    match kind {
        InboxKind::Event(kind) => event(kind),
        InboxKind::ReleaseWaiting => "Release waits for activation",
        InboxKind::FollowUpFailed => "Follow-up failed",
        InboxKind::PullRequestMerged => "Pull request merged",
        InboxKind::PullRequestClosed => "Pull request closed",
        InboxKind::InvitationAccepted => "Invitation accepted",
        InboxKind::Problem(kind) => match kind {
            ProblemKind::Credentials => "Repository needs credentials",
            ProblemKind::Branch => "Branch of a site is missing",
            ProblemKind::Certificate => "Hostname has no valid certificate",
            _ => "Repository can't be read",
        },
    }
}
