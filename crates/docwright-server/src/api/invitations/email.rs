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
    let (subject, body) = (app.invitation_text)(invitation, organization, link);
    match mailer.write(&invitation.email, subject, body).await {
        Ok(()) => true,
        Err(reason) => {
            tracing::warn!(invitation = invitation.id, reason, "an invitation was not e-mailed");
            false
        }
    }
}
