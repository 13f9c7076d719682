//! A domain: its DNS records, their status, and the certificate of its host.

use axum::{
    extract::{Path, State},
    http::StatusCode,
    response::Response,
};
use docwright_operations::{
    OperationError, can,
    domains::{self, CertificateStanding, DomainChange, DomainDetails},
    fields::field,
};
use docwright_types::{account::Role, timestamp::Timestamp};
use maud::{Markup, html};
use serde::Deserialize;

use super::{DomainView, FIELDS, branch, certificate_standing, dns_standing, find, named};
use crate::{
    Dashboard,
    forms::{Form, FormProblem, is_stale, revision},
    parts::{self, Action, Field, FormError, at, copied, live, stored},
    paths::encoded,
    project_context::ProjectContext,
    refusal::Refusal,
    words::{self, Done},
};

#[derive(Deserialize)]
pub(in crate::pages) struct Change {
    branch: String,
    revision: Option<String>,
}

impl Change {
    fn input(&self) -> Result<DomainChange, OperationError> {
        let branch = Some(self.branch.trim()).filter(|branch| !branch.is_empty());
        Ok(DomainChange {
            branch: branch.map(|branch| field("branch", branch)).transpose()?,
            revision: revision(self.revision.as_deref())?,
        })
    }

    /// The stored values.
    fn of(domain: &DomainDetails) -> Self {
        Self {
            branch: domain.branch.clone().unwrap_or_default(),
            revision: domain.revision.map(|revision| revision.to_string()),
        }
    }
}

pub(in crate::pages) async fn show(
    State(dashboard): State<Dashboard>,
    place: ProjectContext,
    Path((_, name)): Path<(String, String)>,
) -> Result<Response, Refusal> {
    let domain = find(&dashboard, &place, &name).await?;
    Ok(page(&place, &dashboard, (&domain, &Change::of(&domain)), None))
}

/// Changes the branch.
pub(in crate::pages) async fn update(
    State(dashboard): State<Dashboard>,
    place: ProjectContext,
    Path((_, name)): Path<(String, String)>,
    Form(mut change): Form<Change>,
) -> Result<Response, Refusal> {
    let domain = find(&dashboard, &place, &name).await?;
    let caller = place.of.caller.allowed()?;
    let updated = match change.input() {
        Ok(input) => domains::update(&dashboard.operations, &caller, &named(&name)?, input).await,
        Err(error) => Err(error),
    };
    match updated.map_err(Refusal::from) {
        Ok(_) => Ok(place.of.person.browser.done(Done::Saved, &domain.path(&place))),
        Err(refusal) => {
            let domain = find(&dashboard, &place, &name).await?;
            let sent = change.revision.as_deref();
            let is_stale = domain.revision.is_some_and(|now| is_stale(&refusal, sent, now));
            if is_stale {
                change.revision = Change::of(&domain).revision;
            }
            let problem = FormProblem { sentence: refusal.into_problem()?, is_stale };
            Ok(page(&place, &dashboard, (&domain, &change), Some(&problem)))
        }
    }
}

/// Checks the record now.
pub(in crate::pages) async fn verify(
    State(dashboard): State<Dashboard>,
    place: ProjectContext,
    Path((_, name)): Path<(String, String)>,
) -> Result<Response, Refusal> {
    let domain = find(&dashboard, &place, &name).await?;
    domains::verify(&dashboard.operations, &place.of.caller.allowed()?, &named(&name)?).await?;
    Ok(place.of.person.browser.done(Done::DomainChecked, &domain.path(&place)))
}

fn page(
    place: &ProjectContext,
    dashboard: &Dashboard,
    (domain, form): (&DomainDetails, &Change),
    problem: Option<&FormProblem>,
) -> Response {
    let here = domain.path(place);
    let error = FormError::of(problem.map(|problem| problem.sentence.as_str()), &FIELDS);
    // All of it appears automatically.
    let waits = domain.is_pending()
        || domain.release_id.is_none()
        || !domain.leads_here()
        || domain
            .certificate
            .as_ref()
            .is_some_and(|certificate| certificate.state == CertificateStanding::Pending);
    let body = html! {
        p.above { a href=(place.path("domains")) { (words::DOMAINS) } }
        h1 { (domain.domain) }
        (error.show())
        @if problem.is_some_and(|problem| problem.is_stale) { (stored(&facts(domain))) }
        (live("domain", &here, waits, &standing(place, dashboard, domain, &here)))
        @if place.of.caller.can::<can::UpdateDomain>() {
            @if !domain.is_pending() {
                h2 { (words::BRANCH) }
                form.wide method="post" action=(here) {
                    (parts::revision(form.revision.as_deref()))
                    (Field::text("branch", words::BRANCH, &form.branch).hint(words::BRANCH_HINT).optional().checked(&error).show())
                    button type="submit" { (words::SAVE) }
                }
            }
            @if !domain.is_default && !domain.is_pending() {
                h2 { (words::RENAME_DOMAIN) }
                p { (words::RENAME_DOMAIN_WHY) }
                p { a.button href=(format!("{here}/rename")) { (words::RENAME_DOMAIN) } }
            }
            @if !domain.is_default {
                h2 { (words::REMOVE_DOMAIN) }
                p { (words::REMOVE_DOMAIN_WHY) }
                p { a.button href=(format!("{here}/remove")) { (words::REMOVE_DOMAIN) } }
            }
        } @else { p.soft { (words::needs(Role::Admin)) } }
    };
    let status = match problem {
        Some(FormProblem { is_stale: true, .. }) => StatusCode::CONFLICT,
        Some(_) => StatusCode::BAD_REQUEST,
        None => StatusCode::OK,
    };
    place.page_with(status, "domains", &domain.domain, &body)
}

