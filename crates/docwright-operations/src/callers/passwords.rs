//! Callers with a password. Checks are slow, and limited in number. Passkeys count too.
//!
//! Nobody is locked out permanently: a limit ends after ten minutes, failures of one network don't affect another,
//! and if an account is signed in somewhere, attempts from elsewhere don't count.

use docwright_storage::database::Account;
use docwright_types::{
    account::Email,
    network::network,
    timestamp::{MINUTE, Timestamp},
};

use super::Client;
use crate::{
    OperationError, Operations, attempts::Attempt, failed_sign_ins::SignInRefusal, password,
};

/// How long a wrong password counts.
pub const TIME: Timestamp = 10 * MINUTE;
/// Limits of wrong passwords: per network and account, per network, and per account.
const OF_BOTH: u32 = 10;
const OF_NETWORK: u32 = 100;
const OF_ACCOUNT: u32 = 50;

/// Why a sign-in with a password is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PasswordRefusal {
    /// It is wrong, or no account has the email address.
    Wrong,
    /// Too many were wrong before; this one was not checked.
    TooMany,
}

/// The account of an email address, if the password is correct. Neither the response nor its time reveals whether
/// the account exists.
pub async fn check(
    operations: &Operations,
    client: &Client,
    email: &str,
    password: &str,
) -> Result<Result<Account, PasswordRefusal>, OperationError> {
    let email = email.trim().to_ascii_lowercase();
    let known = match email.parse::<Email>() {
        Ok(email) => operations.database.account_of_email(&email).await?,
        Err(_) => None,
    };
    let (account, hash) = known.unzip();
    let id = account.as_ref().map(|account| account.id.as_str());
    let Some(attempt) = count(operations, client, (&email, id)).await? else {
        return Ok(Err(PasswordRefusal::TooMany));
    };
    // Networks take turns: one with many attempts waits for itself.
    let party = client.party();
    let is_right = match hash.flatten() {
        Some(hash) => password::is_right(&party, hash, password.to_owned()).await?,
        None => password::is_nobodys(&party, password.to_owned()).await?,
    };
    if is_right && let Some(account) = account {
        operations.attempts.take_back(attempt);
        return Ok(Ok(account));
    }
    operations.failed_sign_ins.record(SignInRefusal::Password, id);
    Ok(Err(PasswordRefusal::Wrong))
}

/// Counts an attempt for an account, by its email address and its ID if it exists; `None` if there were too many.
/// Attempts count before the check, so simultaneous ones are limited too.
pub(super) async fn count(
    operations: &Operations,
    client: &Client,
    (email, id): (&str, Option<&str>),
) -> Result<Option<Attempt>, OperationError> {
    let network = client.network();
    let bounds = [
        ((Some(email), Some(network)), OF_BOTH),
        ((None, Some(network)), OF_NETWORK),
        ((Some(email), None), OF_ACCOUNT),
    ];
    let mut attempt = operations.attempts.count(&bounds, operations.now());
    if attempt.is_none() && is_at_home(operations, client, id).await? {
        attempt = operations.attempts.count(&bounds[..2], operations.now());
    }
    if attempt.is_none() {
        operations.failed_sign_ins.record(SignInRefusal::TooMany, id);
    }
    Ok(attempt)
}

/// Whether an account is signed in from the network of a client.
async fn is_at_home(
    operations: &Operations,
    client: &Client,
    account_id: Option<&str>,
) -> Result<bool, OperationError> {
    let (Some(id), Some(here)) = (account_id, client.network()) else {
        return Ok(false);
    };
    let sessions = operations.database.sessions(id, operations.now()).await?;
    let mut homes = sessions.iter().filter_map(|session| session.address.as_ref()?.parse().ok());
    Ok(homes.any(|address| network(address) == here))
}
