//! `GET /v1/organizations/{organizationId}/invitations`.

use axum::{Json, extract::State};
use serde::Serialize;
use utoipa::ToSchema;

use super::Invitation;
use crate::{
    api::{
        members::organization,
        organizations::OrganizationPath,
        paging::{Length, Page},
    },
    authorize::Admin,
    error::{ApiError, Error},
    parameters::{Path, Query},
    state::AppState,
};

/// A page of invitations, newest first.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct InvitationList {
    /// The invitations.
    invitations: Vec<Invitation>,
    /// What to ask for the next page with; null on the last one.
    next_cursor: Option<String>,
}

/// List invitations
///
/// Those that can still be accepted, without their links.
#[utoipa::path(
    get,
    path = "/v1/organizations/{organizationId}/invitations",
    tag = "Members",
    operation_id = "listInvitations",
    security(("key" = ["admin"])),
    params(OrganizationPath, Page),
    responses(
        (status = 200, description = "A page of invitations", body = InvitationList),
        (status = 404, description = "There is no such organisation", body = Error),
    ),
)]
pub(crate) async fn list(
    State(app): State<AppState>,
    caller: Admin,
    Path(OrganizationPath { organization_id }): Path<OrganizationPath>,
    page: Result<Query<Page>, ApiError>,
) -> Result<Json<InvitationList>, ApiError> {
    let organization = organization(&app, &caller, &organization_id).await?;
    let Query(Page { limit, cursor }) = page?;
    let length = Length::of(limit);
    let bounds = (app.now(), length.read());
    let read = app.database.invitations(&organization.id, cursor.as_deref(), bounds).await?;
    let (read, next_cursor) = length.page(read, |invitation| invitation.id.clone());
    let invitations = read.into_iter().map(Invitation::from).collect();
    Ok(Json(InvitationList { invitations, next_cursor }))
}
