//! Notifications by email.

use std::{fmt, str::FromStr};

use docwright_storage::database::ClaimedNotification;
use docwright_types::notification::EventKind;
use lettre::{
    Address, AsyncSmtpTransport, AsyncTransport, Message, Tokio1Executor,
    message::{Mailbox, header::ContentType},
    transport::smtp,
};
use serde_json::Value;

use super::{PATIENCE, Refusal};

/// An SMTP server and a sender.
#[derive(Clone)]
pub struct Mailer {
    transport: AsyncSmtpTransport<Tokio1Executor>,
    from: Mailbox,
}

/// Why the mail settings don't work.
#[derive(Debug, thiserror::Error)]
pub enum SmtpError {
    /// The URL of the server is invalid. It can contain a password, so it is not repeated.
    #[error("--smtp-url must be a URL such as smtps://USER:PASSWORD@mail.example.com: {0}")]
    Url(String),
    /// The sender isn't an address.
    #[error("--smtp-from must be an address such as `docwright <docs@example.com>`: {0}")]
    From(String),
}

impl fmt::Debug for Mailer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Mailer").field("from", &self.from).finish_non_exhaustive()
    }
}

impl Mailer {
    /// A mailer for an SMTP server. `smtps://` is encrypted from the start (port 465), `smtp://` with
    /// `?tls=required` after STARTTLS (port 587), `smtp://` alone not at all.
    pub fn new(url: &str, from: &str) -> Result<Self, SmtpError> {
        let builder = AsyncSmtpTransport::<Tokio1Executor>::from_url(url)
            .map_err(|error| SmtpError::Url(error.to_string()))?;
        let from = Mailbox::from_str(from).map_err(|error| SmtpError::From(error.to_string()))?;
        Ok(Self { transport: builder.timeout(Some(PATIENCE)).build(), from })
    }

    /// Sends an email now. The subject becomes one line. Fails with a reason for the log.
    pub async fn write(&self, address: &str, subject: String, body: String) -> Result<(), String> {
        let id = format!("<{:032x}@{}>", rand::random::<u128>(), self.from.email.domain());
        let message = self.message(address, in_a_line(&subject), body, id)?;
        self.send(message).await.map_err(|refusal| refusal.reason)
    }

    async fn send(&self, message: Message) -> Result<(), Refusal> {
        let sent = tokio::time::timeout(PATIENCE * 2, self.transport.send(message)).await;
        let sent = sent.map_err(|_| refusal("the SMTP server did not respond in time", true))?;
        sent.map(drop).map_err(|error| refusal(cause(&error), !error.is_permanent()))
    }

    fn message(
        &self,
        address: &str,
        subject: String,
        body: String,
        id: String,
    ) -> Result<Message, String> {
        let to: Address =
            address.parse().map_err(|_| format!("`{address}` isn't an email address"))?;
        Message::builder()
            .from(self.from.clone())
            .to(Mailbox::new(None, to))
            .subject(subject)
            .message_id(Some(id))
            .header(AutoSubmitted)
            .header(ContentType::TEXT_PLAIN)
            .body(body)
            .map_err(|error| error.to_string())
    }
}

/// Whether a text is an email address.
pub fn is_address(text: &str) -> bool {
    text.parse::<Address>().is_ok()
}

/// Subject and body of the email about an event, from the data of its notification.
pub type EmailText = fn(EventKind, &Value) -> (String, String);

/// Sends a notification.
pub(super) async fn send(
    (mailer, text): (Option<&Mailer>, EmailText),
    notification: &ClaimedNotification,
    address: &str,
) -> Result<(), Refusal> {
    let mailer = mailer.ok_or_else(|| {
        // The setting can be fixed before the next attempt.
        refusal("this instance sends no email; the operator can set --smtp-url", true)
    })?;
    let message =
        message((mailer, text), notification, address).map_err(|reason| refusal(reason, false))?;
    mailer.send(message).await
}

fn message(
    (mailer, text): (&Mailer, EmailText),
    notification: &ClaimedNotification,
    address: &str,
) -> Result<Message, String> {
    let payload: Value =
        serde_json::from_str(&notification.payload).map_err(|error| error.to_string())?;
    let (subject, body) = text(notification.event, &payload["data"]);
    let id = format!("<{}@{}>", notification.id, mailer.from.email.domain());
    mailer.message(address, in_a_line(&subject), body, id)
}

/// A text without line breaks and other control characters.
fn in_a_line(text: &str) -> String {
    text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect()
}

/// Marks automatic email that needs no reply, see RFC 3834.
#[derive(Debug, Clone)]
struct AutoSubmitted;

impl lettre::message::header::Header for AutoSubmitted {
    fn name() -> lettre::message::header::HeaderName {
        lettre::message::header::HeaderName::new_from_ascii_str("Auto-Submitted")
    }

    fn parse(_: &str) -> Result<Self, Box<dyn std::error::Error + Send + Sync>> {
        Ok(Self)
    }

    fn display(&self) -> lettre::message::header::HeaderValue {
        lettre::message::header::HeaderValue::new(Self::name(), "auto-generated".to_owned())
    }
}

/// The error of the server, or of the connection.
fn cause(error: &smtp::Error) -> String {
    use std::error::Error;
    let source = error.source().map(|source| format!(": {source}")).unwrap_or_default();
    format!("the SMTP server refused the email: {error}{source}")
}

fn refusal(reason: impl Into<String>, is_transient: bool) -> Refusal {
    Refusal { status: None, reason: reason.into(), is_transient, wait: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_in_settings_name_setting_without_password() {
        let error = Mailer::new("https://me:hunter2@example.com", "a@example.com").unwrap_err();
        assert!(error.to_string().contains("smtps://") && !error.to_string().contains("hunter2"));
        let error = Mailer::new("smtps://example.com", "nobody").unwrap_err().to_string();
        assert!(error.contains("--smtp-from"), "{error}");
        let mailer = Mailer::new("smtps://me:hunter2@example.com", "a@example.com").unwrap();
        assert!(!format!("{mailer:?}").contains("hunter2"));
        assert!(is_address("ops@example.com") && !is_address("ops") && !is_address("a@b\nc"));
    }
}
