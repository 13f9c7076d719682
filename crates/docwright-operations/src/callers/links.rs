//! Callers with a sign-in link, which works once.

use docwright_storage::database::Account;
use docwright_types::token::Token;

use crate::{OperationError, Operations, failed_sign_ins::SignInRefusal};

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
