//! `DELETE /v1/organizations/{organizationId}`.

use axum::{Json, extract::State};
use docwright_flows::deletion::Report;
use tracing::Instrument;

use super::{OrganizationPath, state};
use crate::{
    api::deletion::{Deleted, delete_project, deletion},
    audit::Change,
    authorize::{Operator, no_organization},
    error::{ApiError, Error},
    parameters::Path,
    state::AppState,
};

/// Delete an organisation
///
/// For good: with its projects, domains, releases, exports, jobs and keys. Jobs that are under way stop.
#[utoipa::path(
    delete,
    path = "/v1/organizations/{organizationId}",
    tag = "Organisations",
    operation_id = "deleteOrganization",
    params(OrganizationPath),
    responses(
        (status = 200, description = "What was deleted, in numbers", body = Deleted),
        (status = 404, description = "There is no such organisation", body = Error),
    ),
)]
pub(crate) async fn delete(
    State(app): State<AppState>,
    caller: Operator,
    Path(OrganizationPath { organization_id: id }): Path<OrganizationPath>,
) -> Result<Json<Deleted>, ApiError> {
    let before = app.database.organization(&id).await?.ok_or_else(no_organization)?;
    let work = async move {
        let mut report = Report::default();
        let mut projects = app.database.projects().await?;
        projects.retain(|project| project.organization_id == id);
        for project in projects {
            report.add(delete_project(&app, &caller, &project).await?.unwrap_or_default());
        }
        let change =
            Change::of("organization.delete", Some(&id)).before(state(&before.name, before.plan));
        let rest = deletion(&app, caller.recording(&app, change)).organization(&id).await?;
        report.add(rest.ok_or_else(no_organization)?);
        Ok::<_, ApiError>(report)
    };
    // A task of its own runs to its end when the client leaves and this handler is dropped.
    let done = tokio::spawn(work.in_current_span()).await;
    let report = done.map_err(|error| ApiError::Internal(error.to_string()))??;
    Ok(Json(report.into()))
}
