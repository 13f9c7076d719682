//! `PATCH /v1/accounts/{accountId}`.

use axum::{Json, extract::State};
use serde::Deserialize;
use serde_json::json;
use utoipa::ToSchema;

use super::{Account, AccountPath, missing};
use crate::{
    api::{body::Body, members::require_every_address},
    audit::Change,
    authorize::Operator,
    error::{ApiError, Error, taken},
    parameters::Path,
    state::AppState,
};

/// A change of an account.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct UpdateAccount {
    /// Whether the account has access to everything in the instance.
    #[schema(example = true)]
    is_operator: bool,
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
        (status = 404, description = "There is no such account", body = Error),
        (status = 409, description = "The account is the only operator", body = Error),
    ),
)]
pub(crate) async fn update(
    State(app): State<AppState>,
    caller: Operator,
    Path(AccountPath { account_id }): Path<AccountPath>,
    body: Result<Body<UpdateAccount>, ApiError>,
) -> Result<Json<Account>, ApiError> {
    let UpdateAccount { is_operator } = body?.value;
    require_every_address(&caller)?;
    let before = app.database.account(&account_id).await?.ok_or_else(missing)?;
    if before.is_operator != is_operator {
        let change = Change::of("account.update", None)
            .before(json!({ "operator": before.is_operator }))
            .after(json!({ "operator": is_operator }));
        let database = caller.recording(&app, change);
        let changed = database.set_operator(&account_id, is_operator).await.map_err(taken)?;
        changed.then_some(()).ok_or_else(missing)?;
    }
    Account::find(&app, &account_id).await.map(Json)
}
