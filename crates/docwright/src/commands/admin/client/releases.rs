//! Releases.

use docwright_operations::releases::{
    self, CreateRelease, CreatedRelease, DomainReleases, ListReleases, Release, ReleaseDetails,
};
use reqwest::Method;

use super::{Client, command_error, encoded, read_list};

impl Client {
    pub(in crate::commands::admin) async fn list_releases(
        &self,
        project_id: &str,
        length: usize,
    ) -> anyhow::Result<Vec<Release>> {
        let path = format!("/v1/projects/{}/releases", encoded(project_id));
        let filter = ListReleases::default();
        read_list(length, async |page| match self {
            Self::Local(local) => {
                let (operations, caller) = (&local.operations, local.caller()?);
                let page = page.page()?;
                let listed = releases::list(operations, &caller, project_id, &filter, &page).await;
                listed.map_err(command_error)
            }
            Self::Remote(remote) => remote.list(&path, &filter, page).await,
        })
        .await
    }

    /// Lists the releases of the project that has a domain.
    pub(in crate::commands::admin) async fn list_releases_of_domain(
        &self,
        of: &DomainReleases,
        length: usize,
    ) -> anyhow::Result<Vec<Release>> {
        let filter = ListReleases::default();
        read_list(length, async |page| match self {
            Self::Local(local) => {
                let (operations, caller) = (&local.operations, local.caller()?);
                let page = page.page()?;
                let listed =
                    releases::list_of_domain(operations, &caller, &of.domain, &filter, &page);
                listed.await.map_err(command_error)
            }
            Self::Remote(remote) => remote.list("/v1/releases", of, page).await,
        })
        .await
    }

    pub(in crate::commands::admin) async fn create_release(
        &self,
        input: CreateRelease,
    ) -> anyhow::Result<CreatedRelease> {
        match self {
            Self::Local(local) => {
                let created = releases::create(&local.operations, &local.caller()?, input).await;
                created.map_err(command_error)
            }
            Self::Remote(remote) => remote.send(Method::POST, "/v1/releases", &input).await,
        }
    }

    pub(in crate::commands::admin) async fn get_release(
        &self,
        id: &str,
    ) -> anyhow::Result<ReleaseDetails> {
        match self {
            Self::Local(local) => {
                let found = releases::get(&local.operations, &local.caller()?, id).await;
                found.map_err(command_error)
            }
            Self::Remote(remote) => remote.get(&format!("/v1/releases/{}", encoded(id))).await,
        }
    }

    pub(in crate::commands::admin) async fn cancel_release(
        &self,
        id: &str,
    ) -> anyhow::Result<Release> {
        match self {
            Self::Local(local) => {
                let canceled = releases::cancel(&local.operations, &local.caller()?, id).await;
                canceled.map_err(command_error)
            }
            Self::Remote(remote) => {
                remote.ask(Method::POST, &format!("/v1/releases/{}/cancel", encoded(id))).await
            }
        }
    }

    pub(in crate::commands::admin) async fn activate_release(
        &self,
        id: &str,
    ) -> anyhow::Result<Release> {
        match self {
            Self::Local(local) => {
                let activated = releases::activate(&local.operations, &local.caller()?, id).await;
                activated.map_err(command_error)
            }
            Self::Remote(remote) => {
                remote.ask(Method::POST, &format!("/v1/releases/{}/activate", encoded(id))).await
            }
        }
    }
}
