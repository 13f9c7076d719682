//! Emails: subject and body of each.

use docwright_storage::database::Invitation;
use docwright_types::notification::EventKind;
use serde_json::Value;

use super::{OTHER_VALUES, number};

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
    if event == EventKind::AnalyticsWeekly {
        return weekly(data);
    }
    let what = match event {
        EventKind::ReleaseReady => "Release ready",
        EventKind::ReleaseHeld => "Release held",
        EventKind::ReleaseFailed => "Release failed",
        EventKind::ExportCompleted => "Export completed",
        EventKind::ExportFailed => "Export failed",
        EventKind::JobCompleted => "Agent job completed",
        EventKind::JobFailed => "Agent job failed",
        EventKind::FeedbackCreated => "New feedback",
        EventKind::AnalyticsWeekly => "Weekly analytics",
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

/// The numbers of a week beside those of the week before. Paths and queries are by readers.
fn weekly(data: &Value) -> (String, String) {
    let in_a_line = |text: &str| text.replace(char::is_control, " ");
    let text = |name: &str| in_a_line(data[name].as_str().unwrap_or_default());
    // A time such as 2026-11-16T00:00:00Z.
    let day = |name: &str| text(name).get(..10).unwrap_or_default().to_owned();
    let subject = format!("Weekly analytics: {}", text("project"));
    let mut body = format!(
        "{subject}\n\nFrom {} to {} (UTC, without the last day), and in the week before:\n\n",
        day("from"),
        day("to")
    );
    for (label, path) in [
        ("Views by people", "/views/human"),
        ("Views by AI agents", "/views/ai"),
        ("Visitors", "/visitors/human"),
        ("Searches without result", "/searchesWithoutResult"),
        ("Unanswered questions", "/unansweredQuestions"),
        ("Requests of dead links", "/deadLinks"),
        ("“Not helpful” ratings", "/badRatings"),
    ] {
        let count = |week: &str| data[week].pointer(path).and_then(Value::as_i64).unwrap_or(0);
        let (now, before) = (count("week"), count("weekBefore"));
        body += &format!("{label}: {} (before: {})\n", number(now), number(before));
    }
    for (title, list, value, count, link) in [
        ("Top pages", "topPages", "path", "views", "analyticsUrl"),
        ("Searches without result", "searchesWithoutResult", "query", "searches", "searchesUrl"),
        ("Dead links", "deadLinks", "path", "requests", "deadLinksUrl"),
    ] {
        let rows = data[list].as_array().map(Vec::as_slice).unwrap_or_default();
        if rows.is_empty() {
            continue;
        }
        body += &format!("\n{title}\n");
        for row in rows {
            let name = in_a_line(row[value].as_str().unwrap_or_default());
            let name = if name.is_empty() { OTHER_VALUES.to_owned() } else { name };
            body += &format!("  {name}: {}\n", number(row[count].as_i64().unwrap_or(0)));
        }
        if !text(link).is_empty() {
            body += &format!("  {}\n", text(link));
        }
    }
    if !text("settingsUrl").is_empty() {
        body +=
            &format!("\nTo stop these emails, delete the subscription: {}\n", text("settingsUrl"));
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

    #[test]
    fn weekly_email_has_both_weeks_and_lists() {
        let data = json!({
            "project": "Docs",
            "from": "2026-11-16T00:00:00Z",
            "to": "2026-11-23T00:00:00Z",
            "week": { "views": { "human": 1_200, "ai": 3 }, "deadLinks": 4 },
            "weekBefore": { "views": { "human": 900, "ai": 0 } },
            "topPages": [{ "path": "guides/a", "views": 70 }, { "path": "", "views": 2 }],
            "searchesWithoutResult": [{ "query": "a\nb", "searches": 5 }],
            "deadLinks": [],
            "analyticsUrl": "https://example.com/projects/p/analytics?range=week",
            "settingsUrl": "https://example.com/projects/p/settings/notifications",
        });
        let (subject, body) = notification(EventKind::AnalyticsWeekly, &data);
        assert_eq!(subject, "Weekly analytics: Docs");
        for part in [
            "From 2026-11-16 to 2026-11-23",
            "Views by people: 1,200 (before: 900)\n",
            "Requests of dead links: 4 (before: 0)\n",
            "Top pages\n  guides/a: 70\n  Other: 2\n  https://example.com/projects/p/analytics?range=week\n",
            "Searches without result\n  a b: 5\n",
            "delete the subscription: https://example.com/projects/p/settings/notifications\n",
        ] {
            assert!(body.contains(part), "{part:?} isn't in {body}");
        }
        assert!(!body.contains("Dead links\n"), "{body}");
    }
}
