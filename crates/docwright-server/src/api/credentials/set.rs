//! `PUT /v1/credentials`.

use std::fmt;

use axum::{Json, extract::State};
use docwright_storage::database::CredentialOwner;
use serde::Deserialize;
use utoipa::ToSchema;

use super::{Credential, state};
use crate::{
    api::{body::Body, id::Id, name::Name},
    audit::Change,
    authorize::{Admin, unnamed_organization},
    error::{ApiError, Error},
    state::AppState,
};

/// Longest secret, in characters.
const MAXIMUM_SECRET: usize = 64 * 1024;

/// Credentials to be kept.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct SetCredential {
    /// The git host, with its port if the repository's address names one.
    #[schema(value_type = String, min_length = 1, max_length = 300, pattern = r"^[A-Za-z0-9.:\[\]_-]+$", example = "git.example.com:8443")]
    host: Host,
    /// Identifier of the project that they are for; every project of the organisation if left out.
    project_id: Option<Id>,
    /// Identifier of the organisation; that of the key if left out. Keys of the install name it or a project.
    organization_id: Option<Id>,
    /// The name that goes with them; `x-access-token` if left out. Hosts that take tokens ignore it.
    username: Option<Name>,
    /// The token or password. It is encrypted, and never shown.
    #[schema(value_type = String, min_length = 1, max_length = 65_536, pattern = r"^[!-~]([ -~]*[!-~])?$", example = "ghp-0123456789")]
    secret: Secret,
}

/// A host, perhaps with a port.
#[derive(Debug, Deserialize)]
#[serde(try_from = "String")]
struct Host(String);

/// A token or password.
#[derive(Deserialize)]
#[serde(try_from = "String")]
struct Secret(String);

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
        Err(format!("is not a host: `{shown}`; leave the scheme and the path out"))
    }
}

impl TryFrom<String> for Secret {
    type Error = &'static str;

    // What is wrong is said without the secret.
    fn try_from(secret: String) -> Result<Self, &'static str> {
        let is_text = secret.bytes().all(|byte| matches!(byte, b' '..=b'~'));
        if secret.len() > MAXIMUM_SECRET || !is_text || secret.trim() != secret {
            return Err(
                "must be 65536 printable ASCII characters at most, without blanks around them",
            );
        }
        if secret.is_empty() {
            return Err("is empty; it needs some text");
        }
        Ok(Self(secret))
    }
}

/// Keep credentials
///
/// A token or password that a git host is shown for a project, or for every project of an organisation that
/// has none of its own for the host. It replaces an earlier one. No operation shows it.
#[utoipa::path(
    put,
    path = "/v1/credentials",
    tag = "Credentials",
    operation_id = "setCredential",
    request_body = SetCredential,
    responses(
        (status = 200, description = "The credentials, without the secret", body = Credential,
            links(("delete" = (operation_id = "deleteCredential", parameters(("credentialId" = "$response.body#/id")))))),
        (status = 404, description = "There is no such project or organisation", body = Error),
    ),
)]
pub(crate) async fn set(
    State(app): State<AppState>,
    caller: Admin,
    body: Result<Body<SetCredential>, ApiError>,
) -> Result<Json<Credential>, ApiError> {
    let SetCredential { host: Host(host), project_id, organization_id, username, secret } =
        body?.value;
    let [project_id, organization_id] =
        [project_id, organization_id].map(|id| id.map(|id| id.as_str().to_owned()));
    let organization = match &project_id {
        None => caller.whole_organization(&app, organization_id.as_deref()).await?,
        Some(id) => {
            let owner = caller.project(&app, id).await?.organization_id;
            if organization_id.is_some_and(|asked| asked != owner) {
                return Err(crate::authorize::no_organization().into());
            }
            app.database.organization(&owner).await?
        }
    };
    let organization = organization.ok_or_else(unnamed_organization)?;
    let owner = project_id
        .as_deref()
        .map_or(CredentialOwner::Organization(&organization.id), CredentialOwner::Project);
    let username = username.map_or_else(|| "x-access-token".to_owned(), |name| name.to_string());
    let change = Change::of("credential.set", Some(&organization.id)).after(state(
        &host,
        project_id.as_deref(),
        &username,
    ));
    let database = caller.recording(&app, change);
    let kept = (host.as_str(), username.as_str(), secret.0.as_str());
    let id = database.set_credential(owner, kept, &app.repositories.keyring, app.now()).await?;
    if let Some(project_id) = &project_id {
        // Whether they are taken is seen at once. Those of an organisation wait for the next looks.
        app.database.request_look(project_id, 0).await?;
        app.look_wake.notify_one();
    }
    Ok(Json(Credential {
        id,
        host,
        organization_id: organization.id,
        organization_name: organization.name,
        project_id,
        username,
    }))
}
