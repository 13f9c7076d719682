//! Removes the second factors of someone who lost them.

use anyhow::{Context, ensure};
use docwright_storage::database::Change;
use docwright_types::account::Email;
use serde_json::json;

use super::{Report, client::Local};

/// Removes all second factors of an account, so that its password alone signs in.
pub(super) async fn turn_off(local: &Local, email: &Email) -> anyhow::Result<Report> {
    let operations = &local.operations;
    let found = operations.database.account_of_email(email).await?;
    let (account, password) = found.with_context(|| format!("no account found for {email}"))?;
    let has_app = operations.database.has_totp(&account.id).await?;
    let passkeys = operations.database.passkeys(&account.id).await?;
    let names: Vec<_> = passkeys.iter().map(|passkey| passkey.name.as_str()).collect();
    let had = json!({ "authenticatorApp": has_app, "passkeys": names });
    let change = Change {
        organization_id: None,
        actor: local.user.actor(),
        action: "account.second_factor_off",
        address: None,
        request_id: String::new(),
        before: Some(had.clone()),
        after: None,
        at: operations.now(),
    };
    let database = operations.database.recording(change);
    let had_one = database.remove_second_factors(&account.id).await?;
    ensure!(had_one, "{email} has no authenticator app and no passkey");
    let next = if password.is_some() { "their password" } else { "the provider" };
    let report = Report::of(json!({
        "email": account.email,
        "authenticatorAppRemoved": had["authenticatorApp"],
        "passkeysRemoved": had["passkeys"],
    }));
    Ok(report.then(format!(
        "all of their sessions ended; {next} alone signs them in now, so ask them to set up another second factor"
    )))
}
