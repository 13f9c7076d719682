//! The domains of a project, and the form to add one.

pub(super) mod remove;
pub(super) mod rename;
pub(super) mod show;

use axum::{
    extract::{Query, State},
    http::StatusCode,
    response::Response,
};
use docwright_operations::{
    OperationError, can,
    domains::{
        self, Certificate, CertificateStanding, DomainDetails, DomainDns, DomainList, DomainState,
        ListDomains,
    },
    fields::{SiteDomain, field},
};
use docwright_types::{account::Role, domain_check::DnsState};
use maud::{Markup, html};
use serde::Deserialize;

use crate::{
    Dashboard,
    forms::Form,
    parts::{Field, FormError, ListQuery, NamedField, Tone, empty, nothing_found, search, state},
    paths::encoded,
    project_context::ProjectContext,
    refusal::Refusal,
    words::{self, Done},
};

/// Most domains in a form's list.
const OFFERED: i64 = 100;

/// The fields of the form, as errors of the operation name them.
const FIELDS: [NamedField; 2] =
    [("domain", "domain", words::DOMAIN), ("branch", "branch", words::BRANCH)];

#[derive(Deserialize)]
pub(super) struct NewDomain {
    domain: String,
    branch: String,
}

/// A domain, prepared for display.
pub(super) trait DomainView {
    /// Whether it isn't verified yet.
    fn is_pending(&self) -> bool;
    /// Its state.
    fn standing(&self) -> Markup;
    /// Its page.
    fn path(&self, place: &ProjectContext) -> String;
}

impl DomainView for DomainDetails {
    fn is_pending(&self) -> bool {
        self.state == DomainState::Pending
    }

    fn standing(&self) -> Markup {
        match (self.is_pending(), &self.release_id) {
            (true, _) => state(Tone::Waiting, words::PENDING_DOMAIN),
            (false, None) => state(Tone::Waiting, words::WAITS_FOR_RELEASE),
            (false, Some(_)) if !self.leads_here() => dns_standing(self.dns.as_ref()),
            (false, Some(_)) if self.redirects_to.is_some() => state(Tone::Good, words::REDIRECTS),
            (false, Some(_)) => state(Tone::Good, words::SERVES),
        }
    }

    fn path(&self, place: &ProjectContext) -> String {
        place.path(&format!("domains/{}", encoded(&self.domain)))
    }
}

/// Where a name leads.
pub(super) fn dns_standing(dns: Option<&DomainDns>) -> Markup {
    match dns.map(|dns| dns.state) {
        Some(DnsState::Correct) => state(Tone::Good, words::DNS_LEADS_HERE),
        Some(DnsState::Missing) => state(Tone::Bad, words::DNS_MISSING),
        Some(DnsState::Elsewhere) => state(Tone::Bad, words::DNS_ELSEWHERE),
        Some(DnsState::Unknown) => state(Tone::Waiting, words::DNS_UNKNOWN),
        None => state(Tone::Running, words::DNS_WAITS),
    }
}

/// The state of a certificate.
fn certificate_standing(certificate: &Certificate) -> Markup {
    let tone = match certificate.state {
        CertificateStanding::Valid => Tone::Good,
        CertificateStanding::Expired
        | CertificateStanding::Failed
        | CertificateStanding::Missing => Tone::Bad,
        CertificateStanding::Pending => Tone::Running,
    };
    state(tone, words::certificate(certificate.state.name()))
}

/// Fields of the form that adds a domain to a project.
pub(super) fn input(
    domain: &str,
    project_id: &str,
    branch: &str,
) -> Result<domains::NewDomain, OperationError> {
    let branch = Some(branch.trim()).filter(|branch| !branch.is_empty());
    Ok(domains::NewDomain {
        domain: field("domain", domain.trim())?,
        project_id: field("projectId", project_id)?,
        branch: branch.map(|branch| field("branch", branch)).transpose()?,
    })
}

pub(super) async fn list(
    State(dashboard): State<Dashboard>,
    place: ProjectContext,
    Query(asked): Query<ListQuery>,
) -> Result<Response, Refusal> {
    page(&dashboard, &place, &asked, None).await
}

pub(super) async fn create(
    State(dashboard): State<Dashboard>,
    place: ProjectContext,
    Form(new): Form<NewDomain>,
) -> Result<Response, Refusal> {
    let caller = place.of.caller.allowed()?;
    let created = match input(&new.domain, &place.project.id, &new.branch) {
        Ok(input) => domains::create(&dashboard.operations, &caller, input).await,
        Err(error) => Err(error),
    };
    match created.map_err(Refusal::from) {
        Ok(domain) => Ok(place.of.person.browser.done(Done::DomainAdded, &domain.path(&place))),
        Err(refusal) => {
            let sentence = refusal.into_problem()?;
            page(&dashboard, &place, &ListQuery::default(), Some((&sentence, &new))).await
        }
    }
}

