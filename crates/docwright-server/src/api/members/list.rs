//! `GET /v1/organizations/{organizationId}/members`.

use axum::{Json, extract::State};
use docwright_domain::account::Email;
use docwright_storage::database::Position;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{Member, organization};
use crate::{
    api::{
        organizations::OrganizationPath,
        paging::{Page, Search},
    },
    authorize::Reader,
    error::{ApiError, Error},
    parameters::{Path, Query},
    state::AppState,
};

/// Which members to list.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct MemberFilter {
    /// Only who signs in with this address.
    #[param(value_type = String, required = false, pattern = r"^[^\x00]*$", example = "ada@example.com")]
    email: Option<String>,
    /// Only those whose address begins so, in any case of ASCII letters.
    #[param(value_type = String, required = false, max_length = 200, pattern = r"^[^\x00]*$", example = "ada@")]
    search: Option<Search>,
}

/// A page of members, by e-mail address.
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
/// Who belongs to an organisation, in the order of their e-mail addresses, a page at a time.
#[utoipa::path(
    get,
    path = "/v1/organizations/{organizationId}/members",
    tag = "Members",
    operation_id = "listMembers",
    params(OrganizationPath, MemberFilter, Page),
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
    page: Result<Page, ApiError>,
) -> Result<Json<MemberList>, ApiError> {
    let organization = organization(&app, &caller, &organization_id).await?;
    let (Query(MemberFilter { email, search }), page) = (filter?, page?);
    let email = email.filter(|email| !email.is_empty()).map(|email| match email.parse::<Email>() {
        Ok(email) => email.to_string(),
        // Nobody has what is no address.
        Err(_) => email,
    });
    let wanted = page.searched(search.as_ref());
    let read = app.database.members(&organization.id, email.as_deref(), wanted).await?;
    let (read, next_cursor) = page.cut(read, |member| Position::of_id(&member.account.email));
    Ok(Json(MemberList { members: read.into_iter().map(Member::from).collect(), next_cursor }))
}
