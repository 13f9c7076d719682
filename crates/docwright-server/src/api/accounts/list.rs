//! `GET /v1/accounts`.

use axum::{Json, extract::State};
use docwright_domain::account::Email;
use docwright_storage::database::Position;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::Account;
use crate::{
    api::paging::{Page, Search},
    authorize::Operator,
    error::ApiError,
    parameters::Query,
    state::AppState,
};

/// Which accounts to list.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub(crate) struct AccountFilter {
    /// Only the account with this address.
    #[param(value_type = String, required = false, pattern = r"^[^\x00]*$", example = "ada@example.com")]
    email: Option<String>,
    /// Only accounts whose address starts with this text; the case of ASCII letters doesn't matter.
    #[param(value_type = String, required = false, max_length = 200, pattern = r"^[^\x00]*$", example = "ada@")]
    search: Option<Search>,
}

/// A page of accounts, by email address.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AccountList {
    /// The accounts.
    accounts: Vec<Account>,
    /// What to ask for the next page with; null on the last one.
    next_cursor: Option<String>,
}

/// List accounts
///
/// The accounts of the instance with their identities, in the order of their email addresses, a page at a time.
#[utoipa::path(
    get,
    path = "/v1/accounts",
    tag = "Accounts",
    operation_id = "listAccounts",
    params(AccountFilter, Page),
    responses((status = 200, description = "A page of accounts", body = AccountList)),
)]
pub(crate) async fn list(
    State(app): State<AppState>,
    _: Operator,
    filter: Result<Query<AccountFilter>, ApiError>,
    page: Result<Page, ApiError>,
) -> Result<Json<AccountList>, ApiError> {
    let (Query(filter), page) = (filter?, page?);
    let email = filter.email.filter(|email| !email.is_empty());
    // Accounts have addresses as `Email` writes them; another text is no one's address.
    let email = email.map(|email| email.parse().map_or(email, |email: Email| email.to_string()));
    let wanted = page.searched(filter.search.as_ref());
    let read = app.database.accounts_page(email.as_deref(), wanted).await?;
    let (read, next_cursor) = page.cut(read, |account| Position::of_id(&account.email));
    Ok(Json(AccountList { accounts: Account::of(&app, read).await?, next_cursor }))
}
