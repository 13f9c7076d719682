//! Credentials for git hosts.

use docwright_operations::credentials::{
    self, Credential, DeletedCredential, ListCredentials, SetCredential,
};
use reqwest::Method;

use super::{Client, command_error, encoded, read_list};

impl Client {
    pub(in crate::commands::admin) async fn list_credentials(
        &self,
        filter: &ListCredentials,
    ) -> anyhow::Result<Vec<Credential>> {
        read_list(usize::MAX, async |page| match self {
            Self::Local(local) => {
                let (caller, page) = (local.caller()?, page.page()?);
                let listed = credentials::list(&local.operations, &caller, filter, &page).await;
                listed.map_err(command_error)
            }
            Self::Remote(remote) => remote.list("/v1/credentials", filter, page).await,
        })
        .await
    }

    pub(in crate::commands::admin) async fn set_credential(
        &self,
        input: SetCredential,
    ) -> anyhow::Result<Credential> {
        match self {
            Self::Local(local) => {
                let set = credentials::set(&local.operations, &local.caller()?, input).await;
                set.map_err(command_error)
            }
            Self::Remote(remote) => remote.send(Method::PUT, "/v1/credentials", &input).await,
        }
    }

    pub(in crate::commands::admin) async fn delete_credential(
        &self,
        id: &str,
    ) -> anyhow::Result<DeletedCredential> {
        match self {
            Self::Local(local) => {
                let deleted = credentials::delete(&local.operations, &local.caller()?, id).await;
                deleted.map_err(command_error)
            }
            Self::Remote(remote) => {
                remote.ask(Method::DELETE, &format!("/v1/credentials/{}", encoded(id))).await
            }
        }
    }
}
