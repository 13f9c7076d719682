//! Invitations to organizations.

use axum::{Json, extract::State, http::StatusCode};
use docwright_http::{
    error::{ApiError, Error},
    parameters::{Path, Query},
};
use docwright_operations::{
    Allowed, can,
    invitations::{self, CreateInvitation, CreatedInvitation, InvitationList, ListInvitations},
    lists::Page,
};
use serde::Deserialize;
use utoipa::IntoParams;

use super::{body::Body, organizations::OrganizationPath};
use crate::state::ApiState;

/// An invitation.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Path)]
pub(crate) struct InvitationPath {
    /// ID of the organization.
    #[param(example = "org_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    organization_id: String,
    /// ID of the invitation.
    #[param(example = "inv_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    invitation_id: String,
}

/// List invitations
///
/// Those that can still be accepted, without their links.
#[utoipa::path(
    get,
    path = "/v1/organizations/{organizationId}/invitations",
    tag = "Members",
    operation_id = "listInvitations",
    params(OrganizationPath, ListInvitations, Page),
    responses(
        (status = 200, description = "A page of invitations", body = InvitationList),
        (status = 404, description = "Organization not found", body = Error),
    ),
)]
pub(crate) async fn list(
    State(app): State<ApiState>,
    caller: Allowed<can::ListInvitations>,
    Path(OrganizationPath { organization_id }): Path<OrganizationPath>,
    filter: Result<Query<ListInvitations>, ApiError>,
    page: Result<Query<Page>, ApiError>,
) -> Result<Json<InvitationList>, ApiError> {
    Ok(Json(invitations::list(&app, &caller, &organization_id, &filter?.0, &page?.0).await?))
}

/// Invite someone
///
/// The response has a link by which they join. It is only shown once, works once, and expires in seven days. If the
/// instance sends email, they also get it that way. An earlier invitation of the same address ends.
///
/// An organization can create 100 invitations an hour, and 200 can be pending.
#[utoipa::path(
    post,
    path = "/v1/organizations/{organizationId}/invitations",
    tag = "Members",
    operation_id = "createInvitation",
    params(OrganizationPath),
    request_body = CreateInvitation,
    responses(
        (status = 201, description = "The invitation, with its link", body = CreatedInvitation,
            links(
                ("delete" = (operation_id = "deleteInvitation", parameters(("organizationId" = "$request.path.organizationId"), ("invitationId" = "$response.body#/id")))),
            )),
        (status = 404, description = "Organization not found", body = Error),
        (status = 409, description = "They are already a member, or too many invitations are pending", body = Error),
        (status = 429, description = "The organization created 100 invitations within an hour", body = Error, headers(("Retry-After" = i64), ("RateLimit" = String), ("RateLimit-Policy" = String))),
    ),
)]
pub(crate) async fn create(
    State(app): State<ApiState>,
    caller: Allowed<can::CreateInvitation>,
    Path(OrganizationPath { organization_id }): Path<OrganizationPath>,
    body: Result<Body<CreateInvitation>, ApiError>,
) -> Result<(StatusCode, Json<CreatedInvitation>), ApiError> {
    let created = invitations::create(&app, &caller, &organization_id, body?.value).await?;
    Ok((StatusCode::CREATED, Json(created)))
}

/// Withdraw an invitation
///
/// Its link stops working.
#[utoipa::path(
    delete,
    path = "/v1/organizations/{organizationId}/invitations/{invitationId}",
    tag = "Members",
    operation_id = "deleteInvitation",
    params(InvitationPath),
    responses(
        (status = 204, description = "The invitation is withdrawn"),
        (status = 404, description = "Invitation not found, or accepted", body = Error),
    ),
)]
pub(crate) async fn delete(
    State(app): State<ApiState>,
    caller: Allowed<can::DeleteInvitation>,
    Path(InvitationPath { organization_id, invitation_id }): Path<InvitationPath>,
) -> Result<StatusCode, ApiError> {
    invitations::delete(&app, &caller, &organization_id, &invitation_id).await?;
    Ok(StatusCode::NO_CONTENT)
}
