//! `DELETE /v1/credentials/{credentialId}`.

use axum::{Json, extract::State};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::state;
use crate::{
    audit::Change,
    authorize::Admin,
    error::{ApiError, Error},
    parameters::Path,
    state::AppState,
};

/// Credentials.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Path)]
pub(crate) struct CredentialPath {
    /// Identifier of the credentials.
    #[param(example = "cred_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    credential_id: String,
}

/// Credentials that are no more.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct DeletedCredential {
    /// Identifier of the credentials.
    #[schema(example = "cred_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    id: String,
    /// That they were deleted.
    #[schema(example = true)]
    deleted: bool,
}

/// Delete credentials
#[utoipa::path(
    delete,
    path = "/v1/credentials/{credentialId}",
    tag = "Credentials",
    operation_id = "deleteCredential",
    params(CredentialPath),
    responses(
        (status = 200, description = "They are deleted", body = DeletedCredential),
        (status = 404, description = "There are no such credentials", body = Error),
    ),
)]
pub(crate) async fn delete(
    State(app): State<AppState>,
    caller: Admin,
    Path(CredentialPath { credential_id: id }): Path<CredentialPath>,
) -> Result<Json<DeletedCredential>, ApiError> {
    let missing = || {
        let sentence = format!("Credential {id} not found.");
        ApiError::NotFound(sentence)
    };
    let found = app.database.credential(&id).await?;
    // Those of an organisation are of all of its projects.
    let own = found.filter(|own| {
        caller.reaches(&own.organization_id, own.project_id.as_deref().unwrap_or_default())
    });
    let own = own.ok_or_else(missing)?;
    let change = Change::of("credential.delete", Some(&own.organization_id)).before(state(
        &own.host,
        own.project_id.as_deref(),
        &own.username,
    ));
    if !caller.recording(&app, change).remove_credential(&id).await? {
        return Err(missing());
    }
    Ok(Json(DeletedCredential { id, deleted: true }))
}
