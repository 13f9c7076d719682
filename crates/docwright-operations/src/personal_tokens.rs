//! Personal access tokens of people who are signed in: API keys that act as their account in one organization.
//!
//! A token can do what both its scope and its owner's present role allow. [`crate::keys`] shows the tokens to admins of
//! the organization, who can revoke them.

use docwright_storage::database::{Account, NewKey};
use docwright_types::{
    key::{DEFAULT_DAYS, Scope},
    timestamp::{DAY, iso},
};
use serde_json::json;

use crate::{
    Allowed, Caller, OperationError, Operations,
    audit::Change,
    callers::unnamed_organization,
    can,
    error::taken,
    fields::{Id, Name},
    keys::{CreatedKey, Key, check_days, state},
};

/// A personal access token to create.
#[derive(Debug)]
pub struct CreatePersonalToken {
    /// Name of the token.
    pub name: Name,
    /// ID of the organization.
    pub organization_id: Id,
    /// Scope of the token, no higher than that of the caller's role, and never `operator`.
    pub scope: Scope,
    /// Days until the token expires; 90 if omitted.
    pub days: Option<i64>,
}

/// Lists the tokens of the caller's account in every organization, newest first.
pub async fn list(
    operations: &Operations,
    caller: &Allowed<can::ListPersonalTokens>,
) -> Result<Vec<Key>, OperationError> {
    let account = signed_in(caller)?;
    let tokens = operations.database.personal_tokens(&account.id).await?;
    Ok(tokens.into_iter().map(|(token, organization)| Key::of(token, organization)).collect())
}

/// Creates a token of the caller's account in an organization.
pub async fn create(
    operations: &Operations,
    caller: &Allowed<can::CreatePersonalToken>,
    input: CreatePersonalToken,
) -> Result<CreatedKey, OperationError> {
    let CreatePersonalToken { name, organization_id, scope, days } = input;
    let account = signed_in(caller)?;
    let organization = caller.organization(operations, Some(organization_id.as_str())).await?;
    let organization = organization.ok_or_else(unnamed_organization)?;
    if scope > caller.scope().min(Scope::Admin) {
        return Err(OperationError::Forbidden(format!(
            "Your role doesn't allow a token with the scope `{}`. Select a lower scope.",
            scope.name()
        )));
    }
    let days = days.unwrap_or(DEFAULT_DAYS);
    check_days(days)?;
    let change = Change::of("key.create", Some(&organization.id)).after(json!({
        "name": name.as_str(),
        "scope": scope.name(),
        "projects": [],
        "allow": [],
        "expiresAt": iso(operations.now() + days * DAY),
        "accountId": account.id,
    }));
    let new = NewKey {
        organization_id: Some(organization.id),
        name: name.to_string(),
        scope,
        projects: Vec::new(),
        allowlist: Vec::new(),
        days: Some(days),
        created_by: Some(account.id.clone()),
    };
    let database = caller.recording(operations, change);
    let created = database.create_personal_token(&account.id, &new, operations.now()).await;
    let created = created.map_err(taken)?;
    Ok(CreatedKey { id: created.id().to_owned(), key: created.reveal() })
}

/// Revokes a token of the caller's account permanently, on all nodes.
pub async fn revoke(
    operations: &Operations,
    caller: &Allowed<can::RevokePersonalToken>,
    id: &str,
) -> Result<(), OperationError> {
    let account = signed_in(caller)?;
    let missing = || OperationError::NotFound("Personal access token not found.".to_owned());
    let (token, _) = operations.database.key(id).await?.ok_or_else(missing)?;
    if token.owner.as_ref().is_none_or(|owner| owner.account_id != account.id) {
        return Err(missing());
    }
    let change = Change::of("key.revoke", token.organization_id.as_deref()).before(state(&token));
    let database = caller.recording(operations, change);
    if !database.revoke_key(id, operations.now()).await? {
        return Err(missing());
    }
    Ok(())
}

/// The account of someone in the dashboard. A key has none: it can't create another one.
fn signed_in(caller: &Caller) -> Result<&Account, OperationError> {
    caller.signed_in().ok_or_else(|| {
        OperationError::Forbidden("Sign in to use personal access tokens.".to_owned())
    })
}
