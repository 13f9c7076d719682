//! `DELETE /v1/accounts/{accountId}/identities`.

use axum::{extract::State, http::StatusCode};
use serde::Deserialize;
use serde_json::json;
use utoipa::IntoParams;

use super::{AccountPath, missing};
use crate::{
    audit::Change,
    authorize::Operator,
    error::{ApiError, Error},
    parameters::{Path, Query},
    state::AppState,
};

/// Which identity to remove.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct IdentityFilter {
    /// The provider.
    #[param(pattern = r"^[^\x00]*$", example = "https://login.example.com")]
    issuer: String,
    /// The provider's name for the person.
    #[param(pattern = r"^[^\x00]*$", example = "248289761001")]
    subject: String,
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
    params(AccountPath, IdentityFilter),
    responses(
        (status = 204, description = "The identity is removed"),
        (status = 404, description = "There is no such account, or it has no such identity", body = Error),
    ),
)]
pub(crate) async fn delete(
    State(app): State<AppState>,
    caller: Operator,
    Path(AccountPath { account_id }): Path<AccountPath>,
    filter: Result<Query<IdentityFilter>, ApiError>,
) -> Result<StatusCode, ApiError> {
    let Query(IdentityFilter { issuer, subject }) = filter?;
    app.database.account(&account_id).await?.ok_or_else(missing)?;
    let change = Change::of("account.identity_remove", None)
        .before(json!({ "issuer": issuer, "subject": subject }));
    let database = caller.recording(&app, change);
    if !database.remove_identity(&account_id, (&issuer, &subject)).await? {
        return Err(ApiError::NotFound(
            "The account doesn't have this identity. Check `issuer` and `subject`.".to_owned(),
        ));
    }
    Ok(StatusCode::NO_CONTENT)
}
