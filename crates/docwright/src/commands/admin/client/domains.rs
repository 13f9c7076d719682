//! Domains.

use docwright_operations::{
    deletion::Deleted,
    domains::{self, DomainChange, DomainDetails, ListDomains, NewDomain, RenameDomain},
    fields::SiteDomain,
};
use reqwest::Method;

use super::{Client, command_error, encoded, read_list};

impl Client {
    pub(in crate::commands::admin) async fn list_domains(
        &self,
        filter: &ListDomains,
    ) -> anyhow::Result<Vec<DomainDetails>> {
        read_list(usize::MAX, async |page| match self {
            Self::Local(local) => {
                let (caller, page) = (local.caller()?, page.page()?);
                let listed = domains::list(&local.operations, &caller, filter, &page).await;
                listed.map_err(command_error)
            }
            Self::Remote(remote) => remote.list("/v1/domains", filter, page).await,
        })
        .await
    }

    pub(in crate::commands::admin) async fn create_domain(
        &self,
        input: NewDomain,
    ) -> anyhow::Result<DomainDetails> {
        match self {
            Self::Local(local) => {
                let created = domains::create(&local.operations, &local.caller()?, input).await;
                created.map_err(command_error)
            }
            Self::Remote(remote) => remote.send(Method::POST, "/v1/domains", &input).await,
        }
    }

    pub(in crate::commands::admin) async fn get_domain(
        &self,
        domain: &SiteDomain,
    ) -> anyhow::Result<DomainDetails> {
        match self {
            Self::Local(local) => {
                let found = domains::get(&local.operations, &local.caller()?, domain).await;
                found.map_err(command_error)
            }
            Self::Remote(remote) => remote.get(&path(domain)).await,
        }
    }

    pub(in crate::commands::admin) async fn update_domain(
        &self,
        domain: &SiteDomain,
        input: DomainChange,
    ) -> anyhow::Result<DomainDetails> {
        match self {
            Self::Local(local) => {
                let caller = local.caller()?;
                let updated = domains::update(&local.operations, &caller, domain, input).await;
                updated.map_err(command_error)
            }
            Self::Remote(remote) => remote.send(Method::PATCH, &path(domain), &input).await,
        }
    }

    pub(in crate::commands::admin) async fn verify_domain(
        &self,
        domain: &SiteDomain,
    ) -> anyhow::Result<DomainDetails> {
        match self {
            Self::Local(local) => {
                let verified = domains::verify(&local.operations, &local.caller()?, domain).await;
                verified.map_err(command_error)
            }
            Self::Remote(remote) => {
                remote.ask(Method::POST, &format!("{}/verify", path(domain))).await
            }
        }
    }

    pub(in crate::commands::admin) async fn rename_domain(
        &self,
        domain: &SiteDomain,
        input: RenameDomain,
    ) -> anyhow::Result<DomainDetails> {
        match self {
            Self::Local(local) => {
                let caller = local.caller()?;
                let renamed = domains::rename(&local.operations, &caller, domain, input).await;
                renamed.map_err(command_error)
            }
            Self::Remote(remote) => {
                remote.send(Method::POST, &format!("{}/rename", path(domain)), &input).await
            }
        }
    }

    pub(in crate::commands::admin) async fn end_domain_redirect(
        &self,
        domain: &SiteDomain,
        former: &SiteDomain,
    ) -> anyhow::Result<DomainDetails> {
        match self {
            Self::Local(local) => {
                let caller = local.caller()?;
                let ended = domains::end_redirect(&local.operations, &caller, domain, former).await;
                ended.map_err(command_error)
            }
            Self::Remote(remote) => {
                let path = format!("{}/redirects/{}", path(domain), encoded(former.0.as_str()));
                remote.ask(Method::DELETE, &path).await
            }
        }
    }

    pub(in crate::commands::admin) async fn delete_domain(
        &self,
        domain: &SiteDomain,
    ) -> anyhow::Result<Deleted> {
        match self {
            Self::Local(local) => {
                let deleted = domains::delete(&local.operations, &local.caller()?, domain).await;
                deleted.map_err(command_error)
            }
            Self::Remote(remote) => remote.ask(Method::DELETE, &path(domain)).await,
        }
    }
}

fn path(SiteDomain(domain): &SiteDomain) -> String {
    format!("/v1/domains/{}", encoded(domain.as_str()))
}
