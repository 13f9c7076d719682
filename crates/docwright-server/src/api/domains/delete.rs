//! `DELETE /v1/domains/{domain}`.

use axum::{extract::State, http::StatusCode};
use docwright_flows::{deletion::Deletion, repositories::Repositories};

use super::{DomainPath, entry, find, missing};
use crate::{
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
    security(("key" = ["admin"])),
    params(DomainPath),
    responses(
        (status = 204, description = "It is gone"),
        (status = 400, description = "The domain can't be one", body = Error),
        (status = 404, description = "There is no such domain", body = Error),
    ),
)]
pub(crate) async fn delete(
    State(app): State<AppState>,
    caller: Admin,
    path: Result<Path<DomainPath>, ApiError>,
) -> Result<StatusCode, ApiError> {
    let Path(DomainPath { domain }) = path?;
    let found = find(&app, &caller, &domain).await?;
    let (organization, before) = entry(&found);
    let change = Change::of("domain.delete", Some(&organization)).before(before);
    let database = caller.recording(&app, change);
    let gone = match found {
        Err(claim) => database.remove_domain_claim(&claim).await?,
        Ok(_) => {
            let repositories = Repositories { database, ..app.repositories.clone() };
            let objects = app.objects.clone();
            Deletion { repositories, objects }.domain(&domain).await?.is_some()
        }
    };
    if gone { Ok(StatusCode::NO_CONTENT) } else { Err(missing()) }
}
