//! Accounts of the instance, for operators.

use docwright_jobs::deletion::delete_account;
use docwright_storage::database::{self, Position};
use docwright_types::{account::Email, timestamp::iso};
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::{IntoParams, ToSchema};

use crate::{
    Allowed, Listed, OperationError, Operations,
    audit::Change,
    can,
    error::taken,
    listed::Item,
    lists::{Page, Search},
};

/// An account: a person's sign-in.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Account {
    /// ID of the account.
    #[schema(example = "acc_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    pub id: String,
    /// Email address that the account signs in with.
    #[schema(example = "ada@example.com")]
    pub email: String,
    /// Name of the person.
    #[schema(example = "Ada Lovelace")]
    pub name: String,
    /// Whether the account has access to everything in the instance.
    #[schema(example = false)]
    pub is_operator: bool,
    /// Time when the account was created.
    #[schema(format = DateTime)]
    pub created_at: String,
    /// Identities at OpenID Connect providers, oldest first: one for each issuer.
    pub identities: Vec<Identity>,
}

/// An identity at an OpenID Connect provider.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Identity {
    /// Issuer URL of the provider.
    #[schema(example = "https://login.example.com")]
    pub issuer: String,
    /// The provider's ID for the person.
    #[schema(example = "248289761001")]
    pub subject: String,
    /// Time when the identity was linked to the account.
    #[schema(format = DateTime)]
    pub linked_at: String,
}

/// Which accounts to list.
#[derive(Debug, Default, Deserialize, Serialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct ListAccounts {
    /// Return only the account with this email address.
    #[param(value_type = String, required = false, pattern = r"^[^\x00]*$", example = "ada@example.com")]
    pub email: Option<String>,
    /// Return only accounts whose email address starts with this text. The case of ASCII letters is
    /// ignored.
    #[param(value_type = String, required = false, max_length = 200, pattern = r"^[^\x00]*$", example = "ada@")]
    pub search: Option<Search>,
}

/// Settings to change in an account.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct UpdateAccount {
    /// Whether the account has access to everything in the instance.
    #[schema(example = true)]
    pub is_operator: bool,
}

/// Counts of the objects that were deleted with an account.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct DeletedAccount {
    /// Memberships in organizations.
    #[schema(example = 1)]
    pub memberships: u64,
    /// API keys created by the account, or by one of those keys.
    #[schema(example = 2)]
    pub keys: u64,
    /// Invitations to the account's email address.
    #[schema(example = 0)]
    pub invitations: u64,
    /// Subscriptions that send email to the account's address.
    #[schema(example = 0)]
    pub subscriptions: u64,
}

/// Which identity to remove.
#[derive(Debug, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct DeleteIdentity {
    /// Issuer URL of the provider.
    #[param(pattern = r"^[^\x00]*$", example = "https://login.example.com")]
    pub issuer: String,
    /// The provider's ID for the person.
    #[param(pattern = r"^[^\x00]*$", example = "248289761001")]
    pub subject: String,
}

/// A page of accounts.
pub type AccountList = Listed<Account>;

impl Item for Account {
    const LIST: &'static str = "AccountList";
    const FIELD: &'static str = "accounts";
    const PAGE: &'static str = "A page of accounts, ordered by email address.";
}

/// Lists the accounts of the instance with their identities, by email address.
pub async fn list(
    operations: &Operations,
    _caller: &Allowed<can::ListAccounts>,
    filter: &ListAccounts,
    page: &Page,
) -> Result<AccountList, OperationError> {
    let page = page.of(("accounts", filter))?;
    let email = filter.email.as_deref().and_then(stored_email);
    let request = page.searched(filter.search.as_ref());
    let read = operations.database.accounts_page(email.as_deref(), request).await?;
    let ids: Vec<_> = read.iter().map(|account| account.id.clone()).collect();
    let identities = operations.database.identities(&ids).await?;
    let position = |account: &database::Account| Position::of_id(&account.email);
    Ok(page.cut(read, position, |account| Account::of(account, &identities)))
}

