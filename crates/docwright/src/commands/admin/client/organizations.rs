//! Organizations.

use docwright_operations::{
    deletion::Deleted,
    organizations::{
        self, CreateOrganization, ListOrganizations, Organization, UpdateOrganization,
    },
};
use reqwest::Method;

use super::{Client, command_error, encoded, local::if_found, only, read_list};

impl Client {
    pub(in crate::commands::admin) async fn list_organizations(
        &self,
        filter: &ListOrganizations,
    ) -> anyhow::Result<Vec<Organization>> {
        read_list(usize::MAX, async |page| match self {
            Self::Local(local) => {
                let (caller, page) = (local.caller()?, page.page()?);
                let listed = organizations::list(&local.operations, &caller, filter, &page).await;
                listed.map_err(command_error)
            }
            Self::Remote(remote) => remote.list("/v1/organizations", filter, page).await,
        })
        .await
    }

    pub(in crate::commands::admin) async fn create_organization(
        &self,
        input: CreateOrganization,
    ) -> anyhow::Result<Organization> {
        match self {
            Self::Local(local) => {
                let caller = local.caller()?;
                let created = organizations::create(&local.operations, &caller, input).await;
                created.map_err(command_error)
            }
            Self::Remote(remote) => remote.send(Method::POST, "/v1/organizations", &input).await,
        }
    }

    pub(in crate::commands::admin) async fn update_organization(
        &self,
        id: &str,
        input: UpdateOrganization,
    ) -> anyhow::Result<Organization> {
        match self {
            Self::Local(local) => {
                let caller = local.caller()?;
                let updated = organizations::update(&local.operations, &caller, id, input).await;
                updated.map_err(command_error)
            }
            Self::Remote(remote) => remote.send(Method::PATCH, &path(id), &input).await,
        }
    }

    pub(in crate::commands::admin) async fn delete_organization(
        &self,
        id: &str,
    ) -> anyhow::Result<Deleted> {
        match self {
            Self::Local(local) => {
                let deleted = organizations::delete(&local.operations, &local.caller()?, id).await;
                deleted.map_err(command_error)
            }
            Self::Remote(remote) => remote.ask(Method::DELETE, &path(id)).await,
        }
    }

    /// The organization with an ID; `None` if it doesn't exist.
    async fn get_organization(&self, id: &str) -> anyhow::Result<Option<Organization>> {
        match self {
            Self::Local(local) => {
                if_found(organizations::get(&local.operations, &local.caller()?, id).await)
            }
            Self::Remote(remote) => remote.find(&path(id)).await,
        }
    }

    /// The organization with an ID or a name.
    pub(in crate::commands::admin) async fn organization(
        &self,
        id_or_name: &str,
    ) -> anyhow::Result<Organization> {
        if !id_or_name.is_empty()
            && let Some(found) = self.get_organization(id_or_name).await?
        {
            return Ok(found);
        }
        let name = Some(id_or_name.to_owned());
        let filter = ListOrganizations { name, ..ListOrganizations::default() };
        let mut named = self.list_organizations(&filter).await?;
        named.retain(|organization| organization.name == id_or_name);
        only(named, ("organization", "organization"), id_or_name, |found| found.id.clone())
    }

    /// The ID of the organization with an ID or a name, if one is named.
    pub(in crate::commands::admin) async fn organization_id(
        &self,
        id_or_name: Option<&str>,
    ) -> anyhow::Result<Option<String>> {
        let Some(id_or_name) = id_or_name else { return Ok(None) };
        Ok(Some(self.organization(id_or_name).await?.id))
    }
}

fn path(id: &str) -> String {
    format!("/v1/organizations/{}", encoded(id))
}
