//! `GET /v1/credentials`.

use axum::{Json, extract::State};
use docwright_storage::database::Position;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::Credential;
use crate::{
    api::paging::Page,
    authorize::Admin,
    error::{ApiError, Error},
    parameters::Query,
    state::AppState,
};

/// Which credentials to list.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub(crate) struct CredentialFilter {
    /// Only those of this organisation and its projects. Keys of the install see all without it.
    #[param(value_type = String, required = false, pattern = r"^[^\x00]*$", example = "org_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    organization_id: Option<String>,
    /// Only those of this project.
    #[param(value_type = String, required = false, pattern = r"^[^\x00]*$", example = "prj_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    project_id: Option<String>,
}

/// A page of credentials, oldest first.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CredentialList {
    /// The credentials.
    credentials: Vec<Credential>,
    /// What to ask for the next page with; null on the last one.
    next_cursor: Option<String>,
}

/// List credentials
///
/// Without their secrets. A key that is limited to projects sees those of its projects.
#[utoipa::path(
    get,
    path = "/v1/credentials",
    tag = "Credentials",
    operation_id = "listCredentials",
    params(CredentialFilter, Page),
    responses(
        (status = 200, description = "A page of credentials", body = CredentialList),
        (status = 404, description = "There is no such organisation or project", body = Error),
    ),
)]
pub(crate) async fn list(
    State(app): State<AppState>,
    caller: Admin,
    filter: Result<Query<CredentialFilter>, ApiError>,
    page: Result<Page, ApiError>,
) -> Result<Json<CredentialList>, ApiError> {
    let (Query(CredentialFilter { organization_id, project_id }), page) = (filter?, page?);
    let organization = caller.organization(&app, organization_id.as_deref()).await?;
    let organization = organization.as_ref().map(|organization| organization.id.as_str());
    let only = match project_id {
        Some(id) => vec![caller.project(&app, &id).await?.id],
        None => caller.only_projects().to_vec(),
    };
    let (after, limit) = page.by_id();
    let read = app.database.credentials_page(organization, &only, after, limit).await?;
    let (read, next_cursor) = page.cut(read, |(credential, _)| Position::of_id(&credential.id));
    let credentials = read.into_iter().map(|(each, owner)| Credential::of(each, owner)).collect();
    Ok(Json(CredentialList { credentials, next_cursor }))
}