/// Returns an account with its identities.
pub async fn get(
    operations: &Operations,
    _caller: &Allowed<can::GetAccount>,
    id: &str,
) -> Result<Account, OperationError> {
    find(operations, id).await
}

/// Grants or removes the account's access as an operator. An instance with accounts keeps at least
/// one operator.
pub async fn update(
    operations: &Operations,
    caller: &Allowed<can::UpdateAccount>,
    id: &str,
    input: &UpdateAccount,
) -> Result<Account, OperationError> {
    let UpdateAccount { is_operator } = *input;
    caller.require_every_address()?;
    let before = operations.database.account(id).await?.ok_or_else(no_account)?;
    if before.is_operator != is_operator {
        let change = Change::of("account.update", None)
            .before(json!({ "operator": before.is_operator }))
            .after(json!({ "operator": is_operator }));
        let database = caller.recording(operations, change);
        let changed = database.set_operator(id, is_operator).await.map_err(taken)?;
        changed.then_some(()).ok_or_else(no_account)?;
    }
    find(operations, id).await
}

/// Permanently deletes an account with all that belongs to the person alone.
pub async fn delete(
    operations: &Operations,
    caller: &Allowed<can::DeleteAccount>,
    id: &str,
) -> Result<DeletedAccount, OperationError> {
    let account = operations.database.account(id).await?.ok_or_else(no_account)?;
    let change =
        Change::of("account.delete", None).before(json!({ "operator": account.is_operator }));
    let deleted = delete_account(caller.recording(operations, change), account.id).await;
    Ok(deleted.map_err(taken)?.ok_or_else(no_account)?.into())
}

/// Removes an identity from an account, and ends the account's sessions.
pub async fn delete_identity(
    operations: &Operations,
    caller: &Allowed<can::DeleteIdentity>,
    id: &str,
    identity: &DeleteIdentity,
) -> Result<(), OperationError> {
    let DeleteIdentity { issuer, subject } = identity;
    operations.database.account(id).await?.ok_or_else(no_account)?;
    let change = Change::of("account.identity_remove", None)
        .before(json!({ "issuer": issuer, "subject": subject }));
    let database = caller.recording(operations, change);
    if !database.remove_identity(id, (issuer, subject)).await? {
        return Err(OperationError::NotFound(
            "The account doesn't have this identity. Check `issuer` and `subject`.".to_owned(),
        ));
    }
    Ok(())
}

/// A filter as accounts store their addresses, if it isn't empty. Other text matches no address.
pub(crate) fn stored_email(text: &str) -> Option<String> {
    let written =
        || text.parse().map_or_else(|_| text.to_owned(), |email: Email| email.to_string());
    (!text.is_empty()).then(written)
}

impl Account {
    /// An account with its own identities from a list.
    fn of(account: database::Account, identities: &[database::Identity]) -> Self {
        let own = identities.iter().filter(|identity| identity.account_id == account.id);
        Self {
            identities: own.map(Identity::from).collect(),
            id: account.id,
            email: account.email,
            name: account.name,
            is_operator: account.is_operator,
            created_at: iso(account.created_at),
        }
    }
}

impl From<&database::Identity> for Identity {
    fn from(identity: &database::Identity) -> Self {
        Self {
            issuer: identity.issuer.clone(),
            subject: identity.subject.clone(),
            linked_at: iso(identity.linked_at),
        }
    }
}

impl From<database::DeletedAccount> for DeletedAccount {
    fn from(deleted: database::DeletedAccount) -> Self {
        let database::DeletedAccount { memberships, keys, invitations, subscriptions } = deleted;
        Self { memberships, keys, invitations, subscriptions }
    }
}

async fn find(operations: &Operations, id: &str) -> Result<Account, OperationError> {
    let account = operations.database.account(id).await?.ok_or_else(no_account)?;
    let identities = operations.database.identities(std::slice::from_ref(&account.id)).await?;
    Ok(Account::of(account, &identities))
}

/// The error for an account that doesn't exist.
fn no_account() -> OperationError {
    OperationError::NotFound("Account not found. Check the ID.".to_owned())
}
