//! `DELETE /v1/organizations/{organizationId}/invitations/{invitationId}`.

use axum::{extract::State, http::StatusCode};
use serde_json::json;

use super::InvitationPath;
use crate::{
    api::members::organization,
    audit::Change,
    authorize::Admin,
    error::{ApiError, Error},
    parameters::Path,
    state::AppState,
};

/// Withdraw an invitation
///
/// Its link is good no more.
#[utoipa::path(
    delete,
    path = "/v1/organizations/{organizationId}/invitations/{invitationId}",
    tag = "Members",
    operation_id = "deleteInvitation",
    params(InvitationPath),
    responses(
        (status = 204, description = "The invitation is withdrawn"),
        (status = 404, description = "There is no such invitation, or it was accepted", body = Error),
    ),
)]
pub(crate) async fn delete(
    State(app): State<AppState>,
    caller: Admin,
    Path(InvitationPath { organization_id, invitation_id: id }): Path<InvitationPath>,
) -> Result<StatusCode, ApiError> {
    let missing = || ApiError::NotFound("There is no such invitation.".to_owned());
    let organization = organization(&app, &caller, &organization_id).await?;
    let found = app.database.invitation_of(&organization.id, &id).await?.ok_or_else(missing)?;
    let before = json!({ "email": found.email, "role": found.role.name() });
    let change = Change::of("invitation.delete", Some(&organization.id)).before(before);
    let database = caller.recording(&app, change);
    if database.withdraw_invitation(&organization.id, &id).await? {
        return Ok(StatusCode::NO_CONTENT);
    }
    Err(missing())
}
