//! The first account. Whoever has the token of the set-up makes it; it is in the log of the service, and
//! `docwright admin setup-link` shows it to whoever has the root secret. Once there is an account the token
//! is worth nothing.

use docwright_operations::Operations;
use docwright_storage::Keyring;

use super::Dashboard;

/// What the token is a signature of: every node makes the same, and keeps nothing.
const PURPOSE: &str = "the first account of this instance";

/// The path of the set-up, with its token.
pub fn path(keyring: &Keyring) -> String {
    format!("/setup?token={}", keyring.sign_access(PURPOSE))
}

/// Whether that is the token of the set-up.
pub(super) fn is_token(dashboard: &Dashboard, token: &str) -> bool {
    dashboard.operations.repositories.keyring.is_signed_access(PURPOSE, token)
}

/// Says in the log where to begin, as long as nobody has an account.
pub async fn announce(operations: &Operations) {
    let address = &operations.repositories.public_url;
    match operations.database.has_no_accounts().await {
        Ok(true) => {
            let path = path(&operations.repositories.keyring);
            tracing::info!("no account yet; to create the first, open {address}{path}");
        }
        Ok(false) => {}
        Err(error) => tracing::warn!(%error, "accounts not counted"),
    }
}
