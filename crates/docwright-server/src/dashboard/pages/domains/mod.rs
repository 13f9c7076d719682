//! The domains of a project, and adding one.

pub(super) mod remove;
pub(super) mod show;

use axum::{
    extract::Query,
    http::{Method, StatusCode},
    response::{IntoResponse, Redirect, Response},
};
use docwright_domain::account::Role;
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::json;

use crate::dashboard::{
    forms::Form,
    operations::encoded,
    parts::{Asked, Field, Tone, empty, nothing_found, problem, search, state},
    place::ProjectPlace,
    refusal::Refusal,
    words,
};

/// Domains that a form offers at most.
const OFFERED: &str = "100";

#[derive(Deserialize)]
pub(super) struct NewDomain {
    domain: String,
    branch: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct DomainList {
    pub(super) domains: Vec<Domain>,
    next_cursor: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Domain {
    #[expect(clippy::struct_field_names, reason = "the API calls it so")]
    pub(super) domain: String,
    pub(super) address: Option<String>,
    project_id: String,
    branch: Option<String>,
    pub(super) release_id: Option<String>,
    state: String,
    records: Vec<DnsRecord>,
    problem: Option<String>,
    certificate: Option<Certificate>,
    created_at: String,
}

#[derive(Deserialize)]
struct DnsRecord {
    #[serde(rename = "type")]
    kind: String,
    name: String,
    value: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Certificate {
    state: String,
    expires_at: Option<String>,
    error: Option<String>,
}

impl Domain {
    /// Whether nobody has shown yet to have it.
    pub(super) fn is_pending(&self) -> bool {
        self.state == "pending"
    }

    fn standing(&self) -> Markup {
        match (self.is_pending(), &self.release_id) {
            (true, _) => state(Tone::Waiting, words::WAITS_FOR_DNS),
            (false, None) => state(Tone::Waiting, words::WAITS_FOR_RELEASE),
            (false, Some(_)) => state(Tone::Good, words::SERVES),
        }
    }

    /// Its page.
    fn path(&self, place: &ProjectPlace) -> String {
        place.path(&format!("domains/{}", encoded(&self.domain)))
    }
}

impl Certificate {
    fn standing(&self) -> Markup {
        let tone = match self.state.as_str() {
            "valid" => Tone::Good,
            "expired" | "failed" => Tone::Bad,
            _ => Tone::Running,
        };
        state(tone, words::certificate(&self.state))
    }
}

pub(super) async fn list(
    place: ProjectPlace,
    Query(asked): Query<Asked>,
) -> Result<Response, Refusal> {
    page(&place, &asked, None).await
}

pub(super) async fn create(
    place: ProjectPlace,
    Form(new): Form<NewDomain>,
) -> Result<Response, Refusal> {
    let mut body = json!({ "domain": new.domain.trim(), "projectId": place.project.id });
    let branch = new.branch.trim();
    if !branch.is_empty() {
        body["branch"] = branch.into();
    }
    match place.of.operations.send(Method::POST, "/v1/domains", Some(body)).await {
        Ok(made) => {
            let name = made["domain"].as_str().unwrap_or_default();
            let path = place.path(&format!("domains/{}", encoded(name)));
            Ok(Redirect::to(&path).into_response())
        }
        Err(refusal) => {
            let sentence = refusal.into_problem()?;
            page(&place, &Asked::default(), Some((&sentence, &new))).await
        }
    }
}

/// A page of the domains of a project.
pub(super) async fn read(
    place: &ProjectPlace,
    asked: &Asked,
    limit: Option<&str>,
) -> Result<DomainList, Refusal> {
    let query = [("projectId", Some(place.project.id.as_str())), ("limit", limit)];
    place.of.operations.get(&asked.operation("/v1/domains", &query)).await
}

/// The names of the domains of a project that serve something, or will.
pub(super) async fn of_project(place: &ProjectPlace) -> Result<Vec<String>, Refusal> {
    let list = read(place, &Asked::default(), Some(OFFERED)).await?;
    let ready = list.domains.into_iter().filter(|domain| !domain.is_pending());
    Ok(ready.map(|domain| domain.domain).collect())
}

async fn page(
    place: &ProjectPlace,
    asked: &Asked,
    wrong: Option<(&str, &NewDomain)>,
) -> Result<Response, Refusal> {
    let list = read(place, asked, None).await?;
    let (here, next) = (place.path("domains"), list.next_cursor.as_deref());
    let text = |of: fn(&NewDomain) -> &str| wrong.map_or("", |(_, given)| of(given));
    let body = html! {
        h1 { (words::DOMAINS) }
        (problem(wrong.map(|(sentence, _)| sentence)))
        @if asked.is_long(list.domains.len(), next) { (search(&here, words::FIND_DOMAIN, asked)) }
        @if list.domains.is_empty() && asked.is_all() {
            (empty(words::NO_DOMAINS, words::NO_DOMAINS_WHY, &Markup::default()))
        } @else if list.domains.is_empty() {
            (nothing_found(&here, asked))
        } @else {
            (table(place, &list.domains))
            (asked.pager(&here, next))
        }
        @if place.of.may(Role::Admin) {
            h2 { (words::ADD_DOMAIN) }
            form.wide method="post" action=(here) {
                (Field::text("domain", words::DOMAIN, text(|given| &given.domain)).hint(words::DOMAIN_HINT).show())
                (Field::text("branch", words::BRANCH, text(|given| &given.branch)).hint(words::BRANCH_HINT).optional().show())
                button.primary type="submit" { (words::ADD_DOMAIN) }
            }
        } @else { p.soft.below { (words::needs(Role::Admin)) } }
    };
    let status = if wrong.is_some() { StatusCode::BAD_REQUEST } else { StatusCode::OK };
    Ok(place.page_with(status, "domains", words::DOMAINS, &body))
}

fn table(place: &ProjectPlace, domains: &[Domain]) -> Markup {
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
                        td { @if let Some(certificate) = &domain.certificate { (certificate.standing()) } @else { span.soft { "–" } } }
                    }
                }
            }
        } }
    }
}

fn branch(domain: &Domain) -> Markup {
    html! {
        @if let Some(branch) = &domain.branch { code { (branch) } } @else { span.soft { (words::DEFAULT_BRANCH) } }
    }
}

/// The domain of a name, if it is one of the project.
async fn find(place: &ProjectPlace, name: &str) -> Result<Domain, Refusal> {
    let domain = place.of.operations.get::<Domain>(&address(name, "")).await;
    let domain = domain.map_err(|refusal| match refusal {
        // What can't be a domain is none.
        Refusal::Invalid(_) => Refusal::Missing,
        other => other,
    })?;
    if domain.project_id == place.project.id { Ok(domain) } else { Err(Refusal::Missing) }
}

/// The path of an operation of a domain.
fn address(name: &str, below: &str) -> String {
    format!("/v1/domains/{}{below}", encoded(name))
}
