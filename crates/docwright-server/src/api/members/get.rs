//! `GET /v1/organizations/{organizationId}/members/{accountId}`.

use axum::{Json, extract::State};

use super::{Member, MemberPath, find};
use crate::{
    authorize::Reader,
    error::{ApiError, Error},
    parameters::Path,
    state::AppState,
};

/// Get a member
#[utoipa::path(
    get,
    path = "/v1/organizations/{organizationId}/members/{accountId}",
    tag = "Members",
    operation_id = "getMember",
    params(MemberPath),
    responses(
        (status = 200, description = "The member", body = Member),
        (status = 404, description = "There is no such member", body = Error),
    ),
)]
pub(crate) async fn get(
    State(app): State<AppState>,
    caller: Reader,
    Path(path): Path<MemberPath>,
) -> Result<Json<Member>, ApiError> {
    Ok(Json(find(&app, &caller, &path).await?.into()))
}
