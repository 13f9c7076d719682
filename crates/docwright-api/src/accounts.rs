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
/// Returns a page of the instance's accounts with their identities, ordered by email address.
#[utoipa::path(
    get,
    path = "/v1/accounts",
    tag = "Accounts",
    operation_id = "listAccounts",
    params(ListAccounts, Page),
    responses((status = 200, description = "A page of accounts.", body = AccountList)),
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
/// Returns an account with its identities.
#[utoipa::path(
    get,
    path = "/v1/accounts/{accountId}",
    tag = "Accounts",
    operation_id = "getAccount",
    params(AccountPath),
    responses(
        (status = 200, description = "The account.", body = Account),
        (status = 404, description = "Account not found.", body = Error),
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
/// Grants or removes the account's access as an operator. An instance with accounts keeps at least
/// one operator.
#[utoipa::path(
    patch,
    path = "/v1/accounts/{accountId}",
    tag = "Accounts",
    operation_id = "updateAccount",
    params(AccountPath),
    request_body = UpdateAccount,
    responses(
        (status = 200, description = "The updated account.", body = Account),
        (status = 404, description = "Account not found.", body = Error),
        (status = 409, description = "The account is the only operator.", body = Error),
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
/// Permanently deletes an account. Its sessions and links stop working immediately. docwright also
/// deletes its memberships, identities, passkeys, and second factors, the API keys that it created,
/// invitations to its email address, and subscriptions that send email to it. Releases, jobs, and
/// the audit log are kept. The audit log then shows the account as `deleted account`, with its ID.
/// You can't delete the only admin of an organization or the only operator.
#[utoipa::path(
    delete,
    path = "/v1/accounts/{accountId}",
    tag = "Accounts",
    operation_id = "deleteAccount",
    params(AccountPath),
    responses(
        (status = 200, description = "Counts of deleted objects.", body = DeletedAccount),
        (status = 404, description = "Account not found.", body = Error),
        (status = 409, description = "The account is the only admin of an organization, or the only operator.", body = Error),
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
/// Removes an identity from an account and ends the account's sessions. The person can no longer
/// sign in with this identity. An account without an identity at the provider is linked again when
/// someone with its verified email address signs in.
#[utoipa::path(
    delete,
    path = "/v1/accounts/{accountId}/identities",
    tag = "Accounts",
    operation_id = "deleteIdentity",
    params(AccountPath, DeleteIdentity),
    responses(
        (status = 204, description = "Identity removed."),
        (status = 404, description = "Account or identity not found.", body = Error),
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
