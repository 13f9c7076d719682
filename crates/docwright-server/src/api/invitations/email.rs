//! The e-mail that asks somebody to join.

use docwright_storage::database::Invitation;

use crate::state::AppState;

/// Sends the link of an invitation to whom it asks. Returns whether the mail server took it; why it did not
/// is in the log.
pub(super) async fn send(
    app: &AppState,
    invitation: &Invitation,
    organization: &str,
    link: &str,
) -> bool {
    let Some(mailer) = &app.mailer else { return false };
    let (subject, body) = text(invitation, organization, link);
    match mailer.write(&invitation.email, subject, body).await {
        Ok(()) => true,
        Err(reason) => {
            tracing::warn!(invitation = invitation.id, reason, "an invitation was not e-mailed");
            false
        }
    }
}

fn text(invitation: &Invitation, organization: &str, link: &str) -> (String, String) {
    let Invitation { invited_by, role, .. } = invitation;
    let subject = format!("Join {organization} on docwright");
    let body = format!(
        "{invited_by} invites you to join {organization} on docwright, with the role {}.\n\n\
         Open this link to accept. It works once, and for seven days:\n\n{link}\n\n\
         If you don't expect this, you need do nothing.\n",
        role.name()
    );
    (subject, body)
}