fn facts(domain: &DomainDetails) -> Markup {
    html! {
        dl.facts { dt { (words::BRANCH) } dd { (branch(domain)) } }
    }
}

fn standing(
    place: &ProjectContext,
    dashboard: &Dashboard,
    domain: &DomainDetails,
    here: &str,
) -> Markup {
    let now = dashboard.operations.now();
    let verify = format!("{here}/verify");
    html! {
        p.standing { (domain.standing()) }
        @if domain.is_default {
            p.soft { @match &domain.redirects_to {
                Some(target) => (words::default_domain_redirects(target)),
                None => (words::DEFAULT_DOMAIN_WHY),
            } }
        }
        @if let Some(before) = &domain.renames { p.notice { (words::renames(before)) } }
        @if let Some(problem) = &domain.problem { p.problem { (problem) } }
        @if !domain.is_pending() && domain.release_id.is_some() { (open_site(domain)) }
        @if !domain.is_pending() && domain.release_id.is_none() {
            p { (words::DOMAIN_WITHOUT_RELEASE) }
            @if place.of.caller.can::<can::StartUpdate>() {
                div.actions { (Action::new(&place.path("releases/build"), words::BUILD_NEWEST).primary().show()) }
            }
        }
        h2 { (words::DNS) }
        @if !domain.is_pending() { (dns(now, domain)) }
        @if !domain.records.is_empty() {
            p { (if domain.is_pending() { words::RECORDS_WHY } else { words::RECORDS_LEAD }) }
            div.scroll tabindex="0" { table {
                thead { tr { th { (words::RECORD_TYPE) } th { (words::RECORD_NAME) } th { (words::RECORD_VALUE) } } }
                tbody {
                    @for record in &domain.records {
                        tr { td { (record.kind) } td { (copied(&record.name)) } td { (copied(&record.value)) } }
                    }
                }
            } }
        }
        @if let Some(problem) = &domain.records_problem { p.notice { (problem) } }
        @if let Some((host, base)) = domain.domain.split_once('/') { p { (words::base_path_leads(host, &format!("/{base}"))) } }
        @if place.of.caller.can::<can::VerifyDomain>() {
            div.actions.below {
                (if domain.is_pending() { Action::new(&verify, words::CHECK_NOW).primary() } else { Action::new(&verify, words::CHECK_NOW) }.show())
            }
        }
        h2 { (words::CERTIFICATE) }
        @match &domain.certificate {
            Some(certificate) => {
                p { (certificate_standing(certificate))
                    @if certificate.expires_at.is_some() { span.soft { " · " (words::CERTIFICATE_ENDS) " " (at(now, certificate.expires_at.as_deref())) } }
                }
                @if let Some(error) = &certificate.error { p.problem { (error) " " (words::CERTIFICATE_AGAIN) } }
            },
            None => p.soft { (if domain.is_pending() { words::CERTIFICATE_LATER } else { words::CERTIFICATE_ELSEWHERE }) },
        }
        @if !domain.redirects_from.is_empty() {
            h2 { (words::REDIRECTS_FROM) }
            ul.rows { @for name in &domain.redirects_from { (redirect(place, here, name)) } }
        }
        dl.facts.below {
            dt { (words::BRANCH) } dd { (branch(domain)) }
            @if let Some(release) = &domain.release_id {
                dt { (words::LIVE) } dd { a href=(place.path(&format!("releases/{release}"))) { (words::THAT_RELEASE) } }
            }
            dt { (words::CREATED) } dd { (at(now, Some(&domain.created_at))) }
        }
    }
}

/// The site at its URL, or where it can be seen until the name leads here.
fn open_site(domain: &DomainDetails) -> Markup {
    html! {
        @if domain.leads_here() {
            @if let Some(address) = &domain.address {
                div.actions { a.button href=(address) { (words::OPEN_SITE) } }
            }
        } @else if let Some(address) = &domain.preview_address {
            p { (words::SEE_SITE_NOW_WHY) }
            div.actions { a.button href=(address) { (words::SEE_SITE_NOW) } }
        } @else { p.soft { (words::SEE_SITE_NOW_OFF) } }
    }
}

/// Where the name leads, as the last check found.
fn dns(now: Timestamp, domain: &DomainDetails) -> Markup {
    let checked_at = domain.dns.as_ref().and_then(|dns| dns.checked_at.as_deref());
    html! {
        p { (dns_standing(domain.dns.as_ref()))
            @if checked_at.is_some() { span.soft { " · " (words::DNS_CHECKED_AT) " " (at(now, checked_at)) } }
        }
        @if let Some(dns) = &domain.dns {
            @if let Some(problem) = &dns.problem { p.problem { (problem) } }
            @else if !dns.addresses.is_empty() { p.soft { (words::DNS_ADDRESSES) ": " (dns.addresses.join(", ")) } }
        }
    }
}

fn redirect(place: &ProjectContext, here: &str, name: &str) -> Markup {
    let end = format!("{here}/redirects/{}/remove", encoded(name));
    let question = words::remove_redirect_question(name);
    html! {
        li {
            span.grow { (name) }
            @if place.of.caller.can::<can::DeleteDomainRedirect>() {
                (Action::new(&end, words::REMOVE_REDIRECT).dangerous(&question).show())
            }
        }
    }
}
