//! `POST /v1/domains/{domain}/verify`.

use axum::{Json, extract::State};

use super::{DomainDetails, DomainPath, entry, find, whole};
use crate::{
    api::domain::SiteDomain,
    audit::Change,
    authorize::Admin,
    error::{ApiError, Error},
    parameters::Path,
    state::AppState,
};

/// Verify a domain
///
/// Looks for the TXT record of a pending domain now, unless that was done within the last seconds. The
/// answer says in `state` and `problem` what came of it. The record is looked for by itself as well, less
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
    State(app): State<AppState>,
    caller: Admin,
    path: Result<Path<DomainPath>, ApiError>,
) -> Result<Json<DomainDetails>, ApiError> {
    let Path(DomainPath { domain: SiteDomain(domain) }) = path?;
    let found = find(&app, &caller, &domain).await?;
    let (organization, before) = entry(&found);
    if let Err(claim) = found {
        let change = Change::of("domain.verify", Some(&organization)).before(before);
        let database = caller.recording(&app, change);
        app.ownership.check(&database, &claim, app.now()).await?;
    }
    whole(&app, &caller, &domain).await.map(Json)
}
