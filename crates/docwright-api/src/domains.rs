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
    domains::{
        self, DomainChange, DomainDetails, DomainList, ListDomains, NewDomain, RenameDomain,
    },
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

/// A domain in a path, and a former name that redirects to it.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct RedirectPath {
    /// The percent-encoded domain: hostname, then base path if there is one.
    #[param(inline)]
    domain: SiteDomain,
    /// The percent-encoded former name of the domain.
    #[param(inline)]
    name: SiteDomain,
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
/// Permanently deletes a domain with its releases, exports, feedback, analytics, questions, and
/// assistant keys. To keep them under another name, rename the domain.
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
/// Checks the TXT record of a pending domain, or where the name of a verified domain leads, unless
/// that was checked within the last few seconds. The result is in `state` and `problem`, or in `dns`
/// and `certificate`. docwright also checks automatically, at growing intervals: the record for 30
/// days, and verified domains as long as they exist.
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

/// Rename a domain
///
/// Gives a domain another name. Its releases, exports, feedback, analytics, questions, and assistant
/// keys stay, and the site is served at the new name immediately. A release with the new address is
/// built. If `redirect` is true, the former name redirects to the new one (308), and still accepts
/// reports of pages and of client-hosted sites.
///
/// If your organization hasn't verified the hostname of the new name, the name is pending, and the
/// domain keeps its name until the TXT record in `records` is found.
#[utoipa::path(
    post,
    path = "/v1/domains/{domain}/rename",
    tag = "Domains",
    operation_id = "renameDomain",
    params(DomainPath),
    request_body = RenameDomain,
    responses(
        (status = 200, description = "The domain with its new name: verified, or pending.", body = DomainDetails),
        (status = 400, description = "The body or the domain is malformed, or the name can't be a domain.", body = Error),
        (status = 404, description = "Domain not found.", body = Error),
        (status = 409, description = "The new name is taken, the domain is pending or a default domain, or it no longer has the revision that the update names.", body = Error),
    ),
)]
pub(crate) async fn rename(
    State(app): State<ApiState>,
    caller: Allowed<can::RenameDomain>,
    path: Result<Path<DomainPath>, ApiError>,
    body: Result<Body<RenameDomain>, ApiError>,
) -> Result<Json<DomainDetails>, ApiError> {
    Ok(Json(domains::rename(&app, &caller, &path?.0.domain, body?.value).await?))
}

/// Delete a redirect
///
/// A former name of a domain no longer redirects to it. If nothing else uses its hostname, others
/// can add it.
#[utoipa::path(
    delete,
    path = "/v1/domains/{domain}/redirects/{name}",
    tag = "Domains",
    operation_id = "deleteDomainRedirect",
    params(RedirectPath),
    responses(
        (status = 200, description = "The domain.", body = DomainDetails),
        (status = 400, description = "The domain or the name is invalid.", body = Error),
        (status = 404, description = "Domain or redirect not found.", body = Error),
    ),
)]
pub(crate) async fn end_redirect(
    State(app): State<ApiState>,
    caller: Allowed<can::DeleteDomainRedirect>,
    path: Result<Path<RedirectPath>, ApiError>,
) -> Result<Json<DomainDetails>, ApiError> {
    let RedirectPath { domain, name } = path?.0;
    Ok(Json(domains::end_redirect(&app, &caller, &domain, &name).await?))
}
