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

/// A domain in a path.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct DomainPath {
    /// The percent-encoded domain: hostname, then base path if there is one.
    #[param(inline)]
    domain: SiteDomain,
}

/// List domains
///
/// Returns a page of your organization's domains, ordered by name.
#[utoipa::path(
    get,
    path = "/v1/domains",
    tag = "Domains",
    operation_id = "listDomains",
    params(ListDomains, Page),
    responses(
        (status = 200, description = "A page of domains.", body = DomainList),
        (status = 404, description = "Project or organization not found.", body = Error),
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
/// Adds a hostname, with or without a base path, to a project. The domain serves nothing until you
/// verify the hostname with a TXT record, unless your organization already verified it. To verify
/// the domain, add the DNS records in `records`, then call the verify operation.
#[utoipa::path(
    post,
    path = "/v1/domains",
    tag = "Domains",
    operation_id = "createDomain",
    request_body = NewDomain,
    responses(
        (status = 201, description = "The domain.", body = DomainDetails,
            headers(("Location" = String, description = "URL of the domain."))),
        (status = 400, description = "The body is malformed, or a field is invalid.", body = Error),
        (status = 404, description = "Project not found.", body = Error),
        (status = 409, description = "The domain already exists, or another organization uses it.", body = Error),
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
/// Returns the domain's site, its verification state, the DNS records to add, and the state of its
/// certificate.
#[utoipa::path(
    get,
    path = "/v1/domains/{domain}",
    tag = "Domains",
    operation_id = "getDomain",
    params(DomainPath),
    responses(
        (status = 200, description = "The domain.", body = DomainDetails),
        (status = 400, description = "The domain is invalid.", body = Error),
        (status = 404, description = "Domain not found.", body = Error),
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
/// Changes the branch that the domain serves. The current release stays active until the first
/// release of the new branch is ready.
#[utoipa::path(
    patch,
    path = "/v1/domains/{domain}",
    tag = "Domains",
    operation_id = "updateDomain",
    params(DomainPath),
    request_body = DomainChange,
    responses(
        (status = 200, description = "The domain.", body = DomainDetails),
        (status = 400, description = "The body or the domain is malformed.", body = Error),
        (status = 404, description = "Domain not found.", body = Error),
        (status = 409, description = "The domain is pending, or the domain no longer has the revision that the update names.", body = Error),
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
/// Permanently deletes a domain with its releases, exports, and feedback.
#[utoipa::path(
    delete,
    path = "/v1/domains/{domain}",
    tag = "Domains",
    operation_id = "deleteDomain",
    params(DomainPath),
    responses(
        (status = 200, description = "Counts of deleted objects.", body = Deleted),
        (status = 400, description = "The domain is invalid.", body = Error),
        (status = 404, description = "Domain not found.", body = Error),
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
/// Checks the TXT record of a pending domain, unless it was checked within the last few seconds.
/// The result is in `state` and `problem`. docwright also checks the record automatically, at
/// growing intervals for 30 days.
#[utoipa::path(
    post,
    path = "/v1/domains/{domain}/verify",
    tag = "Domains",
    operation_id = "verifyDomain",
    params(DomainPath),
    responses(
        (status = 200, description = "The domain after the check.", body = DomainDetails),
        (status = 400, description = "The domain is invalid.", body = Error),
        (status = 404, description = "Domain not found.", body = Error),
    ),
)]
pub(crate) async fn verify(
    State(app): State<ApiState>,
    caller: Allowed<can::VerifyDomain>,
    path: Result<Path<DomainPath>, ApiError>,
) -> Result<Json<DomainDetails>, ApiError> {
    Ok(Json(domains::verify(&app, &caller, &path?.0.domain).await?))
}
