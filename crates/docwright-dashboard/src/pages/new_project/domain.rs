//! The domain of a new project, and its branch.

use docwright_http::this_machine::is_this_machine;
use docwright_operations::{
    OperationError,
    domains::{self, DomainChange, ListDomains},
    fields::{SiteDomain, field},
    lists::Page,
};
use docwright_types::{default_domain::SitesDomain, domain_name::DomainName};
use url::Url;

use super::{NewProject, filled};
use crate::{
    Dashboard, pages::domains as domain_pages, project_context::OrganizationPlace, refusal::Refusal,
};

/// Domains of this machine that a new project tries.
const LOCAL_DOMAINS: u32 = 20;

/// Adds the requested domain to a new project. On a local machine without default domains, the project gets the first
/// free one like its name, since people who try docwright have no domain at hand. A default domain shows the branch of
/// the form too.
pub(super) async fn give(
    dashboard: &Dashboard,
    place: &OrganizationPlace,
    new: &NewProject,
    project_id: &str,
) -> Result<(), Refusal> {
    let caller = place.caller.allowed()?;
    let add = async |domain: &str| {
        let input = domain_pages::input(domain, project_id, &new.branch)?;
        domains::create(&dashboard.operations, &caller, input).await
    };
    if let Some(branch) = filled(&new.branch) {
        set_branch(dashboard, place, (project_id, branch)).await?;
    }
    if let Some(wanted) = filled(&new.domain) {
        add(wanted).await?;
    } else if is_laptop(dashboard) {
        for domain in local_domains(new.name.trim()) {
            match add(&domain).await {
                Err(OperationError::Conflict(_)) => {}
                // The user requested no domain, so there is nothing to correct.
                Err(OperationError::Invalid(_)) => break,
                added => return Ok(added.map(drop)?),
            }
        }
    }
    Ok(())
}

/// Sets the branch of the default domain, if the project has one.
async fn set_branch(
    dashboard: &Dashboard,
    place: &OrganizationPlace,
    (project_id, branch): (&str, &str),
) -> Result<(), Refusal> {
    let filter = ListDomains { project_id: Some(project_id.to_owned()), ..ListDomains::default() };
    let (caller, page) = (place.caller.allowed()?, Page::new(None, None)?);
    let list = domains::list(&dashboard.operations, &caller, &filter, &page).await?;
    for default in list.items {
        let domain: SiteDomain = field("domain", default.domain)?;
        let change = DomainChange { branch: Some(field("branch", branch)?), revision: None };
        let caller = place.caller.allowed()?;
        domains::update(&dashboard.operations, &caller, &domain, change).await?;
    }
    Ok(())
}

/// Whether only this machine can reach the service, and projects get no default domain.
pub(super) fn is_laptop(dashboard: &Dashboard) -> bool {
    if dashboard.operations.ownership.service_hosts().sites().is_some() {
        return false;
    }
    Url::parse(&dashboard.operations.repositories.public_url).is_ok_and(|own| is_this_machine(&own))
}

/// Domains of this machine similar to a name.
fn local_domains(name: &str) -> impl Iterator<Item = String> {
    let machine = DomainName::parse("localhost").map(SitesDomain::new);
    machine.into_iter().flat_map(move |machine| {
        (1..=LOCAL_DOMAINS).map(move |number| machine.default_domain(name, number).to_string())
    })
}
