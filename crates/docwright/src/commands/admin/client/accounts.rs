//! Accounts.

use docwright_operations::accounts::{
    self, Account, DeleteIdentity, DeletedAccount, ListAccounts, UpdateAccount,
};
use reqwest::Method;

use super::{Client, command_error, encoded, read_list, remote::with_query};

impl Client {
    pub(in crate::commands::admin) async fn list_accounts(
        &self,
        filter: &ListAccounts,
    ) -> anyhow::Result<Vec<Account>> {
        read_list(usize::MAX, async |page| match self {
            Self::Local(local) => {
                let (caller, page) = (local.caller()?, page.page()?);
                let listed = accounts::list(&local.operations, &caller, filter, &page).await;
                listed.map_err(command_error)
            }
            Self::Remote(remote) => remote.list("/v1/accounts", filter, page).await,
        })
        .await
    }

    pub(in crate::commands::admin) async fn update_account(
        &self,
        id: &str,
        input: &UpdateAccount,
    ) -> anyhow::Result<Account> {
        match self {
            Self::Local(local) => {
                let updated =
                    accounts::update(&local.operations, &local.caller()?, id, input).await;
                updated.map_err(command_error)
            }
            Self::Remote(remote) => {
                remote.send(Method::PATCH, &format!("/v1/accounts/{}", encoded(id)), input).await
            }
        }
    }

    pub(in crate::commands::admin) async fn delete_account(
        &self,
        id: &str,
    ) -> anyhow::Result<DeletedAccount> {
        match self {
            Self::Local(local) => {
                let deleted = accounts::delete(&local.operations, &local.caller()?, id).await;
                deleted.map_err(command_error)
            }
            Self::Remote(remote) => {
                remote.ask(Method::DELETE, &format!("/v1/accounts/{}", encoded(id))).await
            }
        }
    }

    pub(in crate::commands::admin) async fn delete_identity(
        &self,
        id: &str,
        input: &DeleteIdentity,
    ) -> anyhow::Result<()> {
        match self {
            Self::Local(local) => {
                let caller = local.caller()?;
                let deleted =
                    accounts::delete_identity(&local.operations, &caller, id, input).await;
                deleted.map_err(command_error)
            }
            Self::Remote(remote) => {
                let path = format!("/v1/accounts/{}/identities", encoded(id));
                remote.ask(Method::DELETE, &with_query(&path, input)?).await
            }
        }
    }
}
