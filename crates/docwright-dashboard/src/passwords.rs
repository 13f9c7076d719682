//! Password checks: slow, and limited in number. Passkeys count too.
//!
//! Nobody is locked out permanently: a limit ends after ten minutes, failures of one network don't affect another,
//! and if an account is signed in somewhere, attempts from elsewhere don't count.

use docwright_operations::{attempts::Attempt, failed_sign_ins::SignInRefusal, password};
use docwright_storage::database::Account;
use docwright_types::{
    account::Email,
    network::network,
    timestamp::{MINUTE, Timestamp},
};

use super::{Dashboard, refusal::Refusal, session::Browser, words};

/// How long a wrong password counts.
pub(super) const TIME: Timestamp = 10 * MINUTE;
/// Limits of wrong passwords: per network and account, per network, and per account.
const OF_BOTH: u32 = 10;
const OF_NETWORK: u32 = 100;
const OF_ACCOUNT: u32 = 50;

/// The account of an email address, if the password is correct. Neither the response nor its time reveals whether
/// the account exists.
pub(super) async fn check(
    dashboard: &Dashboard,
    browser: &Browser,
    email: &str,
    password: &str,
) -> Result<Option<Account>, Refusal> {
    let Dashboard { operations, attempts, .. } = dashboard;
    let email = email.trim().to_ascii_lowercase();
    let known = match email.parse::<Email>() {
        Ok(email) => operations.database.account_of_email(&email).await?,
        Err(_) => None,
    };
    let (account, hash) = known.unzip();
    let id = account.as_ref().map(|account| account.id.as_str());
    let attempt = count(dashboard, browser, (&email, id)).await?;
    // Networks take turns: one with many attempts waits for itself.
    let party = browser.party();
    let is_right = match hash.flatten() {
        Some(hash) => password::is_right(&party, hash, password.to_owned()).await?,
        None => password::is_nobodys(&party, password.to_owned()).await?,
    };
    if is_right {
        attempts.take_back(attempt);
        return Ok(account);
    }
    operations.failed_sign_ins.record(SignInRefusal::Password, id);
    Ok(None)
}

/// Counts an attempt for an account, by its email address and its ID if it exists. Fails if there were too many.
/// Attempts count before the check, so simultaneous ones are limited too.
pub(super) async fn count(
    dashboard: &Dashboard,
    browser: &Browser,
    (email, id): (&str, Option<&str>),
) -> Result<Attempt, Refusal> {
    let Dashboard { operations, attempts, .. } = dashboard;
    let client = browser.address.map(network);
    let bounds = [
        ((Some(email), Some(client)), OF_BOTH),
        ((None, Some(client)), OF_NETWORK),
        ((Some(email), None), OF_ACCOUNT),
    ];
    let mut attempt = attempts.count(&bounds, operations.now());
    if attempt.is_none() && is_at_home(dashboard, browser, id).await? {
        attempt = attempts.count(&bounds[..2], operations.now());
    }
    attempt.ok_or_else(|| {
        operations.failed_sign_ins.record(SignInRefusal::TooMany, id);
        Refusal::Limited(words::TOO_MANY_SIGN_INS.to_owned())
    })
}

/// Whether an account is signed in from the network of a browser.
async fn is_at_home(
    dashboard: &Dashboard,
    browser: &Browser,
    account_id: Option<&str>,
) -> Result<bool, Refusal> {
    let (Some(id), Some(client)) = (account_id, browser.address.map(network)) else {
        return Ok(false);
    };
    let operations = &dashboard.operations;
    let sessions = operations.database.sessions(id, operations.now()).await?;
    let mut homes = sessions.iter().filter_map(|session| session.address.as_ref()?.parse().ok());
    Ok(homes.any(|address| network(address) == client))
}