/// A page about the domains of a project.
async fn read(
    dashboard: &Dashboard,
    place: &ProjectContext,
    asked: &ListQuery,
    limit: Option<i64>,
) -> Result<DomainList, Refusal> {
    let filter = ListDomains {
        project_id: Some(place.project.id.clone()),
        search: asked.searched()?,
        ..ListDomains::default()
    };
    let (caller, page) = (place.of.caller.allowed()?, asked.page(limit)?);
    Ok(domains::list(&dashboard.operations, &caller, &filter, &page).await?)
}

/// The names of the domains of a project that serve a site, or will.
pub(super) async fn of_project(
    dashboard: &Dashboard,
    place: &ProjectContext,
) -> Result<Vec<String>, Refusal> {
    let list = read(dashboard, place, &ListQuery::default(), Some(OFFERED)).await?;
    let ready = list.items.into_iter().filter(|domain| !domain.is_pending());
    Ok(ready.map(|domain| domain.domain).collect())
}

async fn page(
    dashboard: &Dashboard,
    place: &ProjectContext,
    asked: &ListQuery,
    wrong: Option<(&str, &NewDomain)>,
) -> Result<Response, Refusal> {
    let list = read(dashboard, place, asked, None).await?;
    let (here, next) = (place.path("domains"), list.next_cursor.as_deref());
    let error = FormError::of(wrong.map(|(sentence, _)| sentence), &FIELDS);
    let text = |of: fn(&NewDomain) -> &str| wrong.map_or("", |(_, given)| of(given));
    let body = html! {
        h1 { (words::DOMAINS) }
        (error.show())
        @if asked.is_long(list.items.len(), next) { (search(&here, words::FIND_DOMAIN, asked)) }
        @if list.items.is_empty() && asked.is_all() {
            (empty(words::NO_DOMAINS, words::NO_DOMAINS_WHY, &Markup::default()))
        } @else if list.items.is_empty() {
            (nothing_found(&here, asked))
        } @else {
            (table(place, &list.items))
            (asked.pager(&here, next))
        }
        @if place.of.caller.can::<can::CreateDomain>() {
            h2 { (words::ADD_DOMAIN) }
            form.wide method="post" action=(here) {
                (Field::text("domain", words::DOMAIN, text(|given| &given.domain)).hint(words::DOMAIN_HINT).checked(&error).show())
                (Field::text("branch", words::BRANCH, text(|given| &given.branch)).hint(words::BRANCH_HINT).optional().checked(&error).show())
                button.primary type="submit" { (words::ADD_DOMAIN) }
            }
        } @else { p.soft.below { (words::needs(Role::Admin)) } }
    };
    let status = if wrong.is_some() { StatusCode::BAD_REQUEST } else { StatusCode::OK };
    Ok(place.page_with(status, "domains", words::DOMAINS, &body))
}

fn table(place: &ProjectContext, domains: &[DomainDetails]) -> Markup {
    html! {
        div.scroll tabindex="0" { table {
            thead { tr {
                th { (words::DOMAIN) } th { (words::STATE) } th { (words::BRANCH) } th { (words::CERTIFICATE) }
            } }
            tbody {
                @for domain in domains {
                    tr {
                        td.grow { a href=(domain.path(place)) { (domain.domain) } }
                        td { (domain.standing()) }
                        td { (branch(domain)) }
                        td { @if let Some(certificate) = &domain.certificate { (certificate_standing(certificate)) } @else { span.soft { "–" } } }
                    }
                }
            }
        } }
    }
}

fn branch(domain: &DomainDetails) -> Markup {
    html! {
        @if let Some(branch) = &domain.branch { code { (branch) } } @else { span.soft { (words::DEFAULT_BRANCH) } }
    }
}

/// The domain with a name, if it belongs to the project.
async fn find(
    dashboard: &Dashboard,
    place: &ProjectContext,
    name: &str,
) -> Result<DomainDetails, Refusal> {
    let found =
        domains::get(&dashboard.operations, &place.of.caller.allowed()?, &named(name)?).await?;
    if found.project_id == place.project.id { Ok(found) } else { Err(Refusal::Missing) }
}

/// The domain in a URL. An invalid name is not found.
fn named(name: &str) -> Result<SiteDomain, Refusal> {
    SiteDomain::try_from(name.to_owned()).map_err(|_| Refusal::Missing)
}
