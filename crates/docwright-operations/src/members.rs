//! Members of organizations: people who sign in to the dashboard.

use docwright_storage::database::{self, Position};
use docwright_types::{account::Role, timestamp::iso};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::{IntoParams, ToSchema};

use crate::{
    Allowed, Caller, Listed, OperationError, Operations,
    accounts::stored_email,
    audit::Change,
    can,
    error::taken,
    fields::{Revision, require_current},
    listed::Item,
    lists::{Page, Search},
};

/// A member of an organization.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Member {
    /// ID of the account.
    #[schema(example = "acc_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    pub account_id: String,
    /// Name of the person.
    #[schema(example = "Ada Lovelace")]
    pub name: String,
    /// Email address that the member signs in with.
    #[schema(example = "ada@example.com")]
    pub email: String,
    /// Role of the member.
    pub role: Role,
    /// Time when the member joined.
    #[schema(format = DateTime)]
    pub joined_at: String,
    /// Revision of the object, which each update increments. An update can name it.
    #[schema(minimum = 1, example = 1)]
    pub revision: i64,
}

/// Which members to list.
#[derive(Debug, Default, Deserialize, Serialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ListMembers {
    /// Return only the member with this email address.
    #[param(value_type = String, required = false, pattern = r"^[^\x00]*$", example = "ada@example.com")]
    pub email: Option<String>,
    /// Return only members whose email address or name contains this text. The case of ASCII letters
    /// is ignored.
    #[param(value_type = String, required = false, max_length = 200, pattern = r"^[^\x00]*$", example = "ada@")]
    pub search: Option<Search>,
}

/// Settings to change in a membership.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct UpdateMember {
    /// New role of the member. It applies from the next request on.
    pub role: Role,
    /// Revision that the update is based on. If the object has another one by then, the update returns a conflict.
    #[schema(value_type = Option<i64>, minimum = 1)]
    pub revision: Option<Revision>,
}

/// A page of members, ordered by email address.
pub type MemberList = Listed<Member>;

impl Item for Member {
    const LIST: &'static str = "MemberList";
    const FIELD: &'static str = "members";
    const PAGE: &'static str = "A page of members, ordered by email address.";
}

/// Lists the members of an organization, by email address.
pub async fn list(
    operations: &Operations,
    caller: &Allowed<can::ListMembers>,
    organization_id: &str,
    filter: &ListMembers,
    page: &Page,
) -> Result<MemberList, OperationError> {
    let organization = caller.named_organization(operations, organization_id).await?;
    let page = page.of(("members", &organization.id, filter))?;
    let email = filter.email.as_deref().and_then(stored_email);
    let request = page.searched(filter.search.as_ref());
    let read = operations.database.members(&organization.id, email.as_deref(), request).await?;
    Ok(page.cut(read, |member| Position::of_id(&member.account.email), Member::from))
}

/// Returns a member.
pub async fn get(
    operations: &Operations,
    caller: &Allowed<can::GetMember>,
    organization_id: &str,
    account_id: &str,
) -> Result<Member, OperationError> {
    Ok(find(operations, caller, organization_id, account_id).await?.into())
}

/// Changes the role of a member. An organization keeps at least one admin.
pub async fn update(
    operations: &Operations,
    caller: &Allowed<can::UpdateMember>,
    organization_id: &str,
    account_id: &str,
    input: &UpdateMember,
) -> Result<Member, OperationError> {
    let UpdateMember { role, revision } = *input;
    let before = find(operations, caller, organization_id, account_id).await?;
    caller.require_every_address()?;
    let revision = require_current("member", before.revision, revision)?;
    let email = &before.account.email;
    let change = Change::of("member.update", Some(organization_id))
        .before(state(email, before.role))
        .after(state(email, role));
    let database = caller.recording(operations, change);
    let changed = database.set_role(organization_id, account_id, Some(role), revision).await;
    changed.map_err(taken)?.ok_or_else(no_member)?;
    get_member(operations, organization_id, account_id).await.map(Member::from)
}

/// Removes a member from an organization, which keeps at least one admin. The account stays.
pub async fn delete(
    operations: &Operations,
    caller: &Allowed<can::DeleteMember>,
    organization_id: &str,
    account_id: &str,
) -> Result<(), OperationError> {
    let before = find(operations, caller, organization_id, account_id).await?;
    let change = Change::of("member.delete", Some(organization_id))
        .before(state(&before.account.email, before.role));
    let database = caller.recording(operations, change);
    let removed = database.set_role(organization_id, account_id, None, None).await;
    removed.map_err(taken)?.ok_or_else(no_member)?;
    Ok(())
}

impl From<database::Member> for Member {
    fn from(member: database::Member) -> Self {
        Self {
            account_id: member.account.id,
            name: member.account.name,
            email: member.account.email,
            role: member.role,
            joined_at: iso(member.since),
            revision: member.revision,
        }
    }
}

/// A member of an organization that the caller can access.
async fn find(
    operations: &Operations,
    caller: &Caller,
    organization_id: &str,
    account_id: &str,
) -> Result<database::Member, OperationError> {
    let organization = caller.named_organization(operations, organization_id).await?;
    get_member(operations, &organization.id, account_id).await
}

async fn get_member(
    operations: &Operations,
    organization_id: &str,
    account_id: &str,
) -> Result<database::Member, OperationError> {
    operations.database.member(organization_id, account_id).await?.ok_or_else(no_member)
}

/// The error for an account that isn't a member.
fn no_member() -> OperationError {
    OperationError::NotFound("Member not found. Check the ID of the account.".to_owned())
}

/// The state of a member in the audit log.
fn state(email: &str, role: Role) -> Value {
    json!({ "email": email, "role": role.name() })
}
