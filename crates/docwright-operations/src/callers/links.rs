//! Callers with a sign-in link, which works once. People get one by email if they forgot their password.

use docwright_storage::{
    Database,
    database::{Account, Actor},
};
use docwright_types::{
    account::Email,
    timestamp::{MINUTE, Timestamp, iso},
    token::Token,
};
use serde_json::json;

use super::Client;
use crate::{OperationError, Operations, audit::Change, failed_sign_ins::SignInRefusal};

/// How long a link works.
pub const LIFETIME: Timestamp = 15 * MINUTE;
/// Limits of requested emails in the time of [`passwords::TIME`](super::passwords::TIME): per email address, and per
/// network.
const OF_EMAIL: u32 = 3;
const OF_NETWORK: u32 = 30;

/// Why no link is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkRefusal {
    /// The instance sends no email.
    NoEmail,
    /// The address is invalid.
    Invalid,
    /// Too many were requested.
    TooMany,
}

/// The path of a link on the host of the service, with its secret.
pub fn path(token: &Token) -> String {
    format!("/sign-in/link?token={}", token.reveal())
}

/// Whether people can get links by email.
pub fn can_send(operations: &Operations) -> bool {
    operations.mail.is_some()
}

/// Emails a link to the account of an address, if it has a password; accounts without one sign in at a provider.
/// Neither the response nor its time reveals whether there is such an account: everything after the check of the
/// address happens later, and the log has the reason if it fails.
pub fn send(operations: &Operations, client: &Client, email: &str) -> Result<(), LinkRefusal> {
    if !can_send(operations) {
        return Err(LinkRefusal::NoEmail);
    }
    let email = email.trim().parse::<Email>().map_err(|_| LinkRefusal::Invalid)?;
    let bounds = [
        (("link", Some(email.to_string()), None), OF_EMAIL),
        (("link", None, Some(client.network())), OF_NETWORK),
    ];
    if operations.attempts.count(&bounds, operations.now()).is_none() {
        operations.failed_sign_ins.record(SignInRefusal::TooMany, None);
        return Err(LinkRefusal::TooMany);
    }
    let (operations, client) = (operations.clone(), client.clone());
    tokio::spawn(async move {
        if let Err(reason) = send_now(&operations, &client, &email).await {
            tracing::warn!(reason, "sign-in link not sent");
        }
    });
    Ok(())
}

/// Creates a link and sends it. Fails with a reason for the log.
async fn send_now(operations: &Operations, client: &Client, email: &Email) -> Result<(), String> {
    let Some(mail) = &operations.mail else { return Ok(()) };
    let found = operations.database.account_of_email(email).await;
    let Some((account, Some(_))) = found.map_err(|error| error.to_string())? else {
        return Ok(());
    };
    let now = operations.now();
    let database = recording(operations, client, &account, now + LIFETIME);
    let token = database.create_sign_in_link(&account.id, now, now + LIFETIME).await;
    let token = token.map_err(|error| error.to_string())?;
    let public_url = &operations.repositories.public_url;
    let link = format!("{public_url}{}", path(&token));
    let (subject, body) = (mail.sign_in_text)(&link);
    mail.mailer.write(&account.email, subject, body).await
}

/// The database, which writes the entry of the link. Its actor is the service, since no one is signed in.
fn recording(
    operations: &Operations,
    client: &Client,
    account: &Account,
    expires_at: Timestamp,
) -> Database {
    let after = json!({ "email": account.email, "expiresAt": iso(expires_at) });
    let change = Change::of("account.sign_in_email", None).after(after);
    change.recording(
        operations,
        Actor::service(),
        (client.address_text(), client.request_id.clone()),
    )
}

/// A sign-in link that isn't used up.
#[derive(Debug)]
pub struct SignInLink {
    token: Token,
    /// The account that it signs in to.
    pub account: Account,
}

/// The link with a token; `None` if it was used before, has expired, or never existed.
pub async fn find(
    operations: &Operations,
    token: &str,
) -> Result<Option<SignInLink>, OperationError> {
    let found = match Token::parse(token) {
        Some(token) => {
            let account = operations.database.account_of_link(&token, operations.now()).await?;
            account.map(|account| SignInLink { token, account })
        }
        None => None,
    };
    if found.is_none() {
        operations.failed_sign_ins.record(SignInRefusal::Link, None);
    }
    Ok(found)
}

impl SignInLink {
    /// Uses it up, and returns its account; `None` if someone else just used it.
    pub async fn use_up(self, operations: &Operations) -> Result<Option<Account>, OperationError> {
        let used = operations.database.use_sign_in_link(&self.token, operations.now()).await?;
        if used.is_none() {
            operations.failed_sign_ins.record(SignInRefusal::Link, None);
        }
        Ok(used.map(|_| self.account))
    }
}
