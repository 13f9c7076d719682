//! The audit log.

use axum::{Json, extract::State};
use docwright_http::{
    error::{ApiError, Error},
    parameters::Query,
};
use docwright_operations::{
    Allowed,
    audit_log::{self, AuditLog, ListAuditEntries},
    can,
    lists::Page,
};

use crate::state::ApiState;

/// Read the audit log
///
/// Returns a page of audit log entries, newest first. Keys that are limited to projects can't read
/// the audit log.
#[utoipa::path(
    get,
    path = "/v1/audit",
    tag = "Audit log",
    operation_id = "listAuditEntries",
    params(ListAuditEntries, Page),
    responses(
        (status = 200, description = "A page of entries.", body = AuditLog),
        (status = 404, description = "Organization not found.", body = Error),
    ),
)]
pub(crate) async fn list(
    State(app): State<ApiState>,
    caller: Allowed<can::ListAuditEntries>,
    filter: Result<Query<ListAuditEntries>, ApiError>,
    page: Result<Query<Page>, ApiError>,
) -> Result<Json<AuditLog>, ApiError> {
    Ok(Json(audit_log::list(&app, &caller, &filter?.0, &page?.0).await?))
}
