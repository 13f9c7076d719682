//! `GET /v1/organizations/{organizationId}/members`.

use axum::{Json, extract::State};
use docwright_domain::account::Email;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{Member, organization};
use crate::{
    api::{
        organizations::OrganizationPath,
        paging::{Length, MAXIMUM},
    },
    authorize::Reader,
    error::{ApiError, Error},
    parameters::{Number, Path, Query},
    state::AppState,
};

/// Which members to list.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct MemberFilter {
    /// Only who signs in with this address.
    #[param(value_type = String, required = false, pattern = r"^[^\x00]*$", example = "ada@example.com")]
    email: Option<String>,
    /// How many members a page has at most; 20 if left out.
    #[param(value_type = i64, required = false, minimum = 1, maximum = 100)]
    limit: Option<Number<1, MAXIMUM>>,
    /// The `nextCursor` of the page before; the first page if left out.
    #[param(value_type = String, required = false, pattern = r"^[^\x00]*$")]
    cursor: Option<String>,
}

/// A page of members.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MemberList {
    /// The members.
    members: Vec<Member>,
    /// What to ask for the next page with; null on the last one.
    next_cursor: Option<String>,
}

/// List members
///
/// Who belongs to an organisation, in the order of their accounts, a page at a time.
#[utoipa::path(
    get,
    path = "/v1/organizations/{organizationId}/members",
    tag = "Members",
    operation_id = "listMembers",
    security(("key" = ["read"])),
    params(OrganizationPath, MemberFilter),
    responses(
        (status = 200, description = "A page of members", body = MemberList),
        (status = 404, description = "There is no such organisation", body = Error),
    ),
)]
pub(crate) async fn list(
    State(app): State<AppState>,
    caller: Reader,
    Path(OrganizationPath { organization_id }): Path<OrganizationPath>,
    filter: Result<Query<MemberFilter>, ApiError>,
) -> Result<Json<MemberList>, ApiError> {
    let organization = organization(&app, &caller, &organization_id).await?;
    let Query(MemberFilter { email, limit, cursor }) = filter?;
    let email = email.map(|email| match email.parse::<Email>() {
        Ok(email) => email.to_string(),
        // Nobody has what is no address.
        Err(_) => email,
    });
    let (email, cursor) = (email.as_deref(), cursor.as_deref());
    let length = Length::of(limit);
    let read = app.database.members(&organization.id, email, cursor, length.read()).await?;
    let (read, next_cursor) = length.page(read, |member| member.account.id.clone());
    Ok(Json(MemberList { members: read.into_iter().map(Member::from).collect(), next_cursor }))
}
