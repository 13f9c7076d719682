//! Credentials: stored tokens and passwords for git hosts.

use std::fmt;

use docwright_repository::git::TOKEN_USERNAME;
use docwright_storage::database::{self, CredentialOwner, Position};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::{IntoParams, ToSchema};

use crate::{
    Allowed, Listed, OperationError, Operations,
    audit::Change,
    callers::{no_organization, unnamed_organization},
    can,
    fields::{Id, Name},
    listed::Item,
    lists::Page,
};

/// Longest secret, in characters.
const MAXIMUM_SECRET: usize = 64 * 1024;

/// A username and secret for a git host, without the secret.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Credential {
    /// ID of the credential.
    #[schema(example = "cred_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    pub id: String,
    /// Hostname of the git host.
    #[schema(example = "git.example.com")]
    pub host: String,
    /// ID of the organization.
    #[schema(example = "org_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    pub organization_id: String,
    /// Name of the organization.
    #[schema(example = "Acme")]
    pub organization_name: String,
    /// ID of the project; null for the whole organization.
    #[schema(example = "prj_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    pub project_id: Option<String>,
    /// Username for the git host.
    #[schema(example = "x-access-token")]
    pub username: String,
}

/// Which credentials to list.
#[derive(Debug, Default, Deserialize, Serialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct ListCredentials {
    /// Return only credentials of this organization and its projects. Without it, operator keys see
    /// all.
    #[param(value_type = String, required = false, pattern = r"^[^\x00]*$", example = "org_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    pub organization_id: Option<String>,
    /// Return only credentials of this project.
    #[param(value_type = String, required = false, pattern = r"^[^\x00]*$", example = "prj_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    pub project_id: Option<String>,
}

/// A credential to store.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct SetCredential {
    /// Hostname of the git host. Add the port if the repository's URL has one.
    #[schema(value_type = String, min_length = 1, max_length = 300, pattern = r"^[A-Za-z0-9.:\[\]_-]+$", example = "git.example.com:8443")]
    pub host: Host,
    /// ID of the project. If omitted, the credential applies to every project in the organization.
    pub project_id: Option<Id>,
    /// ID of the organization. Defaults to the key's organization. Operator keys must send it or a
    /// project.
    pub organization_id: Option<Id>,
    /// Username for the git host; `x-access-token` if omitted. Hosts that use tokens ignore it.
    pub username: Option<Name>,
    /// Token or password. It is encrypted and never shown.
    #[schema(value_type = String, min_length = 1, max_length = 65_536, pattern = r"^[!-~]([ -~]*[!-~])?$", example = "ghp-0123456789")]
    pub secret: Secret,
}

/// A deleted credential.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct DeletedCredential {
    /// ID of the credential.
    #[schema(example = "cred_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    pub id: String,
    /// Always true.
    #[schema(example = true)]
    pub deleted: bool,
}

/// A git host, with or without a port.
#[derive(Debug, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub struct Host(String);

/// A token or password.
#[derive(Serialize, Deserialize)]
#[serde(try_from = "String")]
pub struct Secret(String);

impl Secret {
    /// The token or password itself.
    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Secret(…)")
    }
}

impl TryFrom<String> for Host {
    type Error = String;

    fn try_from(host: String) -> Result<Self, String> {
        let is_part = |letter: u8| letter.is_ascii_alphanumeric() || b".:[]_-".contains(&letter);
        if (1..=300).contains(&host.len()) && host.bytes().all(is_part) {
            return Ok(Self(host.to_ascii_lowercase()));
        }
        let shown: String = host.chars().take(100).collect();
        Err(format!("isn't a host: `{shown}`; leave out the scheme and the path"))
    }
}

impl TryFrom<String> for Secret {
    type Error = &'static str;

    // The errors don't repeat the secret.
    fn try_from(secret: String) -> Result<Self, &'static str> {
        let is_text = secret.bytes().all(|byte| matches!(byte, b' '..=b'~'));
        if secret.len() > MAXIMUM_SECRET || !is_text || secret.trim() != secret {
            return Err(
                "must have at most 65536 printable ASCII characters, without surrounding spaces",
            );
        }
        if secret.is_empty() {
            return Err("is empty; enter some text");
        }
        Ok(Self(secret))
    }
}

/// A page of credentials.
pub type CredentialList = Listed<Credential>;

