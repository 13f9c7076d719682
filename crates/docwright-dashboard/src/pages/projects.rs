//! The projects of an organization, and the form to create one.

use axum::{
    extract::{Query, State},
    http::StatusCode,
    response::{IntoResponse, Redirect, Response},
};
use docwright_http::this_machine::is_this_machine;
use docwright_operations::{
    OperationError, can, domains,
    fields::{Id, field},
    projects::{self, CreateProject, ListProjects},
};
use docwright_types::{default_domain::SitesDomain, domain_name::DomainName};
use maud::{Markup, html};
use serde::Deserialize;
use url::Url;

use crate::{
    Dashboard,
    forms::Form,
    parts::{Field, ListQuery, at, copied, empty, nothing_found, problem, search, sortable},
    project_context::OrganizationPlace,
    refusal::Refusal,
    words,
};

/// Domains of this machine that a new project tries.
const LOCAL_DOMAINS: u32 = 20;

#[derive(Deserialize)]
pub(super) struct NewProject {
    name: String,
    #[serde(default)]
    repository: String,
    /// `on` if the built-in repository starts with example pages.
    #[serde(default)]
    starter: String,
    #[serde(default)]
    path: String,
    #[serde(default)]
    domain: String,
}

impl NewProject {
    fn input(&self, organization_id: &str) -> Result<CreateProject, OperationError> {
        let repository = Some(self.repository.trim()).filter(|text| !text.is_empty());
        Ok(CreateProject {
            name: field("name", self.name.trim())?,
            organization_id: Some(field::<Id>("organizationId", organization_id)?),
            repository: repository.map(|text| field("repository", text)).transpose()?,
            starter: repository.is_none() && !self.starter.is_empty(),
            path: Some(field("path", self.path.trim())?),
            model: None,
            activation: None,
        })
    }
}

pub(super) async fn list(
    State(dashboard): State<Dashboard>,
    place: OrganizationPlace,
    Query(asked): Query<ListQuery>,
) -> Result<Response, Refusal> {
    let asked = asked.sorted("name");
    let organization = place.organization.id.as_str();
    let filter = ListProjects {
        organization_id: Some(organization.to_owned()),
        search: asked.searched()?,
        sort: asked.order()?,
        ..ListProjects::default()
    };
    let page = asked.page(None)?;
    let list =
        projects::list(&dashboard.operations, &place.caller.allowed()?, &filter, &page).await?;
    let next = list.next_cursor.as_deref();
    let now = dashboard.operations.now();
    let path = format!("/organizations/{organization}");
    let new = html! {
        @if place.caller.can::<can::CreateProject>() {
            p.actions { a.button.primary href=(format!("{path}/projects/new")) { (words::NEW_PROJECT) } }
        }
    };
    let body = html! {
        h1 { (words::PROJECTS) }
        @if list.items.is_empty() && asked.is_all() {
            (empty(words::NO_PROJECTS, words::NO_PROJECTS_WHY, &new))
        } @else {
            (new)
            @if asked.is_long(list.items.len(), next) { (search(&path, words::FIND_PROJECT, &asked)) }
            @if list.items.is_empty() {
                (nothing_found(&path, &asked))
            } @else {
                div.scroll tabindex="0" { table {
                    thead { tr {
                        (sortable(&path, words::NAME, &[("name", "ascending")], &asked))
                        th.minor { (words::REPOSITORY) } th.minor { (words::PROJECT_ID) }
                        (sortable(&path, words::CREATED, &[("newest", "descending"), ("oldest", "ascending")], &asked))
                    } }
                    tbody {
                        @for project in &list.items {
                            tr {
                                td.grow { a href=(format!("/projects/{}", project.id)) { (project.name) } }
                                td.minor { code { (project.repository) } }
                                td.minor { (copied(&project.id)) }
                                td { (at(now, Some(&project.created_at))) }
                            }
                        }
                    }
                } }
            }
            (asked.pager(&path, next))
        }
    };
    Ok(place.page("", words::PROJECTS, &body))
}

