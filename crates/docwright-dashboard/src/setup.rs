//! The first account. It takes the setup token, which is in the log of the service; `docwright admin setup-link`
//! prints it if the root secret is available. Once there is an account, the token is invalid.

use docwright_operations::Operations;
use docwright_storage::Keyring;

use super::Dashboard;

/// The text that the token signs. Every node computes the same token and stores nothing.
const PURPOSE: &str = "the first account of this instance";

/// The path of the setup page, with its token.
pub fn path(keyring: &Keyring) -> String {
    format!("/setup?token={}", keyring.sign_access(PURPOSE))
}

/// Whether a token is the setup token.
pub(super) fn is_token(dashboard: &Dashboard, token: &str) -> bool {
    dashboard.operations.repositories.keyring.is_signed_access(PURPOSE, token)
}

/// Logs where to start, until there is an account, and returns that link.
pub async fn announce(operations: &Operations) -> Option<String> {
    let address = &operations.repositories.public_url;
    match operations.database.has_no_accounts().await {
        Ok(true) => {
            let path = path(&operations.repositories.keyring);
            tracing::info!("no account yet; to create the first, open {address}{path}");
            Some(format!("{address}{path}"))
        }
        Ok(false) => None,
        Err(error) => {
            tracing::warn!(%error, "accounts not counted");
            None
        }
    }
}
