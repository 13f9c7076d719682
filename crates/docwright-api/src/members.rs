//! Members of organizations.

use axum::{Json, extract::State, http::StatusCode};
use docwright_http::{
    error::{ApiError, Error},
    parameters::{Path, Query},
};
use docwright_operations::{
    Allowed, can,
    lists::Page,
    members::{self, ListMembers, Member, MemberList, UpdateMember},
};
use serde::Deserialize;
use utoipa::IntoParams;

use super::{body::Body, organizations::OrganizationPath};
use crate::state::ApiState;

/// A member of an organization.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Path)]
pub(crate) struct MemberPath {
    /// ID of the organization.
    #[param(example = "org_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    organization_id: String,
    /// ID of the account.
    #[param(example = "acc_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    account_id: String,
}

/// List members
///
/// Returns a page of an organization's members, ordered by email address.
#[utoipa::path(
    get,
    path = "/v1/organizations/{organizationId}/members",
    tag = "Members",
    operation_id = "listMembers",
    params(OrganizationPath, ListMembers, Page),
    responses(
        (status = 200, description = "A page of members.", body = MemberList),
        (status = 404, description = "Organization not found.", body = Error),
    ),
)]
pub(crate) async fn list(
    State(app): State<ApiState>,
    caller: Allowed<can::ListMembers>,
    Path(OrganizationPath { organization_id }): Path<OrganizationPath>,
    filter: Result<Query<ListMembers>, ApiError>,
    page: Result<Query<Page>, ApiError>,
) -> Result<Json<MemberList>, ApiError> {
    Ok(Json(members::list(&app, &caller, &organization_id, &filter?.0, &page?.0).await?))
}

/// Get a member
///
/// Returns a member of an organization.
#[utoipa::path(
    get,
    path = "/v1/organizations/{organizationId}/members/{accountId}",
    tag = "Members",
    operation_id = "getMember",
    params(MemberPath),
    responses(
        (status = 200, description = "The member.", body = Member),
        (status = 404, description = "Member not found.", body = Error),
    ),
)]
pub(crate) async fn get(
    State(app): State<ApiState>,
    caller: Allowed<can::GetMember>,
    Path(MemberPath { organization_id, account_id }): Path<MemberPath>,
) -> Result<Json<Member>, ApiError> {
    Ok(Json(members::get(&app, &caller, &organization_id, &account_id).await?))
}

/// Change the role of a member
///
/// Changes the role of a member. An organization keeps at least one admin.
#[utoipa::path(
    patch,
    path = "/v1/organizations/{organizationId}/members/{accountId}",
    tag = "Members",
    operation_id = "updateMember",
    params(MemberPath),
    request_body = UpdateMember,
    responses(
        (status = 200, description = "The updated member.", body = Member),
        (status = 404, description = "Member not found.", body = Error),
        (status = 409, description = "The member is the only admin, or the member no longer has the revision that the update names.", body = Error),
    ),
)]
pub(crate) async fn update(
    State(app): State<ApiState>,
    caller: Allowed<can::UpdateMember>,
    Path(MemberPath { organization_id, account_id }): Path<MemberPath>,
    body: Result<Body<UpdateMember>, ApiError>,
) -> Result<Json<Member>, ApiError> {
    let input = body?.value;
    Ok(Json(members::update(&app, &caller, &organization_id, &account_id, &input).await?))
}

/// Remove a member
///
/// Removes a member from an organization immediately. The account and the organization's keys are
/// kept. An organization keeps at least one admin.
#[utoipa::path(
    delete,
    path = "/v1/organizations/{organizationId}/members/{accountId}",
    tag = "Members",
    operation_id = "deleteMember",
    params(MemberPath),
    responses(
        (status = 204, description = "Member removed."),
        (status = 404, description = "Member not found.", body = Error),
        (status = 409, description = "The member is the only admin.", body = Error),
    ),
)]
pub(crate) async fn delete(
    State(app): State<ApiState>,
    caller: Allowed<can::DeleteMember>,
    Path(MemberPath { organization_id, account_id }): Path<MemberPath>,
) -> Result<StatusCode, ApiError> {
    members::delete(&app, &caller, &organization_id, &account_id).await?;
    Ok(StatusCode::NO_CONTENT)
}