pub(super) async fn new(
    State(dashboard): State<Dashboard>,
    place: OrganizationPlace,
) -> Result<Response, Refusal> {
    place.caller.allowed::<can::CreateProject>()?;
    Ok(place.page("", words::NEW_PROJECT, &form(&dashboard, &place, None, None)))
}

pub(super) async fn create(
    State(dashboard): State<Dashboard>,
    place: OrganizationPlace,
    Form(new): Form<NewProject>,
) -> Result<Response, Refusal> {
    let caller = place.caller.allowed()?;
    let created = match new.input(&place.organization.id) {
        Ok(input) => projects::create(&dashboard.operations, &caller, input).await,
        Err(error) => Err(error),
    };
    let project = match created.map_err(Refusal::from) {
        Ok(project) => project,
        Err(refusal) => {
            let sentence = refusal.into_problem()?;
            let body = form(&dashboard, &place, Some(&new), Some(&sentence));
            return Ok(place.page_with(StatusCode::BAD_REQUEST, "", words::NEW_PROJECT, &body));
        }
    };
    let path = format!("/projects/{}", project.id);
    match give_domain(&dashboard, &place, &new, &project.id).await {
        Ok(()) => Ok(Redirect::to(&path).into_response()),
        // The project exists now, so sending the form again would create another one.
        Err(refusal) => {
            let sentence = refusal.into_problem()?;
            let body = html! {
                h1 { (new.name.trim()) }
                (problem(Some(&sentence)))
                p { (words::MADE_WITHOUT_DOMAIN) }
                p.actions {
                    a.button.primary href=(format!("{path}/domains")) { (words::ADD_DOMAIN) }
                    a.button href=(path) { (words::OVERVIEW) }
                }
            };
            Ok(place.page_with(StatusCode::BAD_REQUEST, "", words::NEW_PROJECT, &body))
        }
    }
}

/// Adds the requested domain to a new project. On a local machine without default domains, the project gets the first
/// free one like its name, since people who try docwright have no domain at hand.
async fn give_domain(
    dashboard: &Dashboard,
    place: &OrganizationPlace,
    new: &NewProject,
    project_id: &str,
) -> Result<(), Refusal> {
    let caller = place.caller.allowed()?;
    let add = async |domain: &str| {
        let input = super::domains::input(domain, project_id, "")?;
        domains::create(&dashboard.operations, &caller, input).await
    };
    let wanted = new.domain.trim();
    if !wanted.is_empty() {
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

/// Whether only this machine can reach the service, and projects get no default domain.
fn is_laptop(dashboard: &Dashboard) -> bool {
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

fn form(
    dashboard: &Dashboard,
    place: &OrganizationPlace,
    given: Option<&NewProject>,
    sentence: Option<&str>,
) -> Markup {
    let text = |of: fn(&NewProject) -> &str| given.map_or("", of);
    let path = format!("/organizations/{}/projects/new", place.organization.id);
    let domain_hint = match dashboard.operations.ownership.service_hosts().sites() {
        Some(sites) => words::new_domain_default_hint(sites.name().as_str()),
        None if is_laptop(dashboard) => words::NEW_DOMAIN_HERE_HINT.to_owned(),
        None => words::NEW_DOMAIN_HINT.to_owned(),
    };
    html! {
        h1 { (words::NEW_PROJECT) }
        (problem(sentence))
        form.wide method="post" action=(path) {
            (Field::text("name", words::NAME, text(|new| &new.name)).show())
            (Field::text("repository", words::REPOSITORY, text(|new| &new.repository))
                .hint(words::REPOSITORY_HINT).optional().show())
            label.choice {
                input type="checkbox" name="starter" checked[given.is_none_or(|new| !new.starter.is_empty())];
                span { (words::STARTER) }
            }
            (Field::text("path", words::DOCS_PATH, text(|new| &new.path))
                .hint(words::DOCS_PATH_HINT).optional().show())
            (Field::text("domain", words::DOMAIN, text(|new| &new.domain))
                .hint(&domain_hint).optional().show())
            button.primary type="submit" { (words::CREATE_PROJECT) }
        }
    }
}
