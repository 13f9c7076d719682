//! Domains.

use axum::{
    Json,
    extract::State,
    http::{StatusCode, header},
    response::IntoResponse,
};
use docwright_http::{
    error::{ApiError, Error},
    parameters::{Path, Query},
};
use docwright_operations::{
    Allowed, can,
    deletion::Deleted,
    domains::{self, DomainChange, DomainDetails, DomainList, ListDomains, NewDomain},
    fields::SiteDomain,
    lists::Page,
};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Deserialize;
use utoipa::IntoParams;

use super::body::Body;
use crate::state::ApiState;

/// A domain, as a path names it.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct DomainPath {
    /// The domain: its host, and its base path if it has one, percent-encoded.
    #[param(inline)]
    domain: SiteDomain,
}

/// List domains
///
/// The domains of your organization by name, a page at a time. Ask for the next page with the `nextCursor`
/// of the page before.
#[utoipa::path(
    get,
    path = "/v1/domains",
    tag = "Domains",
    operation_id = "listDomains",
    params(ListDomains, Page),
    responses(
        (status = 200, description = "A page of domains", body = DomainList),
        (status = 404, description = "There is no such project or organization", body = Error),
    ),
)]
pub(crate) async fn list(
    State(app): State<ApiState>,
    caller: Allowed<can::ListDomains>,
    filter: Result<Query<ListDomains>, ApiError>,
    page: Result<Query<Page>, ApiError>,
) -> Result<Json<DomainList>, ApiError> {
    Ok(Json(domains::list(&app, &caller, &filter?.0, &page?.0).await?))
}

/// Add a domain
///
/// Gives a host, or a base path on it, to a project. It serves nothing until a TXT record shows that the
/// host is yours, unless your organization has shown that before: set what `records` says, and verify it.
#[utoipa::path(
    post,
    path = "/v1/domains",
    tag = "Domains",
    operation_id = "createDomain",
    request_body = NewDomain,
    responses(
        (status = 201, description = "The domain", body = DomainDetails,
            headers(("Location" = String, description = "Where to read the domain"))),
        (status = 400, description = "The body is malformed, or a field is invalid", body = Error),
        (status = 404, description = "There is no such project", body = Error),
        (status = 409, description = "The domain is there already, or someone else has it", body = Error),
    ),
)]
pub(crate) async fn create(
    State(app): State<ApiState>,
    caller: Allowed<can::CreateDomain>,
    body: Result<Body<NewDomain>, ApiError>,
) -> Result<impl IntoResponse, ApiError> {
    let created = domains::create(&app, &caller, body?.value).await?;
    let path = utf8_percent_encode(&created.domain, NON_ALPHANUMERIC);
    let location = [(header::LOCATION, format!("/v1/domains/{path}"))];
    Ok((StatusCode::CREATED, location, Json(created)))
}

/// Get a domain
///
/// What it serves, whether it is verified, what to set in DNS, and how its certificate stands.
#[utoipa::path(
    get,
    path = "/v1/domains/{domain}",
    tag = "Domains",
    operation_id = "getDomain",
    params(DomainPath),
    responses(
        (status = 200, description = "The domain", body = DomainDetails),
        (status = 400, description = "The domain can't be one", body = Error),
        (status = 404, description = "There is no such domain", body = Error),
    ),
)]
pub(crate) async fn get(
    State(app): State<ApiState>,
    caller: Allowed<can::GetDomain>,
    path: Result<Path<DomainPath>, ApiError>,
) -> Result<Json<DomainDetails>, ApiError> {
    Ok(Json(domains::get(&app, &caller, &path?.0.domain).await?))
}

/// Update a domain
///
/// Lets a domain show another branch. It goes on with its release until the first of that branch is ready.
#[utoipa::path(
    patch,
    path = "/v1/domains/{domain}",
    tag = "Domains",
    operation_id = "updateDomain",
    params(DomainPath),
    request_body = DomainChange,
    responses(
        (status = 200, description = "The domain", body = DomainDetails),
        (status = 400, description = "The body or the domain is malformed", body = Error),
        (status = 404, description = "There is no such domain", body = Error),
        (status = 409, description = "The domain is not verified yet", body = Error),
    ),
)]
pub(crate) async fn update(
    State(app): State<ApiState>,
    caller: Allowed<can::UpdateDomain>,
    path: Result<Path<DomainPath>, ApiError>,
    body: Result<Body<DomainChange>, ApiError>,
) -> Result<Json<DomainDetails>, ApiError> {
    Ok(Json(domains::update(&app, &caller, &path?.0.domain, body?.value).await?))
}

/// Delete a domain
///
/// Deletes a domain with its releases, exports, and feedback.
#[utoipa::path(
    delete,
    path = "/v1/domains/{domain}",
    tag = "Domains",
    operation_id = "deleteDomain",
    params(DomainPath),
    responses(
        (status = 200, description = "What was deleted", body = Deleted),
        (status = 400, description = "The domain can't be one", body = Error),
        (status = 404, description = "There is no such domain", body = Error),
    ),
)]
pub(crate) async fn delete(
    State(app): State<ApiState>,
    caller: Allowed<can::DeleteDomain>,
    path: Result<Path<DomainPath>, ApiError>,
) -> Result<Json<Deleted>, ApiError> {
    Ok(Json(domains::delete(&app, &caller, &path?.0.domain).await?))
}

/// Verify a domain
///
/// Looks for the TXT record of a pending domain now, unless that was done within the last seconds. The
/// answer says in `state` and `problem` what came of it. The record is looked for on its own as well, less
/// and less often for 30 days.
#[utoipa::path(
    post,
    path = "/v1/domains/{domain}/verify",
    tag = "Domains",
    operation_id = "verifyDomain",
    params(DomainPath),
    responses(
        (status = 200, description = "The domain as it is now", body = DomainDetails),
        (status = 400, description = "The domain can't be one", body = Error),
        (status = 404, description = "There is no such domain", body = Error),
    ),
)]
pub(crate) async fn verify(
    State(app): State<ApiState>,
    caller: Allowed<can::VerifyDomain>,
    path: Result<Path<DomainPath>, ApiError>,
) -> Result<Json<DomainDetails>, ApiError> {
    Ok(Json(domains::verify(&app, &caller, &path?.0.domain).await?))
}
