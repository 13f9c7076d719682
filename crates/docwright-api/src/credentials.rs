//! Credentials for git hosts.

use axum::{Json, extract::State};
use docwright_http::{
    error::{ApiError, Error},
    parameters::{Path, Query},
};
use docwright_operations::{
    Allowed, can,
    credentials::{
        self, Credential, CredentialList, DeletedCredential, ListCredentials, SetCredential,
    },
    lists::Page,
};
use serde::Deserialize;
use utoipa::IntoParams;

use super::body::Body;
use crate::state::ApiState;

/// A credential.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Path)]
pub(crate) struct CredentialPath {
    /// ID of the credential.
    #[param(example = "cred_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    credential_id: String,
}

/// List credentials
///
/// Returns a page of credentials, without their secrets. For a key that is limited to projects,
/// only their credentials are returned.
#[utoipa::path(
    get,
    path = "/v1/credentials",
    tag = "Credentials",
    operation_id = "listCredentials",
    params(ListCredentials, Page),
    responses(
        (status = 200, description = "A page of credentials.", body = CredentialList),
        (status = 404, description = "Organization or project not found.", body = Error),
    ),
)]
pub(crate) async fn list(
    State(app): State<ApiState>,
    caller: Allowed<can::ListCredentials>,
    filter: Result<Query<ListCredentials>, ApiError>,
    page: Result<Query<Page>, ApiError>,
) -> Result<Json<CredentialList>, ApiError> {
    Ok(Json(credentials::list(&app, &caller, &filter?.0, &page?.0).await?))
}

/// Delete a credential
///
/// Deletes a credential permanently.
#[utoipa::path(
    delete,
    path = "/v1/credentials/{credentialId}",
    tag = "Credentials",
    operation_id = "deleteCredential",
    params(CredentialPath),
    responses(
        (status = 200, description = "Credential deleted.", body = DeletedCredential),
        (status = 404, description = "Credential not found.", body = Error),
    ),
)]
pub(crate) async fn delete(
    State(app): State<ApiState>,
    caller: Allowed<can::DeleteCredential>,
    Path(CredentialPath { credential_id }): Path<CredentialPath>,
) -> Result<Json<DeletedCredential>, ApiError> {
    Ok(Json(credentials::delete(&app, &caller, &credential_id).await?))
}

/// Store a credential
///
/// Stores a token or password for the git host of a project, or of every project in an organization
/// that has no credential of its own for the host. It replaces an existing credential. No operation
/// returns the secret.
#[utoipa::path(
    put,
    path = "/v1/credentials",
    tag = "Credentials",
    operation_id = "setCredential",
    request_body = SetCredential,
    responses(
        (status = 200, description = "The credential, without its secret.", body = Credential,
            links(("delete" = (operation_id = "deleteCredential", parameters(("credentialId" = "$response.body#/id")))))),
        (status = 404, description = "Project or organization not found.", body = Error),
    ),
)]
pub(crate) async fn set(
    State(app): State<ApiState>,
    caller: Allowed<can::SetCredential>,
    body: Result<Body<SetCredential>, ApiError>,
) -> Result<Json<Credential>, ApiError> {
    Ok(Json(credentials::set(&app, &caller, body?.value).await?))
}
