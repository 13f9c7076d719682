//! `POST /v1/organizations/{organizationId}/invitations`.

use axum::{Json, extract::State, http::StatusCode};
use docwright_domain::{
    account::{self, Email},
    timestamp::{DAY, iso},
};
use docwright_operations::rate_limit::RateLimit;
use docwright_storage::database::{INVITATIONS, Invited, NewInvitation};
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::ToSchema;

use super::{Invitation, email};
use crate::{
    api::{
        body::Body,
        members::{Role, organization, require_every_address},
        organizations::OrganizationPath,
    },
    audit::Change,
    authorize::Admin,
    error::{ApiError, Error},
    parameters::Path,
    state::AppState,
};

/// How long an invitation is good.
const LIFETIME: i64 = 7 * DAY;

/// Whom to invite, as what.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CreateInvitation {
    /// Their e-mail address, which they will sign in with.
    email: Address,
    /// What they will be.
    role: Role,
}

/// An e-mail address, as it is.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(try_from = "String")]
#[schema(
    value_type = String,
    max_length = 254,
    pattern = r"^[!-~]+@[!-?A-~]+$",
    example = "ada@example.com"
)]
pub(crate) struct Address(Email);

impl TryFrom<String> for Address {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let wrong = || "is no e-mail address; write one such as ada@example.com".to_owned();
        if text.trim() != text {
            return Err(wrong());
        }
        text.parse().map(Self).map_err(|_| wrong())
    }
}

/// An invitation, with what is shown once.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CreatedInvitation {
    #[serde(flatten)]
    invitation: Invitation,
    /// Where it is accepted. Whoever has this link can do so, and it is not shown again.
    #[schema(example = "https://docs-admin.example.com/invitations/…")]
    link: String,
    /// Whether an e-mail with the link is on its way. If not, pass the link on yourself.
    email_sent: bool,
}

/// Invite somebody
///
/// The answer has a link by which they join, this one time; it is good once and for seven days. If the
/// install sends e-mail, they get it that way too. An earlier invitation of the same address ends.
///
/// An organisation makes 100 invitations an hour at most, and 200 may stand at once.
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
        (status = 404, description = "There is no such organisation", body = Error),
        (status = 409, description = "They are a member already, or too many are invited", body = Error),
        (status = 429, description = "The organisation has made 100 invitations within an hour", body = Error, headers(("Retry-After" = i64), ("RateLimit" = String), ("RateLimit-Policy" = String))),
    ),
)]
pub(crate) async fn create(
    State(app): State<AppState>,
    caller: Admin,
    Path(OrganizationPath { organization_id }): Path<OrganizationPath>,
    body: Result<Body<CreateInvitation>, ApiError>,
) -> Result<(StatusCode, Json<CreatedInvitation>), ApiError> {
    let CreateInvitation { email: Address(address), role } = body?.value;
    let organization = organization(&app, &caller, &organization_id).await?;
    require_every_address(&caller)?;
    let role = account::Role::from(role);
    let now = app.now();
    let actor = caller.actor();
    let invited_by = if actor.name.is_empty() { "the operator".to_owned() } else { actor.name };
    let new = NewInvitation {
        organization_id: &organization.id,
        email: &address,
        role,
        invited_by: &invited_by,
        expires_at: now + LIFETIME,
    };
    let change = Change::of("invitation.create", Some(&organization.id)).after(json!({
        "email": address.as_str(), "role": role.name(), "expiresAt": iso(new.expires_at),
    }));
    let (invitation, token) = match caller.recording(&app, change).invite(&new, now).await? {
        Invited::Asked(invitation, token) => (invitation, token),
        Invited::Member => {
            return Err(ApiError::Conflict(format!("{address} is a member already.")));
        }
        Invited::Full => {
            return Err(ApiError::Conflict(format!(
                "{INVITATIONS} invitations of this organisation stand, which is the most; withdraw one first."
            )));
        }
        Invited::Limited(allowance) => {
            return Err(ApiError::TooManyRequests(RateLimit::INVITATIONS, allowance));
        }
    };
    let link = format!("{}/invitations/{}", app.repositories.public_url, token.reveal());
    let email_sent = email::send(&app, &invitation, &organization.name, &link).await;
    let created = CreatedInvitation { invitation: invitation.into(), link, email_sent };
    Ok((StatusCode::CREATED, Json(created)))
}
