//! `DELETE /v1/domains/{domain}`.

use axum::{extract::State, http::StatusCode};
use docwright_flows::deletion::Deletion;

use super::{DomainPath, find, missing};
use crate::{
    authorize::Caller,
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
        (status = 204, description = "It is gone"),
        (status = 400, description = "The domain can't be one", body = Error),
        (status = 404, description = "There is no such domain", body = Error),
    ),
)]
pub(crate) async fn delete(
    State(app): State<AppState>,
    caller: Caller,
    path: Result<Path<DomainPath>, ApiError>,
) -> Result<StatusCode, ApiError> {
    let Path(DomainPath { domain }) = path?;
    let gone = match find(&app, &caller, &domain).await? {
        Err(_) => app.database.remove_domain_claim(&domain, &caller.organization.id).await?,
        Ok(_) => {
            let (repositories, objects) = (app.repositories.clone(), app.objects.clone());
            Deletion { repositories, objects }.domain(&domain).await?.is_some()
        }
    };
    if gone { Ok(StatusCode::NO_CONTENT) } else { Err(missing()) }
}
