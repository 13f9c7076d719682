//! Projects.

use docwright_operations::{
    deletion::Deleted,
    projects::{self, CreateProject, ListProjects, Project, UpdateProject},
};
use reqwest::Method;

use super::{Client, command_error, encoded, local::if_found, only, read_list};

impl Client {
    pub(in crate::commands::admin) async fn list_projects(
        &self,
        filter: &ListProjects,
    ) -> anyhow::Result<Vec<Project>> {
        read_list(usize::MAX, async |page| match self {
            Self::Local(local) => {
                let (caller, page) = (local.caller()?, page.page()?);
                let listed = projects::list(&local.operations, &caller, filter, &page).await;
                listed.map_err(command_error)
            }
            Self::Remote(remote) => remote.list("/v1/projects", filter, page).await,
        })
        .await
    }

    pub(in crate::commands::admin) async fn create_project(
        &self,
        input: CreateProject,
    ) -> anyhow::Result<Project> {
        match self {
            Self::Local(local) => {
                let created = projects::create(&local.operations, &local.caller()?, input).await;
                created.map_err(command_error)
            }
            Self::Remote(remote) => remote.send(Method::POST, "/v1/projects", &input).await,
        }
    }

    pub(in crate::commands::admin) async fn update_project(
        &self,
        id: &str,
        input: UpdateProject,
    ) -> anyhow::Result<Project> {
        match self {
            Self::Local(local) => {
                let caller = local.caller()?;
                let updated = projects::update(&local.operations, &caller, id, input).await;
                updated.map_err(command_error)
            }
            Self::Remote(remote) => remote.send(Method::PATCH, &path(id), &input).await,
        }
    }

    pub(in crate::commands::admin) async fn delete_project(
        &self,
        id: &str,
    ) -> anyhow::Result<Deleted> {
        match self {
            Self::Local(local) => {
                let deleted = projects::delete(&local.operations, &local.caller()?, id).await;
                deleted.map_err(command_error)
            }
            Self::Remote(remote) => remote.ask(Method::DELETE, &path(id)).await,
        }
    }

    /// The project with an ID; `None` if it doesn't exist.
    async fn get_project(&self, id: &str) -> anyhow::Result<Option<Project>> {
        match self {
            Self::Local(local) => {
                if_found(projects::get(&local.operations, &local.caller()?, id).await)
            }
            Self::Remote(remote) => remote.find(&path(id)).await,
        }
    }

    /// The project with an ID or a name.
    pub(in crate::commands::admin) async fn project(
        &self,
        id_or_name: &str,
    ) -> anyhow::Result<Project> {
        if !id_or_name.is_empty()
            && let Some(found) = self.get_project(id_or_name).await?
        {
            return Ok(found);
        }
        let name = Some(id_or_name.to_owned());
        let filter = ListProjects { name, ..ListProjects::default() };
        let mut named = self.list_projects(&filter).await?;
        named.retain(|project| project.name == id_or_name);
        only(named, ("project", "project"), id_or_name, |found| {
            format!("{} of {}", found.id, found.organization_id)
        })
    }

    /// The ID of the project with an ID or a name, if one is named.
    pub(in crate::commands::admin) async fn project_id(
        &self,
        id_or_name: Option<&str>,
    ) -> anyhow::Result<Option<String>> {
        let Some(id_or_name) = id_or_name else { return Ok(None) };
        Ok(Some(self.project(id_or_name).await?.id))
    }
}

fn path(id: &str) -> String {
    format!("/v1/projects/{}", encoded(id))
}
