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
use docwright_types::account::Role;
use maud::{Markup, html};
use serde::Deserialize;

use super::{DomainView, FIELDS, branch, certificate_standing, find, named};
use crate::{
    Dashboard,
    forms::{Form, FormProblem, is_stale, revision},
    parts::{self, Action, Field, FormError, at, copied, live, stored},
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
    // Both appear automatically.
    let waits = domain.is_pending()
        || domain.release_id.is_none()
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
        @if let Some(problem) = &domain.problem { p.problem { (problem) } }
        @if !domain.is_pending() && domain.release_id.is_some() {
            @if let Some(address) = &domain.address {
                div.actions { a.button href=(address) { (words::OPEN_SITE) } }
            }
        }
        @if !domain.is_pending() && domain.release_id.is_none() {
            p { (words::DOMAIN_WITHOUT_RELEASE) }
            @if place.of.caller.can::<can::StartUpdate>() {
                div.actions { (Action::new(&place.path("releases/build"), words::BUILD_NEWEST).primary().show()) }
            }
        }
        @if !domain.records.is_empty() {
            h2 { (words::RECORDS) }
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
        @if domain.is_pending() && place.of.caller.can::<can::VerifyDomain>() {
            div.actions.below { (Action::new(&verify, words::CHECK_NOW).primary().show()) }
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
        dl.facts.below {
            dt { (words::BRANCH) } dd { (branch(domain)) }
            @if let Some(release) = &domain.release_id {
                dt { (words::LIVE) } dd { a href=(place.path(&format!("releases/{release}"))) { (words::THAT_RELEASE) } }
            }
            dt { (words::CREATED) } dd { (at(now, Some(&domain.created_at))) }
        }
    }
}
