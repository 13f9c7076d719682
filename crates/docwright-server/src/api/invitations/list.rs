//! `GET /v1/organizations/{organizationId}/invitations`.

use axum::{Json, extract::State};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::Invitation;
use crate::{
    api::{
        members::organization,
        organizations::OrganizationPath,
        paging::{Page, Search},
    },
    authorize::Admin,
    error::{ApiError, Error},
    parameters::{Path, Query},
    state::AppState,
};

/// Which invitations to list.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct InvitationFilter {
    /// Only those whose address begins so, in any case of ASCII letters.
    #[param(value_type = String, required = false, max_length = 200, pattern = r"^[^\x00]*$", example = "ada@")]
    search: Option<Search>,
}

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
    params(OrganizationPath, InvitationFilter, Page),
    responses(
        (status = 200, description = "A page of invitations", body = InvitationList),
        (status = 404, description = "There is no such organisation", body = Error),
    ),
)]
pub(crate) async fn list(
    State(app): State<AppState>,
    caller: Admin,
    Path(OrganizationPath { organization_id }): Path<OrganizationPath>,
    filter: Result<Query<InvitationFilter>, ApiError>,
    page: Result<Page, ApiError>,
) -> Result<Json<InvitationList>, ApiError> {
    let organization = organization(&app, &caller, &organization_id).await?;
    let (Query(InvitationFilter { search }), page) = (filter?, page?);
    let wanted = page.searched(search.as_ref());
    let read = app.database.invitations(&organization.id, app.now(), wanted).await?;
    let (read, next_cursor) =
        page.cut(read, |invitation| wanted.position(Some(&invitation.email), &invitation.id));
    let invitations = read.into_iter().map(Invitation::from).collect();
    Ok(Json(InvitationList { invitations, next_cursor }))
}
