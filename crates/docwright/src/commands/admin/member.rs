//! `docwright admin member`: people who sign in to the dashboard.

use anyhow::Context;
use clap::Subcommand;
use docwright_operations::{
    invitations::CreateInvitation,
    members::{ListMembers, UpdateMember},
};
use docwright_types::account::{Email, Role};
use serde_json::{json, to_value};

use super::{Client, Report, link::ServiceAddress};

/// What to do with members.
#[derive(Debug, Subcommand)]
pub(super) enum Action {
    /// List the members of an organization
    List {
        /// Id or name of the organization
        #[arg(long)]
        organization: String,
    },
    /// Change the role of a member
    Set {
        /// Email address of the member
        email: Email,
        /// Id or name of the organization
        #[arg(long)]
        organization: String,
        /// New role: viewer, editor, or admin; each includes the ones before it
        #[arg(long)]
        role: Role,
    },
    /// Remove a member; the account and the organization's keys are kept
    Remove {
        /// Email address of the member
        email: Email,
        /// Id or name of the organization
        #[arg(long)]
        organization: String,
    },
    /// Invite someone with a single-use link, and print it once
    Invite {
        /// Email address to invite
        email: Email,
        /// Id or name of the organization
        #[arg(long)]
        organization: String,
        /// Role: viewer, editor, or admin; each includes the ones before it
        #[arg(long, default_value = "viewer")]
        role: Role,
        #[command(flatten)]
        address: ServiceAddress,
    },
}

pub(super) async fn act(client: &Client, action: Action) -> anyhow::Result<Report> {
    match action {
        Action::List { organization } => {
            let organization = client.organization(&organization).await?;
            Ok(Report::rows(
                &client.list_members(&organization.id, &ListMembers::default()).await?,
                &["accountId", "name", "email", "role", "joinedAt"],
                "No members yet. Invite someone with `docwright admin member invite EMAIL --organization ORGANIZATION`.",
            )?)
        }
        Action::Set { email, organization, role } => {
            let (organization, account) = find(client, &organization, &email).await?;
            let input = UpdateMember { role, revision: None };
            let updated = client.update_member((&organization, &account), &input).await?;
            Ok(Report::of(to_value(updated)?))
        }
        Action::Remove { email, organization } => {
            let (organization, account) = find(client, &organization, &email).await?;
            client.delete_member((&organization, &account)).await?;
            Ok(Report::of(json!({ "email": email.as_str(), "removed": true })))
        }
        Action::Invite { email, organization, role, address } => {
            let organization = client.organization(&organization).await?;
            let input = CreateInvitation { email: email.into(), role };
            let mut created = client.create_invitation(&organization.id, input).await?;
            created.link = address.link(&created.link);
            let next = "send them the link; it works once, for seven days, and is not shown again";
            Ok(address.hint(Report::of(to_value(created)?).then(next)))
        }
    }
}

/// The IDs of an organization and of a member's account.
async fn find(
    client: &Client,
    organization: &str,
    email: &Email,
) -> anyhow::Result<(String, String)> {
    let organization = client.organization(organization).await?;
    let filter = ListMembers { email: Some(email.to_string()), ..ListMembers::default() };
    let found = client.list_members(&organization.id, &filter).await?.into_iter().next();
    let found = found.with_context(|| {
        format!("the organization has no member {email}; see `docwright admin member list`")
    })?;
    Ok((organization.id, found.account_id))
}
