//! Confirms who a signed-in person is before their sign-in methods change, so that someone with only a session, such
//! as in a browser left open, can't take over the account.

use docwright_storage::database::Account;
use docwright_types::account::Email;

use super::{
    Client,
    passwords::{self, PasswordRefusal},
    second_factor::{CodeRefusal, use_code},
};
use crate::{OperationError, Operations};

/// What confirms the identity of a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequiredProof {
    /// The password of the account.
    Password,
    /// A code, since the account has no password.
    Code,
    /// Nothing: without a password and a second factor, the sign-in by the provider is enough.
    Nothing,
}

/// Why a confirmation is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProofRefusal {
    /// The password or code is wrong.
    Wrong,
    /// Too many codes were wrong before.
    TooManyCodes,
    /// Too many passwords were wrong before, or are being checked.
    TooManyPasswords,
}

/// What confirms the identity of the owner of an account.
pub async fn required(
    operations: &Operations,
    account: &Account,
) -> Result<RequiredProof, OperationError> {
    let email = account.email.parse::<Email>().map_err(OperationError::Internal)?;
    let found = operations.database.account_of_email(&email).await?;
    Ok(if found.is_some_and(|(_, password)| password.is_some()) {
        RequiredProof::Password
    } else if operations.database.has_second_factor(&account.id).await? {
        RequiredProof::Code
    } else {
        RequiredProof::Nothing
    })
}

/// Checks the password or code of the owner of an account.
pub async fn check(
    operations: &Operations,
    client: &Client,
    account: &Account,
    given: &str,
) -> Result<Result<(), ProofRefusal>, OperationError> {
    match required(operations, account).await? {
        RequiredProof::Nothing => Ok(Ok(())),
        RequiredProof::Code => {
            let used = use_code(operations, account, given).await?;
            Ok(used.map_err(|why| match why {
                CodeRefusal::Wrong => ProofRefusal::Wrong,
                CodeRefusal::TooMany => ProofRefusal::TooManyCodes,
            }))
        }
        RequiredProof::Password => {
            match passwords::check(operations, client, &account.email, given).await {
                Ok(Ok(_)) => Ok(Ok(())),
                Ok(Err(PasswordRefusal::Wrong)) => Ok(Err(ProofRefusal::Wrong)),
                Ok(Err(PasswordRefusal::TooMany)) | Err(OperationError::Busy(_)) => {
                    Ok(Err(ProofRefusal::TooManyPasswords))
                }
                Err(other) => Err(other),
            }
        }
    }
}
