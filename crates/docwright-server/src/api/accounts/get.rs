//! `GET /v1/accounts/{accountId}`.

use axum::{Json, extract::State};

use super::{Account, AccountPath};
use crate::{
    authorize::Operator,
    error::{ApiError, Error},
    parameters::Path,
    state::AppState,
};

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
        (status = 404, description = "There is no such account", body = Error),
    ),
)]
pub(crate) async fn get(
    State(app): State<AppState>,
    _: Operator,
    Path(AccountPath { account_id }): Path<AccountPath>,
) -> Result<Json<Account>, ApiError> {
    Account::find(&app, &account_id).await.map(Json)
}
