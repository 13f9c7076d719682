//! `GET /v1/releases`.

use axum::{Json, extract::State};
use serde::Deserialize;
use utoipa::IntoParams;

use super::list::{ReleaseFilter, ReleaseList};
use crate::{
    api::{
        domain::{self, SiteDomain},
        paging::Page,
    },
    authorize::Reader,
    error::{ApiError, Error},
    parameters::Query,
    state::AppState,
};

/// Whose releases to list.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct DomainReleases {
    /// The domain, as a bare host name.
    #[param(inline)]
    domain: SiteDomain,
}

/// List releases by a domain
///
/// The releases of the project that has a domain, newest first, a page at a time.
#[utoipa::path(
    get,
    path = "/v1/releases",
    tag = "Releases",
    operation_id = "listReleasesOfDomain",
    params(DomainReleases, ReleaseFilter, Page),
    responses(
        (status = 200, description = "A page of releases", body = ReleaseList),
        (status = 404, description = "There is no such domain", body = Error),
    ),
)]
pub(crate) async fn list(
    State(app): State<AppState>,
    caller: Reader,
    asked: Result<Query<DomainReleases>, ApiError>,
    filter: Result<Query<ReleaseFilter>, ApiError>,
    page: Result<Page, ApiError>,
) -> Result<Json<ReleaseList>, ApiError> {
    let Query(DomainReleases { domain: SiteDomain(domain) }) = asked?;
    let (Query(filter), page) = (filter?, page?);
    let project = domain::project(&app, &caller, &domain).await?;
    Ok(Json(ReleaseList::read(&app, &project, &filter, &page).await?))
}
