//! Credentials: what git hosts are shown.

pub(super) mod delete;
pub(super) mod list;
pub(super) mod set;

use docwright_storage::database;
use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

/// A name and a token or password for a git host, without the latter.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Credential {
    /// Identifier of the credentials.
    #[schema(example = "cred_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    id: String,
    /// The git host that is shown them.
    #[schema(example = "git.example.com")]
    host: String,
    /// The organisation that they belong to.
    #[schema(example = "org_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    organization_id: String,
    /// The name of the organisation.
    #[schema(example = "Acme")]
    organization_name: String,
    /// The project that they are for; null for all of the organisation.
    #[schema(example = "prj_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    project_id: Option<String>,
    /// The name.
    #[schema(example = "x-access-token")]
    username: String,
}

impl Credential {
    fn of(credential: database::Credential, organization_name: String) -> Self {
        let database::Credential { id, organization_id, project_id, host, username } = credential;
        Self { id, host, organization_id, organization_name, project_id, username }
    }
}

/// What the audit log says of credentials.
fn state(host: &str, project_id: Option<&str>, username: &str) -> Value {
    json!({ "host": host, "projectId": project_id, "username": username })
}
