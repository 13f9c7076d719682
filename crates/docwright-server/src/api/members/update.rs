//! `PATCH /v1/organizations/{organizationId}/members/{accountId}`.

use axum::{Json, extract::State};
use docwright_domain::account;
use serde::Deserialize;
use utoipa::ToSchema;

use super::{Member, MemberPath, Role, find, missing, require_every_address, state};
use crate::{
    api::body::Body,
    audit::Change,
    authorize::Admin,
    error::{ApiError, Error, taken},
    parameters::Path,
    state::AppState,
};

/// What a member is to be.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct UpdateMember {
    /// What they may do from the next request on.
    role: Role,
}

/// Change the role of a member
///
/// An organisation keeps one admin at least.
#[utoipa::path(
    patch,
    path = "/v1/organizations/{organizationId}/members/{accountId}",
    tag = "Members",
    operation_id = "updateMember",
    params(MemberPath),
    request_body = UpdateMember,
    responses(
        (status = 200, description = "The member as it is since", body = Member),
        (status = 404, description = "There is no such member", body = Error),
        (status = 409, description = "It is the only admin", body = Error),
    ),
)]
pub(crate) async fn update(
    State(app): State<AppState>,
    caller: Admin,
    Path(path): Path<MemberPath>,
    body: Result<Body<UpdateMember>, ApiError>,
) -> Result<Json<Member>, ApiError> {
    let role = account::Role::from(body?.value.role);
    let before = find(&app, &caller, &path).await?;
    require_every_address(&caller)?;
    let email = &before.account.email;
    let change = Change::of("member.update", Some(&path.organization_id))
        .before(state(email, before.role))
        .after(state(email, role));
    let changed = caller
        .recording(&app, change)
        .set_role(&path.organization_id, &path.account_id, Some(role))
        .await
        .map_err(taken)?;
    changed.ok_or_else(missing)?;
    Ok(Json(docwright_storage::database::Member { role, ..before }.into()))
}
