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
/// Returns a page of pending invitations, without their links.
#[utoipa::path(
    get,
    path = "/v1/organizations/{organizationId}/invitations",
    tag = "Members",
    operation_id = "listInvitations",
    params(OrganizationPath, ListInvitations, Page),
    responses(
        (status = 200, description = "A page of invitations.", body = InvitationList),
        (status = 404, description = "Organization not found.", body = Error),
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
/// Creates a link that the person opens to join the organization. The response shows the link once.
/// It works once and expires in seven days. If the instance sends email, the person also gets the
/// link by email. An earlier invitation to the same email address stops working.
///
/// An organization can create 100 invitations per hour, and 200 can be pending.
#[utoipa::path(
    post,
    path = "/v1/organizations/{organizationId}/invitations",
    tag = "Members",
    operation_id = "createInvitation",
    params(OrganizationPath),
    request_body = CreateInvitation,
    responses(
        (status = 201, description = "The invitation, with its link.", body = CreatedInvitation,
            links(
                ("delete" = (operation_id = "deleteInvitation", parameters(("organizationId" = "$request.path.organizationId"), ("invitationId" = "$response.body#/id")))),
            )),
        (status = 404, description = "Organization not found.", body = Error),
        (status = 409, description = "The person is already a member, or too many invitations are pending.", body = Error),
        (status = 429, description = "The organization created 100 invitations within an hour.", body = Error, headers(("Retry-After" = i64), ("RateLimit" = String), ("RateLimit-Policy" = String))),
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
/// Withdraws an invitation. Its link stops working.
#[utoipa::path(
    delete,
    path = "/v1/organizations/{organizationId}/invitations/{invitationId}",
    tag = "Members",
    operation_id = "deleteInvitation",
    params(InvitationPath),
    responses(
        (status = 204, description = "Invitation withdrawn."),
        (status = 404, description = "Invitation not found, or already accepted.", body = Error),
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