impl Item for Credential {
    const LIST: &'static str = "CredentialList";
    const FIELD: &'static str = "credentials";
    const PAGE: &'static str = "A page of credentials, oldest first.";
}

/// Lists credentials without their secrets, oldest first.
pub async fn list(
    operations: &Operations,
    caller: &Allowed<can::ListCredentials>,
    filter: &ListCredentials,
    page: &Page,
) -> Result<CredentialList, OperationError> {
    let page = page.of(("credentials", filter))?;
    let organization = caller.organization(operations, filter.organization_id.as_deref()).await?;
    let organization = organization.as_ref().map(|organization| organization.id.as_str());
    let only = match &filter.project_id {
        Some(id) => vec![caller.project(operations, id).await?.id],
        None => caller.only_projects().to_vec(),
    };
    let (after, limit) = page.by_id();
    let database = &operations.database;
    let read = database.credentials_page(organization, &only, after, limit).await?;
    let position = |(row, _): &(database::Credential, _)| Position::of_id(&row.id);
    Ok(page.cut(read, position, |(row, owner)| Credential::of(row, owner)))
}

/// Stores a credential for a project, or for every project of an organization without its own for the host. It
/// replaces an earlier one.
pub async fn set(
    operations: &Operations,
    caller: &Allowed<can::SetCredential>,
    input: SetCredential,
) -> Result<Credential, OperationError> {
    let SetCredential { host: Host(host), project_id, organization_id, username, secret } = input;
    let [project_id, organization_id] =
        [project_id, organization_id].map(|id| id.map(|id| id.as_str().to_owned()));
    let organization = match &project_id {
        None => caller.whole_organization(operations, organization_id.as_deref()).await?,
        Some(id) => {
            let owner = caller.project(operations, id).await?.organization_id;
            if organization_id.is_some_and(|named| named != owner) {
                return Err(no_organization());
            }
            operations.database.organization(&owner).await?
        }
    };
    let organization = organization.ok_or_else(unnamed_organization)?;
    let owner = project_id
        .as_deref()
        .map_or(CredentialOwner::Organization(&organization.id), CredentialOwner::Project);
    let username = username.map_or_else(|| TOKEN_USERNAME.to_owned(), |name| name.to_string());
    let after = state(&host, project_id.as_deref(), &username);
    let change = Change::of("credential.set", Some(&organization.id)).after(after);
    let database = caller.recording(operations, change);
    let stored = (host.as_str(), username.as_str(), secret.0.as_str());
    let keyring = &operations.repositories.keyring;
    let id = database.set_credential(owner, stored, keyring, operations.now()).await?;
    // Polls immediately, which tests the credential.
    match &project_id {
        Some(id) => operations.database.request_poll(id, 0).await?,
        None => operations.database.request_failing_polls(&organization.id).await?,
    }
    operations.wakes.polls.notify_one();
    Ok(Credential {
        id,
        host,
        organization_id: organization.id,
        organization_name: organization.name,
        project_id,
        username,
    })
}

/// Deletes a credential.
pub async fn delete(
    operations: &Operations,
    caller: &Allowed<can::DeleteCredential>,
    id: &str,
) -> Result<DeletedCredential, OperationError> {
    let no_credential = || OperationError::NotFound(format!("Credential {id} not found."));
    let found = operations.database.credential(id).await?;
    // Credentials of an organization belong to all of its projects.
    let own = found.filter(|own| {
        caller.reaches(&own.organization_id, own.project_id.as_deref().unwrap_or_default())
    });
    let own = own.ok_or_else(no_credential)?;
    let before = state(&own.host, own.project_id.as_deref(), &own.username);
    let change = Change::of("credential.delete", Some(&own.organization_id)).before(before);
    if !caller.recording(operations, change).remove_credential(id).await? {
        return Err(no_credential());
    }
    Ok(DeletedCredential { id: own.id, deleted: true })
}

impl Credential {
    fn of(row: database::Credential, organization_name: String) -> Self {
        let database::Credential { id, organization_id, project_id, host, username } = row;
        Self { id, host, organization_id, organization_name, project_id, username }
    }
}

/// The state of a credential in the audit log.
fn state(host: &str, project_id: Option<&str>, username: &str) -> Value {
    json!({ "host": host, "projectId": project_id, "username": username })
}
