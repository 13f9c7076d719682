//! Accounts of the instance, for operators.

pub(super) mod delete;
pub(super) mod get;
pub(super) mod identity;
pub(super) mod list;
pub(super) mod update;

use docwright_domain::timestamp::iso;
use docwright_storage::database;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::{error::ApiError, state::AppState};

/// An account: a person's sign-in.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Account {
    /// Identifier.
    #[schema(example = "acc_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    id: String,
    /// Email address that the account signs in with.
    #[schema(example = "ada@example.com")]
    email: String,
    /// Name of the person.
    #[schema(example = "Ada Lovelace")]
    name: String,
    /// Whether the account has access to everything in the instance.
    #[schema(example = false)]
    is_operator: bool,
    /// When it was created.
    #[schema(format = DateTime)]
    created_at: String,
    /// Its identities at OpenID Connect providers, the oldest first: one for each issuer.
    identities: Vec<Identity>,
}

/// An identity at an OpenID Connect provider.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Identity {
    /// The provider.
    #[schema(example = "https://login.example.com")]
    issuer: String,
    /// The provider's name for the person.
    #[schema(example = "248289761001")]
    subject: String,
    /// When it was linked to the account.
    #[schema(format = DateTime)]
    linked_at: String,
}

/// An account.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Path)]
pub(crate) struct AccountPath {
    /// Identifier of the account.
    #[param(example = "acc_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    account_id: String,
}

impl Account {
    /// The account of an ID.
    async fn find(app: &AppState, id: &str) -> Result<Self, ApiError> {
        let account = app.database.account(id).await?.ok_or_else(missing)?;
        Self::of(app, vec![account]).await?.pop().ok_or_else(missing)
    }

    /// Accounts with their identities.
    async fn of(app: &AppState, accounts: Vec<database::Account>) -> Result<Vec<Self>, ApiError> {
        let ids: Vec<_> = accounts.iter().map(|account| account.id.clone()).collect();
        let identities = app.database.identities(&ids).await?;
        let of = |account: database::Account| {
            let own = identities.iter().filter(|identity| identity.account_id == account.id);
            Self {
                identities: own.map(Identity::from).collect(),
                id: account.id,
                email: account.email,
                name: account.name,
                is_operator: account.is_operator,
                created_at: iso(account.created_at),
            }
        };
        Ok(accounts.into_iter().map(of).collect())
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

fn missing() -> ApiError {
    ApiError::NotFound("Account not found. Check the ID.".to_owned())
}
