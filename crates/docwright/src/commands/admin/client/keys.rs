//! API keys.

use docwright_operations::keys::{self, CreateKey, CreatedKey, Key, ListKeys, UpdateKey};
use reqwest::Method;

use super::{Client, command_error, encoded, read_list};

impl Client {
    pub(in crate::commands::admin) async fn list_keys(
        &self,
        filter: &ListKeys,
    ) -> anyhow::Result<Vec<Key>> {
        read_list(usize::MAX, async |page| match self {
            Self::Local(local) => {
                let (caller, page) = (local.caller()?, page.page()?);
                let listed = keys::list(&local.operations, &caller, filter, &page).await;
                listed.map_err(command_error)
            }
            Self::Remote(remote) => remote.list("/v1/keys", filter, page).await,
        })
        .await
    }

    pub(in crate::commands::admin) async fn create_key(
        &self,
        input: CreateKey,
    ) -> anyhow::Result<CreatedKey> {
        match self {
            Self::Local(local) => {
                let created = keys::create(&local.operations, &local.caller()?, input).await;
                created.map_err(command_error)
            }
            Self::Remote(remote) => remote.send(Method::POST, "/v1/keys", &input).await,
        }
    }

    pub(in crate::commands::admin) async fn get_key(&self, id: &str) -> anyhow::Result<Key> {
        match self {
            Self::Local(local) => {
                let found = keys::get(&local.operations, &local.caller()?, id).await;
                found.map_err(command_error)
            }
            Self::Remote(remote) => remote.get(&path(id)).await,
        }
    }

    pub(in crate::commands::admin) async fn update_key(
        &self,
        id: &str,
        input: UpdateKey,
    ) -> anyhow::Result<Key> {
        match self {
            Self::Local(local) => {
                let updated = keys::update(&local.operations, &local.caller()?, id, input).await;
                updated.map_err(command_error)
            }
            Self::Remote(remote) => remote.send(Method::PATCH, &path(id), &input).await,
        }
    }

    pub(in crate::commands::admin) async fn revoke_key(&self, id: &str) -> anyhow::Result<Key> {
        match self {
            Self::Local(local) => {
                let revoked = keys::revoke(&local.operations, &local.caller()?, id).await;
                revoked.map_err(command_error)
            }
            Self::Remote(remote) => remote.ask(Method::POST, &format!("{}/revoke", path(id))).await,
        }
    }
}

fn path(id: &str) -> String {
    format!("/v1/keys/{}", encoded(id))
}
