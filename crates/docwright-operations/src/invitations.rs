//! Invitations to organizations.

use std::fmt;

use docwright_storage::database::{self, INVITATIONS, Invited, NewInvitation};
use docwright_types::{
    account::{Email, Role},
    timestamp::{DAY, iso},
};
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::{IntoParams, ToSchema};

use crate::{
    Allowed, Listed, OperationError, Operations,
    audit::Change,
    can,
    listed::Item,
    lists::{Page, Search},
    rate_limit::RateLimit,
};

/// How long an invitation can be accepted.
const LIFETIME: i64 = 7 * DAY;

/// An invitation to join an organization.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Invitation {
    /// ID of the invitation.
    #[schema(example = "inv_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    pub id: String,
    /// Email address of the invited person.
    #[schema(example = "ada@example.com")]
    pub email: String,
    /// Role of the person after joining.
    pub role: Role,
    /// Author of the invitation: an email address, the name of a key, or the operator.
    #[schema(example = "grace@example.com")]
    pub invited_by: String,
    /// Time when the invitation was created.
    #[schema(format = DateTime)]
    pub created_at: String,
    /// Time when the invitation expires.
    #[schema(format = DateTime)]
    pub expires_at: String,
}

/// Which invitations to list.
#[derive(Debug, Default, Deserialize, Serialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ListInvitations {
    /// Return only invitations whose email address contains this text. The case of ASCII letters
    /// is ignored.
    #[param(value_type = String, required = false, max_length = 200, pattern = r"^[^\x00]*$", example = "ada@")]
    pub search: Option<Search>,
}

/// An invitation to create.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateInvitation {
    /// Email address to invite. The person signs in with it.
    pub email: EmailAddress,
    /// Role of the person after joining.
    pub role: Role,
}

/// An email address, without surrounding spaces.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(try_from = "String", into = "String")]
#[schema(
    as = Address,
    value_type = String,
    max_length = 254,
    pattern = r"^[!-~]+@[!-?A-~]+$",
    example = "ada@example.com"
)]
pub struct EmailAddress(Email);

impl TryFrom<String> for EmailAddress {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let wrong = || "isn't an email address; write one such as ada@example.com".to_owned();
        if text.trim() != text {
            return Err(wrong());
        }
        text.parse().map(Self).map_err(|_| wrong())
    }
}

impl From<Email> for EmailAddress {
    fn from(email: Email) -> Self {
        Self(email)
    }
}

impl From<EmailAddress> for String {
    fn from(EmailAddress(email): EmailAddress) -> Self {
        email.to_string()
    }
}

/// An invitation with its link. The link is shown only once.
#[derive(Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CreatedInvitation {
    /// The invitation.
    #[serde(flatten)]
    pub invitation: Invitation,
    /// Link to accept the invitation. Anyone with the link can accept it. It isn't shown again.
    #[schema(example = "https://docs-admin.example.com/invitations/…")]
    pub link: String,
    /// Whether the link was sent by email. If not, pass it on yourself.
    pub email_sent: bool,
}

impl fmt::Debug for CreatedInvitation {
    /// The same without the link.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = formatter.debug_struct("CreatedInvitation");
        shown.field("invitation", &self.invitation).finish_non_exhaustive()
    }
}

/// A page of invitations.
pub type InvitationList = Listed<Invitation>;

impl Item for Invitation {
    const LIST: &'static str = "InvitationList";
    const FIELD: &'static str = "invitations";
    const PAGE: &'static str = "A page of invitations, newest first.";
}

/// Lists the pending invitations of an organization, without their links.
pub async fn list(
    operations: &Operations,
    caller: &Allowed<can::ListInvitations>,
    organization_id: &str,
    filter: &ListInvitations,
    page: &Page,
) -> Result<InvitationList, OperationError> {
    let organization = caller.named_organization(operations, organization_id).await?;
    let page = page.of(("invitations", &organization.id, filter))?;
    let request = page.searched(filter.search.as_ref());
    let database = &operations.database;
    let read = database.invitations(&organization.id, operations.now(), request).await?;
    let position = |row: &database::Invitation| request.position(Some(row.email.as_str()), &row.id);
    Ok(page.cut(read, position, Invitation::from))
}

/// Invites someone, and sends the link by email if the instance can. An earlier invitation of the same address
/// ends.
pub async fn create(
    operations: &Operations,
    caller: &Allowed<can::CreateInvitation>,
    organization_id: &str,
    input: CreateInvitation,
) -> Result<CreatedInvitation, OperationError> {
    let CreateInvitation { email: EmailAddress(email), role } = input;
    let organization = caller.named_organization(operations, organization_id).await?;
    caller.require_every_address()?;
    let now = operations.now();
    let actor = caller.actor();
    let invited_by = if actor.name.is_empty() { "the operator".to_owned() } else { actor.name };
    let new = NewInvitation {
        organization_id: &organization.id,
        email: &email,
        role,
        invited_by: &invited_by,
        expires_at: now + LIFETIME,
    };
    let change = Change::of("invitation.create", Some(&organization.id)).after(json!({
        "email": email.as_str(), "role": role.name(), "expiresAt": iso(new.expires_at),
    }));
    let (row, token) = match caller.recording(operations, change).invite(&new, now).await? {
        Invited::Asked(row, token) => (row, token),
        Invited::Member => {
            return Err(OperationError::Conflict(format!("{email} is already a member.")));
        }
        Invited::Full => {
            return Err(OperationError::Conflict(format!(
                "{INVITATIONS} invitations of this organization are pending, the limit. Withdraw one first."
            )));
        }
        Invited::Limited(allowance) => {
            return Err(OperationError::TooManyRequests(RateLimit::INVITATIONS, allowance));
        }
    };
    let link = format!("{}/invitations/{}", operations.repositories.public_url, token.reveal());
    let email_sent = send(operations, &row, &organization.name, &link).await;
    Ok(CreatedInvitation { invitation: row.into(), link, email_sent })
}

/// Withdraws an invitation: its link stops working.
pub async fn delete(
    operations: &Operations,
    caller: &Allowed<can::DeleteInvitation>,
    organization_id: &str,
    id: &str,
) -> Result<(), OperationError> {
    let no_invitation =
        || OperationError::NotFound("Invitation not found. Check the ID.".to_owned());
    let organization = caller.named_organization(operations, organization_id).await?;
    let found = operations.database.invitation_of(&organization.id, id).await?;
    let found = found.ok_or_else(no_invitation)?;
    let before = json!({ "email": found.email, "role": found.role.name() });
    let change = Change::of("invitation.delete", Some(&organization.id)).before(before);
    let database = caller.recording(operations, change);
    if database.withdraw_invitation(&organization.id, id).await? {
        return Ok(());
    }
    Err(no_invitation())
}

impl From<database::Invitation> for Invitation {
    fn from(row: database::Invitation) -> Self {
        Self {
            id: row.id,
            email: row.email,
            role: row.role,
            invited_by: row.invited_by,
            created_at: iso(row.created_at),
            expires_at: iso(row.expires_at),
        }
    }
}

/// Sends the link of an invitation by email. Returns whether the mail server accepted it; if not, the log has the
/// reason.
async fn send(
    operations: &Operations,
    invitation: &database::Invitation,
    organization: &str,
    link: &str,
) -> bool {
    let Some(mail) = &operations.mail else { return false };
    let (subject, body) = (mail.invitation_text)(invitation, organization, link);
    match mail.mailer.write(&invitation.email, subject, body).await {
        Ok(()) => true,
        Err(reason) => {
            tracing::warn!(invitation = invitation.id, reason, "invitation email not sent");
            false
        }
    }
}
