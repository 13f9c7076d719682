//! `DELETE /v1/organizations/{organizationId}/members/{accountId}`.

use axum::{extract::State, http::StatusCode};

use super::{MemberPath, find, missing, state};
use crate::{
    audit::Change,
    authorize::Admin,
    error::{ApiError, Error, taken},
    parameters::Path,
    state::AppState,
};

/// Remove a member
///
/// They reach nothing of the organisation from the next request on. Their account stays, and so do the keys
/// of the organisation. An organisation keeps one admin at least.
#[utoipa::path(
    delete,
    path = "/v1/organizations/{organizationId}/members/{accountId}",
    tag = "Members",
    operation_id = "deleteMember",
    params(MemberPath),
    responses(
        (status = 204, description = "The member is removed"),
        (status = 404, description = "There is no such member", body = Error),
        (status = 409, description = "It is the only admin", body = Error),
    ),
)]
pub(crate) async fn delete(
    State(app): State<AppState>,
    caller: Admin,
    Path(path): Path<MemberPath>,
) -> Result<StatusCode, ApiError> {
    let before = find(&app, &caller, &path).await?;
    let change = Change::of("member.delete", Some(&path.organization_id))
        .before(state(&before.account.email, before.role));
    let database = caller.recording(&app, change);
    let removed = database.set_role(&path.organization_id, &path.account_id, None).await;
    removed.map_err(taken)?.ok_or_else(missing)?;
    Ok(StatusCode::NO_CONTENT)
}
