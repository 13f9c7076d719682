//! Callers with a session: people who signed in. The face keeps the token of a session, such as in a cookie.
//!
//! [`begin`] alone creates sessions. A session that waits for the second factor can do nothing else.

use docwright_storage::database::{self, Account, Membership, Session};
use docwright_types::{
    timestamp::{DAY, HOUR},
    token::Token,
};

use super::Client;
use crate::{OperationError, Operations};

/// Lifetime of a session, in milliseconds.
pub const LIFETIME: i64 = 30 * DAY;
/// Lifetime of a session that started with an OpenID Connect provider. Afterward, the provider is asked again and
/// reports the current groups.
const PROVIDED_LIFETIME: i64 = 12 * HOUR;
/// Stored length of a user agent, in characters.
const LONGEST_AGENT: usize = 300;

/// How someone signs in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignInMethod {
    /// With a password, or with a link.
    Secret,
    /// With an OpenID Connect provider.
    Provider,
    /// With a passkey that verified its user, which is two factors in one.
    Passkey,
}

/// A new session.
#[derive(Debug)]
pub struct NewSession {
    /// Its token, only here.
    pub token: Token,
    /// Whether it is complete; otherwise it waits for the second factor.
    pub is_complete: bool,
}

/// A person whose session is complete.
#[derive(Debug)]
pub struct SignedIn {
    /// Their account.
    pub account: Account,
    /// Their session.
    pub session: Session,
    /// Their roles in organizations.
    pub memberships: Vec<Membership>,
}

/// The session of a client, whether or not the second factor was confirmed.
pub async fn find(
    operations: &Operations,
    client: &Client,
) -> Result<Option<(Session, Account)>, OperationError> {
    let Some(token) = &client.session else { return Ok(None) };
    Ok(operations.database.session(token, operations.now()).await?)
}

/// The person who is signed in at a client.
pub async fn signed_in(
    operations: &Operations,
    client: &Client,
) -> Result<Option<SignedIn>, OperationError> {
    let found = find(operations, client).await?.filter(|(session, _)| session.complete);
    let Some((session, account)) = found else { return Ok(None) };
    operations.database.touch_session(&session, operations.now()).await?;
    let memberships = operations.database.memberships(&account.id).await?;
    Ok(Some(SignedIn { account, session, memberships }))
}

/// Creates a session with a new token. The client's old session ends. An account with a
/// second factor must confirm it first, unless the method includes both.
pub async fn begin(
    operations: &Operations,
    client: &Client,
    account_id: &str,
    method: SignInMethod,
) -> Result<NewSession, OperationError> {
    let database = &operations.database;
    let now = operations.now();
    end(operations, client).await?;
    let is_complete =
        method == SignInMethod::Passkey || !database.has_second_factor(account_id).await?;
    let lifetime = if method == SignInMethod::Provider { PROVIDED_LIFETIME } else { LIFETIME };
    let user_agent: String = client.user_agent.chars().take(LONGEST_AGENT).collect();
    let new = database::NewSession {
        account_id,
        complete: is_complete,
        address: client.address_text(),
        user_agent: &user_agent,
        lifetime,
    };
    let token = database.create_session(&new, now).await?;
    Ok(NewSession { token, is_complete })
}

/// Completes a session after the second factor was confirmed, and returns its new token; `None` if it ended.
pub async fn complete(
    operations: &Operations,
    session: &Session,
) -> Result<Option<Token>, OperationError> {
    Ok(operations.database.complete_session(session, operations.now()).await?)
}

/// Ends the session of a client.
pub async fn end(operations: &Operations, client: &Client) -> Result<(), OperationError> {
    if let Some((session, account)) = find(operations, client).await? {
        operations.database.end_session(&account.id, &session.id).await?;
    }
    Ok(())
}
