//! Members of organizations, and invitations to them.

use docwright_operations::{
    invitations::{self, CreateInvitation, CreatedInvitation},
    members::{self, ListMembers, Member, UpdateMember},
};
use reqwest::Method;

use super::{Client, command_error, encoded, read_list};

impl Client {
    pub(in crate::commands::admin) async fn list_members(
        &self,
        organization_id: &str,
        filter: &ListMembers,
    ) -> anyhow::Result<Vec<Member>> {
        read_list(usize::MAX, async |page| match self {
            Self::Local(local) => {
                let (operations, caller) = (&local.operations, local.caller()?);
                let page = page.page()?;
                let listed = members::list(operations, &caller, organization_id, filter, &page);
                listed.await.map_err(command_error)
            }
            Self::Remote(remote) => remote.list(&path(organization_id), filter, page).await,
        })
        .await
    }

    pub(in crate::commands::admin) async fn update_member(
        &self,
        (organization_id, account_id): (&str, &str),
        input: &UpdateMember,
    ) -> anyhow::Result<Member> {
        match self {
            Self::Local(local) => {
                let (operations, caller) = (&local.operations, local.caller()?);
                let updated =
                    members::update(operations, &caller, organization_id, account_id, input);
                updated.await.map_err(command_error)
            }
            Self::Remote(remote) => {
                let path = format!("{}/{}", path(organization_id), encoded(account_id));
                remote.send(Method::PATCH, &path, input).await
            }
        }
    }

    pub(in crate::commands::admin) async fn delete_member(
        &self,
        (organization_id, account_id): (&str, &str),
    ) -> anyhow::Result<()> {
        match self {
            Self::Local(local) => {
                let (operations, caller) = (&local.operations, local.caller()?);
                let deleted = members::delete(operations, &caller, organization_id, account_id);
                deleted.await.map_err(command_error)
            }
            Self::Remote(remote) => {
                let path = format!("{}/{}", path(organization_id), encoded(account_id));
                remote.ask(Method::DELETE, &path).await
            }
        }
    }

    pub(in crate::commands::admin) async fn create_invitation(
        &self,
        organization_id: &str,
        input: CreateInvitation,
    ) -> anyhow::Result<CreatedInvitation> {
        match self {
            Self::Local(local) => {
                let (operations, caller) = (&local.operations, local.caller()?);
                let created = invitations::create(operations, &caller, organization_id, input);
                created.await.map_err(command_error)
            }
            Self::Remote(remote) => {
                let path = format!("/v1/organizations/{}/invitations", encoded(organization_id));
                remote.send(Method::POST, &path, &input).await
            }
        }
    }
}

fn path(organization_id: &str) -> String {
    format!("/v1/organizations/{}/members", encoded(organization_id))
}
