//! `GET /v1/domains/{domain}`.

use axum::{Json, extract::State};

use super::{DomainDetails, DomainPath, whole};
use crate::{
    api::domain::SiteDomain,
    authorize::Reader,
    error::{ApiError, Error},
    parameters::Path,
    state::AppState,
};

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
pub(crate) async fn show(
    State(app): State<AppState>,
    caller: Reader,
    path: Result<Path<DomainPath>, ApiError>,
) -> Result<Json<DomainDetails>, ApiError> {
    let Path(DomainPath { domain: SiteDomain(domain) }) = path?;
    whole(&app, &caller, &domain).await.map(Json)
}
