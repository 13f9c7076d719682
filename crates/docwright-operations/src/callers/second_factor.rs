//! The second factor of a session that waits for it. Attempts are counted before they are checked, in the row of the
//! session, so parallel attempts gain nothing.

use docwright_storage::database::{Account, CodeUse, Session};

use super::{
    Client,
    passkeys::{self, PasskeyAssertion, PasskeyRefusal, RelyingParty},
};
use crate::{OperationError, Operations};

/// Why a second factor wasn't confirmed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SecondFactorRefusal<T> {
    /// There were too many attempts, and the session ended.
    Ended,
    /// The code or passkey was refused, and another attempt is possible.
    Refused(T),
}

/// Why a code was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CodeRefusal {
    /// It is wrong, or was used before.
    Wrong,
    /// Too many codes of the account were wrong; this one was not checked.
    TooMany,
}

/// Checks a code of an authenticator app, or a recovery code.
pub async fn check_code(
    operations: &Operations,
    (session, account): (&Session, &Account),
    code: &str,
) -> Result<Result<(), SecondFactorRefusal<CodeRefusal>>, OperationError> {
    let Some(left) = operations.database.count_attempt(session, operations.now()).await? else {
        return end(operations, session, account).await;
    };
    let checked = use_code(operations, account, code).await?;
    conclude(operations, (session, account), checked, left).await
}

/// Checks a passkey of the account. The text of its challenge is the one that the browser kept.
pub async fn check_passkey(
    operations: &Operations,
    client: &Client,
    (session, account): (&Session, &Account),
    (party, kept, assertion): (&RelyingParty, &str, &PasskeyAssertion),
) -> Result<Result<(), SecondFactorRefusal<PasskeyRefusal>>, OperationError> {
    let Some(left) = operations.database.count_attempt(session, operations.now()).await? else {
        return end(operations, session, account).await;
    };
    let answer = (party, kept, assertion);
    let checked = passkeys::second_factor(operations, client, (session, account), answer).await?;
    conclude(operations, (session, account), checked, left).await
}

/// Uses a code of an account up.
pub(super) async fn use_code(
    operations: &Operations,
    account: &Account,
    code: &str,
) -> Result<Result<(), CodeRefusal>, OperationError> {
    let keyring = &operations.repositories.keyring;
    let used = operations.database.use_code(&account.id, code, keyring, operations.now()).await?;
    Ok(match used {
        CodeUse::Right => Ok(()),
        CodeUse::Wrong => Err(CodeRefusal::Wrong),
        CodeUse::TooMany => Err(CodeRefusal::TooMany),
    })
}

/// The result of an attempt, of which some number is left. After the last one, the session ends.
async fn conclude<T>(
    operations: &Operations,
    (session, account): (&Session, &Account),
    checked: Result<(), T>,
    left: i64,
) -> Result<Result<(), SecondFactorRefusal<T>>, OperationError> {
    match checked {
        Err(_) if left == 0 => end(operations, session, account).await,
        checked => Ok(checked.map_err(SecondFactorRefusal::Refused)),
    }
}

async fn end<T>(
    operations: &Operations,
    session: &Session,
    account: &Account,
) -> Result<Result<(), SecondFactorRefusal<T>>, OperationError> {
    operations.database.end_session(&account.id, &session.id).await?;
    Ok(Err(SecondFactorRefusal::Ended))
}
