//! `DELETE /v1/domains/{domain}`.

use axum::{Json, extract::State};
use docwright_flows::deletion::Report;
use docwright_storage::database;

use super::{DomainPath, entry, find, missing};
use crate::{
    api::{
        deletion::{Deleted, deletion},
        domain::SiteDomain,
    },
    audit::Change,
    authorize::Admin,
    error::{ApiError, Error},
    parameters::Path,
    state::AppState,
};

/// Delete a domain
///
/// Deletes a domain with its releases, exports and what readers said of its pages.
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
    State(app): State<AppState>,
    caller: Admin,
    path: Result<Path<DomainPath>, ApiError>,
) -> Result<Json<Deleted>, ApiError> {
    let Path(DomainPath { domain: SiteDomain(domain) }) = path?;
    let found = find(&app, &caller, &domain).await?;
    let (organization, before) = entry(&found);
    let change = Change::of("domain.delete", Some(&organization)).before(before);
    let recording = caller.recording(&app, change);
    let deleted = match found {
        Err(claim) => recording.remove_domain_claim(&claim).await?.then(|| {
            let rows = database::Deleted { domains: 1, ..database::Deleted::default() };
            Report { rows, ..Report::default() }
        }),
        Ok(_) => deletion(&app, recording).domain(&domain).await?,
    };
    deleted.map(|report| Json(report.into())).ok_or_else(|| missing(&domain))
}
