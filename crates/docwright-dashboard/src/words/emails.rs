//! Emails: subject and body of each.

use docwright_storage::database::Invitation;
use docwright_types::notification::EventKind;
use serde_json::Value;

/// Invites someone to an organization.
pub fn invitation(invitation: &Invitation, organization: &str, link: &str) -> (String, String) {
    let Invitation { invited_by, role, .. } = invitation;
    let subject = format!("Join {organization} on docwright");
    let body = format!(
        "{invited_by} invited you to join {organization} on docwright as {}.\n\n\
         Open this link to accept. It works once and expires in 7 days:\n\n{link}\n\n\
         If you weren't expecting this, ignore this email.\n",
        role.name()
    );
    (subject, body)
}

/// Brings someone who forgot their password a sign-in link.
pub fn sign_in_link(link: &str) -> (String, String) {
    let body = format!(
        "Open this link to sign in to docwright and set a new password. It works once and expires in 15 minutes:\n\n\
         {link}\n\n\
         If you didn't request this, ignore this email. Your password stays the same.\n"
    );
    ("Sign in to docwright".to_owned(), body)
}

/// Reports an event, with the data of its notification. Text by others is on separate lines of the body.
pub fn notification(event: EventKind, data: &Value) -> (String, String) {
    let field = |name: &str| data[name].as_str().unwrap_or_default();
    let what = match event {
        EventKind::ReleaseReady => "Release ready",
        EventKind::ReleaseFailed => "Release failed",
        EventKind::ExportCompleted => "Export completed",
        EventKind::ExportFailed => "Export failed",
        EventKind::JobCompleted => "Agent job completed",
        EventKind::JobFailed => "Agent job failed",
        EventKind::FeedbackCreated => "New feedback",
    };
    let subject = format!("{what}: {}", field("project"));
    let mut body = format!("{}\n\n", subject.replace(char::is_control, " "));
    for (label, name) in [
        ("Error", "error"),
        ("Site", "site"),
        ("Domain", "domain"),
        ("Page", "page"),
        ("Comment", "comment"),
        ("Branch", "branch"),
        ("Commit", "commit"),
        ("Message", "message"),
        ("Author", "author"),
        ("Summary", "summary"),
        ("Pull request", "prLink"),
        ("Release", "releaseId"),
        ("Job", "jobId"),
        ("Project", "projectId"),
    ] {
        if !field(name).is_empty() {
            body.push_str(&format!("{label}: {}\n", field(name)));
        }
    }
    (subject, body)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn email_lists_known_fields_of_event() {
        let data = json!({ "project": "a\r\nb", "error": "no docs.json", "jobId": null });
        let (_, body) = notification(EventKind::ReleaseFailed, &data);
        assert_eq!(body, "Release failed: a  b\n\nError: no docs.json\n");
    }
}
