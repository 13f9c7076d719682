//! Keys of the API.

pub(super) mod create;
pub(super) mod get;
pub(super) mod list;
pub(super) mod revoke;
pub(super) mod update;

use docwright_domain::{
    key::{ApiKey, parse_allowlist},
    timestamp::iso,
};
use docwright_storage::database::Organization;
use ipnet::IpNet;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::{IntoParams, ToSchema};

use crate::{authorize::Caller, error::ApiError, state::AppState};

/// A key of the API, without its secret.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Key {
    /// Public id of the key: what stands between the underscores of `dw_…_…`.
    #[schema(example = "0123456789abcdef")]
    id: String,
    /// What it is for.
    #[schema(example = "ci")]
    name: String,
    /// The organisation that it belongs to; null for a key of the install.
    #[schema(example = "org_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    organization_id: Option<String>,
    /// The name of the organisation.
    #[schema(example = "Acme")]
    organization_name: Option<String>,
    /// What it may do.
    scope: Scope,
    /// The only projects that it reaches; empty for all.
    #[schema(example = json!([]))]
    projects: Vec<String>,
    /// Addresses and networks it may be used from; empty for all.
    #[schema(example = json!(["192.0.2.0/24"]))]
    allow: Vec<String>,
    /// When it was made.
    #[schema(format = DateTime)]
    created_at: String,
    /// When it ends.
    #[schema(format = DateTime)]
    expires_at: Option<String>,
    /// When it was used last, to the minute.
    #[schema(format = DateTime)]
    last_used_at: Option<String>,
    /// When it was revoked.
    #[schema(format = DateTime, example = json!(null))]
    revoked_at: Option<String>,
}

/// What a key may do. Each scope includes those before it.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(example = "write")]
pub(crate) enum Scope {
    /// Reading.
    Read,
    /// Starting work: agent jobs, updates, exports, pushes, which release is served.
    Write,
    /// What an organisation has: its keys, domains, credentials, settings of projects, deletion.
    Admin,
    /// The install: every organisation, their plans, and keys of this scope.
    Operator,
}

/// A key.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Path)]
pub(crate) struct KeyPath {
    /// Public id of the key: what stands between the underscores of `dw_…_…`.
    #[param(example = "0123456789abcdef")]
    key_id: String,
}

/// An address or a network.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(try_from = "String")]
struct Network(IpNet);

impl TryFrom<String> for Network {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let wrong = |why: String| format!("names what is no network: {why}");
        let mut networks = parse_allowlist(&text).map_err(wrong)?;
        match (networks.pop(), networks.is_empty()) {
            (Some(network), true) => Ok(Self(network)),
            _ => Err("must be one address or network, such as 10.0.0.0/8".to_owned()),
        }
    }
}

impl Key {
    fn of(key: ApiKey, organization: Option<Organization>) -> Self {
        Self {
            id: key.id,
            name: key.name,
            organization_id: key.organization_id,
            organization_name: organization.map(|organization| organization.name),
            scope: key.scope.into(),
            projects: key.projects,
            allow: key.allowlist.iter().map(ToString::to_string).collect(),
            created_at: iso(key.created_at),
            expires_at: key.expires_at.map(iso),
            last_used_at: key.last_used_at.map(iso),
            revoked_at: key.revoked_at.map(iso),
        }
    }
}

impl From<docwright_domain::key::Scope> for Scope {
    fn from(scope: docwright_domain::key::Scope) -> Self {
        match scope {
            docwright_domain::key::Scope::Read => Self::Read,
            docwright_domain::key::Scope::Write => Self::Write,
            docwright_domain::key::Scope::Admin => Self::Admin,
            docwright_domain::key::Scope::Operator => Self::Operator,
        }
    }
}

impl From<Scope> for docwright_domain::key::Scope {
    fn from(scope: Scope) -> Self {
        match scope {
            Scope::Read => Self::Read,
            Scope::Write => Self::Write,
            Scope::Admin => Self::Admin,
            Scope::Operator => Self::Operator,
        }
    }
}

/// A key that the caller reaches: one of their organisation, or for keys of the install any.
async fn find(
    app: &AppState,
    caller: &Caller,
    id: &str,
) -> Result<(ApiKey, Option<Organization>), ApiError> {
    let own = caller.whole_organization(app, None).await?;
    let found = app.database.key(id).await?;
    let found = found.filter(|(key, _)| {
        own.as_ref().is_none_or(|own| key.organization_id.as_deref() == Some(own.id.as_str()))
    });
    found.ok_or_else(|| missing(id))
}

fn missing(id: &str) -> ApiError {
    ApiError::NotFound(format!(
        "There is no key {id} that is not revoked; see `docwright admin key list`."
    ))
}

/// What the audit log says of a key.
fn state(key: &ApiKey) -> Value {
    let allow: Vec<_> = key.allowlist.iter().map(ToString::to_string).collect();
    json!({
        "name": key.name,
        "scope": key.scope.name(),
        "projects": key.projects,
        "allow": allow,
        "expiresAt": key.expires_at.map(iso),
    })
}
