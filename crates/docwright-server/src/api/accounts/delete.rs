//! `DELETE /v1/accounts/{accountId}`.

use axum::{Json, extract::State};
use docwright_flows::deletion::delete_account;
use docwright_storage::database;
use serde::Serialize;
use serde_json::json;
use utoipa::ToSchema;

use super::{AccountPath, missing};
use crate::{
    audit::Change,
    authorize::Operator,
    error::{ApiError, Error, taken},
    parameters::Path,
    state::AppState,
};

/// Numbers of what was deleted with an account.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct DeletedAccount {
    /// Memberships of organizations.
    #[schema(example = 1)]
    memberships: u64,
    /// API keys that the account created, also with another of these keys.
    #[schema(example = 2)]
    keys: u64,
    /// Invitations to its address.
    #[schema(example = 0)]
    invitations: u64,
    /// Subscriptions that send email to its address.
    #[schema(example = 0)]
    subscriptions: u64,
}

impl From<database::DeletedAccount> for DeletedAccount {
    fn from(deleted: database::DeletedAccount) -> Self {
        let database::DeletedAccount { memberships, keys, invitations, subscriptions } = deleted;
        Self { memberships, keys, invitations, subscriptions }
    }
}

/// Delete an account
///
/// Permanently deletes an account. Its sessions and links end immediately. Its memberships, identities, passkeys,
/// and second factors are deleted, and so are the API keys that it created, invitations to its address, and
/// subscriptions that send email there. Releases, jobs, and the audit log stay. The audit log then names it
/// `deleted account`, with its ID. The only admin of an organization and the only operator can't be deleted.
#[utoipa::path(
    delete,
    path = "/v1/accounts/{accountId}",
    tag = "Accounts",
    operation_id = "deleteAccount",
    params(AccountPath),
    responses(
        (status = 200, description = "Numbers of what was deleted", body = DeletedAccount),
        (status = 404, description = "There is no such account", body = Error),
        (status = 409, description = "The account is the only admin of an organization, or the only operator", body = Error),
    ),
)]
pub(crate) async fn delete(
    State(app): State<AppState>,
    caller: Operator,
    Path(AccountPath { account_id }): Path<AccountPath>,
) -> Result<Json<DeletedAccount>, ApiError> {
    let account = app.database.account(&account_id).await?.ok_or_else(missing)?;
    let change =
        Change::of("account.delete", None).before(json!({ "operator": account.is_operator }));
    let deleted = delete_account(caller.recording(&app, change), account_id).await;
    Ok(Json(deleted.map_err(taken)?.ok_or_else(missing)?.into()))
}
