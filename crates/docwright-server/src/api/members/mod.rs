//! Members of organisations: people who sign in to the dashboard.

pub(super) mod delete;
pub(super) mod get;
pub(super) mod list;
pub(super) mod update;

use docwright_domain::{account, timestamp::iso};
use docwright_storage::database;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::{IntoParams, ToSchema};

use crate::{
    authorize::{Caller, no_organization},
    error::ApiError,
    state::AppState,
};

/// What a member may do. Each role includes those before it.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(example = "editor")]
pub(crate) enum Role {
    /// Looking.
    Viewer,
    /// Starting work: prompts, updates, exports, which release is served.
    Editor,
    /// What an organisation has: members, keys, domains, credentials, settings, deletion.
    Admin,
}

/// Somebody who belongs to an organisation.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Member {
    /// Identifier of the account.
    #[schema(example = "acc_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    account_id: String,
    /// What they are called.
    #[schema(example = "Ada Lovelace")]
    name: String,
    /// The address that they sign in with.
    #[schema(example = "ada@example.com")]
    email: String,
    /// What they may do.
    role: Role,
    /// Since when they belong to it.
    #[schema(format = DateTime)]
    joined_at: String,
}

/// A member of an organisation.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Path)]
pub(crate) struct MemberPath {
    /// Identifier of the organisation.
    #[param(example = "org_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    organization_id: String,
    /// Identifier of the account.
    #[param(example = "acc_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    account_id: String,
}

impl From<database::Member> for Member {
    fn from(member: database::Member) -> Self {
        Self {
            account_id: member.account.id,
            name: member.account.name,
            email: member.account.email,
            role: member.role.into(),
            joined_at: iso(member.since),
        }
    }
}

impl From<account::Role> for Role {
    fn from(role: account::Role) -> Self {
        match role {
            account::Role::Viewer => Self::Viewer,
            account::Role::Editor => Self::Editor,
            account::Role::Admin => Self::Admin,
        }
    }
}

impl From<Role> for account::Role {
    fn from(role: Role) -> Self {
        match role {
            Role::Viewer => Self::Viewer,
            Role::Editor => Self::Editor,
            Role::Admin => Self::Admin,
        }
    }
}

/// An organisation that the caller reaches as a whole, since people belong to all of it.
pub(super) async fn organization(
    app: &AppState,
    caller: &Caller,
    id: &str,
) -> Result<database::Organization, ApiError> {
    Ok(caller.whole_organization(app, Some(id)).await?.ok_or_else(no_organization)?)
}

/// Fails for a key that is good at some addresses only: a member signs in from everywhere, and so may more
/// than the key.
pub(super) fn require_every_address(caller: &Caller) -> Result<(), ApiError> {
    if caller.allowlist().is_empty() {
        return Ok(());
    }
    Err(ApiError::Forbidden(
        "This key may be used from some addresses only, and members may sign in from all; use a key without that limit."
            .to_owned(),
    ))
}

/// A member of an organisation that the caller reaches.
async fn find(
    app: &AppState,
    caller: &Caller,
    MemberPath { organization_id, account_id }: &MemberPath,
) -> Result<database::Member, ApiError> {
    let organization = organization(app, caller, organization_id).await?;
    app.database.member(&organization.id, account_id).await?.ok_or_else(missing)
}

fn missing() -> ApiError {
    ApiError::NotFound("The organisation has no such member.".to_owned())
}

/// What the audit log says of a member.
fn state(email: &str, role: account::Role) -> Value {
    json!({ "email": email, "role": role.name() })
}
