//! `GET /v1/releases`.

use axum::{Json, extract::State};
use serde::Deserialize;
use utoipa::IntoParams;

use super::list::ReleaseList;
use crate::{
    api::{
        domain::{self, SiteDomain},
        paging::{Length, MAXIMUM},
    },
    authorize::Reader,
    error::{ApiError, Error},
    parameters::{Number, Query},
    state::AppState,
};

/// Whose releases to list.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct DomainReleases {
    /// The domain, as a bare host name.
    #[param(inline)]
    domain: SiteDomain,
    /// How many releases a page has at most; 20 if left out.
    #[param(value_type = i64, required = false, minimum = 1, maximum = 100)]
    limit: Option<Number<1, MAXIMUM>>,
    /// The `nextCursor` of the page before; the first page if left out.
    #[param(value_type = String, required = false, pattern = r"^[^\x00]*$")]
    cursor: Option<String>,
}

/// List releases by a domain
///
/// The releases of the project that has a domain, newest first, a page at a time.
#[utoipa::path(
    get,
    path = "/v1/releases",
    tag = "Releases",
    operation_id = "listReleasesOfDomain",
    security(("key" = ["read"])),
    params(DomainReleases),
    responses(
        (status = 200, description = "A page of releases", body = ReleaseList),
        (status = 404, description = "There is no such domain", body = Error),
    ),
)]
pub(crate) async fn list(
    State(app): State<AppState>,
    caller: Reader,
    filter: Result<Query<DomainReleases>, ApiError>,
) -> Result<Json<ReleaseList>, ApiError> {
    let Query(DomainReleases { domain: SiteDomain(domain), limit, cursor }) = filter?;
    let project = domain::project(&app, &caller, &domain).await?;
    let page = ReleaseList::read(&app, &project, cursor.as_deref(), Length::of(limit)).await?;
    Ok(Json(page))
}
