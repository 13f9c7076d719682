//! Accounts of the instance, for operators.

use axum::{Json, extract::State, http::StatusCode};
use docwright_http::{
    error::{ApiError, Error},
    parameters::{Path, Query},
};
use docwright_operations::{
    Allowed,
    accounts::{
        self, Account, AccountList, DeleteIdentity, DeletedAccount, ListAccounts, UpdateAccount,
    },
    can,
    lists::Page,
};
use serde::Deserialize;
use utoipa::IntoParams;

use super::body::Body;
use crate::state::ApiState;

/// An account.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Path)]
pub(crate) struct AccountPath {
    /// ID of the account.
    #[param(example = "acc_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    account_id: String,
}

/// List accounts
///
/// The accounts of the instance with their identities, in the order of their email addresses, a page at a time.
#[utoipa::path(
    get,
    path = "/v1/accounts",
    tag = "Accounts",
    operation_id = "listAccounts",
    params(ListAccounts, Page),
    responses((status = 200, description = "A page of accounts", body = AccountList)),
)]
pub(crate) async fn list(
    State(app): State<ApiState>,
    caller: Allowed<can::ListAccounts>,
    filter: Result<Query<ListAccounts>, ApiError>,
    page: Result<Query<Page>, ApiError>,
) -> Result<Json<AccountList>, ApiError> {
    Ok(Json(accounts::list(&app, &caller, &filter?.0, &page?.0).await?))
}

/// Get an account
///
/// The account with its identities.
#[utoipa::path(
    get,
    path = "/v1/accounts/{accountId}",
    tag = "Accounts",
    operation_id = "getAccount",
    params(AccountPath),
    responses(
        (status = 200, description = "The account", body = Account),
        (status = 404, description = "Account not found", body = Error),
    ),
)]
pub(crate) async fn get(
    State(app): State<ApiState>,
    caller: Allowed<can::GetAccount>,
    Path(AccountPath { account_id }): Path<AccountPath>,
) -> Result<Json<Account>, ApiError> {
    Ok(Json(accounts::get(&app, &caller, &account_id).await?))
}

/// Update an account
///
/// Makes an account an operator, or ends that. An instance with accounts keeps at least one operator.
#[utoipa::path(
    patch,
    path = "/v1/accounts/{accountId}",
    tag = "Accounts",
    operation_id = "updateAccount",
    params(AccountPath),
    request_body = UpdateAccount,
    responses(
        (status = 200, description = "The account as it is now", body = Account),
        (status = 404, description = "Account not found", body = Error),
        (status = 409, description = "The account is the only operator", body = Error),
    ),
)]
pub(crate) async fn update(
    State(app): State<ApiState>,
    caller: Allowed<can::UpdateAccount>,
    Path(AccountPath { account_id }): Path<AccountPath>,
    body: Result<Body<UpdateAccount>, ApiError>,
) -> Result<Json<Account>, ApiError> {
    Ok(Json(accounts::update(&app, &caller, &account_id, &body?.value).await?))
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
        (status = 404, description = "Account not found", body = Error),
        (status = 409, description = "The account is the only admin of an organization, or the only operator", body = Error),
    ),
)]
pub(crate) async fn delete(
    State(app): State<ApiState>,
    caller: Allowed<can::DeleteAccount>,
    Path(AccountPath { account_id }): Path<AccountPath>,
) -> Result<Json<DeletedAccount>, ApiError> {
    Ok(Json(accounts::delete(&app, &caller, &account_id).await?))
}

/// Remove an identity
///
/// The person with this identity can't sign in to the account any more, and every browser is signed out of it. An
/// account without an identity of the provider is linked again when someone with its verified address signs in.
#[utoipa::path(
    delete,
    path = "/v1/accounts/{accountId}/identities",
    tag = "Accounts",
    operation_id = "deleteIdentity",
    params(AccountPath, DeleteIdentity),
    responses(
        (status = 204, description = "The identity is removed"),
        (status = 404, description = "Account or identity not found", body = Error),
    ),
)]
pub(crate) async fn delete_identity(
    State(app): State<ApiState>,
    caller: Allowed<can::DeleteIdentity>,
    Path(AccountPath { account_id }): Path<AccountPath>,
    identity: Result<Query<DeleteIdentity>, ApiError>,
) -> Result<StatusCode, ApiError> {
    accounts::delete_identity(&app, &caller, &account_id, &identity?.0).await?;
    Ok(StatusCode::NO_CONTENT)
}
