//! The projects of an organization, and the form to create one.

use axum::{
    extract::{Query, State},
    http::StatusCode,
    response::Response,
};
use docwright_http::this_machine::is_this_machine;
use docwright_operations::{
    OperationError, can, domains,
    fields::{Id, field},
    projects::{self, CreateProject, ListProjects, ProjectSummary, Site},
};
use docwright_types::{default_domain::SitesDomain, domain_name::DomainName, timestamp::Timestamp};
use maud::{Markup, html};
use serde::Deserialize;
use url::Url;

use super::releases::of_status;
use crate::{
    Dashboard,
    forms::Form,
    parts::{
        Field, FormError, ListQuery, NamedField, at, empty, nothing_found, problem, search,
        sortable,
    },
    project_context::OrganizationPlace,
    refusal::Refusal,
    words::{self, Done},
};

/// Domains of this machine that a new project tries.
const LOCAL_DOMAINS: u32 = 20;

/// The fields of the form, as errors of the operation name them.
const FIELDS: [NamedField; 5] = [
    ("name", "name", words::NAME),
    ("repository", "repository", words::REPOSITORY),
    ("branch", "branch", words::BRANCH),
    ("path", "path", words::DOCS_PATH),
    ("domain", "domain", words::DOMAIN),
];

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
    /// The branch that the domain serves.
    #[serde(default)]
    branch: String,
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
    let caller = place.caller.allowed()?;
    let (list, next) = projects::summaries(&dashboard.operations, &caller, &filter, &page).await?;
    let next = next.as_deref();
    let now = dashboard.operations.now();
    let path = format!("/organizations/{organization}");
    let new = html! {
        @if place.caller.can::<can::CreateProject>() {
            p.actions { a.button.primary href=(format!("{path}/projects/new")) { (words::NEW_PROJECT) } }
        }
    };
    let body = html! {
        h1 { (words::PROJECTS) }
        @if list.is_empty() && asked.is_all() {
            (empty(words::NO_PROJECTS, words::NO_PROJECTS_WHY, &new))
        } @else {
            (new)
            @if asked.is_long(list.len(), next) { (search(&path, words::FIND_PROJECT, &asked)) }
            @if list.is_empty() {
                (nothing_found(&path, &asked))
            } @else {
                (table(&path, &asked, now, &list))
            }
            (asked.pager(&path, next))
        }
    };
    Ok(place.page("", words::PROJECTS, &body))
}

fn table(path: &str, asked: &ListQuery, now: Timestamp, list: &[ProjectSummary]) -> Markup {
    let created = [("newest", "descending"), ("oldest", "ascending")];
    html! {
        div.scroll tabindex="0" { table.projects {
            thead { tr {
                (sortable(path, words::NAME, &[("name", "ascending")], asked))
                th { (words::SITE) } th { (words::LAST_RELEASE) }
                (sortable(path, words::CREATED, &created, asked))
            } }
            tbody { @for each in list { (row(now, each)) } }
        } }
    }
}

fn row(
    now: Timestamp,
    ProjectSummary { project, site, release, problem }: &ProjectSummary,
) -> Markup {
    let here = format!("/projects/{}", project.id);
    html! {
        tr {
            td.grow {
                a href=(here) { (project.name) }
                @if let Some(problem) = problem { p.error { (problem) } }
            }
            td.grow {
                @match site {
                    Some(Site { domain, address: Some(address), .. }) => a href=(address) { (domain) },
                    Some(site) => {
                        (site.domain) br;
                        span.soft { (if site.is_published { words::NO_DNS } else { words::WAITS_FOR_RELEASE }) }
                    },
                    None => a.soft href=(format!("{here}/domains")) { (words::ADD_DOMAIN) },
                }
            }
            td {
                @match release {
                    Some((status, created)) => { (of_status(*status)) br; (at(now, Some(created))) },
                    None => span.soft { "–" },
                }
            }
            td { (at(now, Some(&project.created_at))) }
        }
    }
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
        Ok(()) => Ok(place.person.browser.done(Done::ProjectCreated, &path)),
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
        let input = super::domains::input(domain, project_id, &new.branch)?;
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
    let error = FormError::of(sentence, &FIELDS);
    let domain_hint = match dashboard.operations.ownership.service_hosts().sites() {
        Some(sites) => words::new_domain_default_hint(sites.name().as_str()),
        None if is_laptop(dashboard) => words::NEW_DOMAIN_HERE_HINT.to_owned(),
        None => words::NEW_DOMAIN_HINT.to_owned(),
    };
    html! {
        h1 { (words::NEW_PROJECT) }
        (error.show())
        form.wide method="post" action=(path) {
            (Field::text("name", words::NAME, text(|new| &new.name)).checked(&error).show())
            (Field::text("repository", words::REPOSITORY, text(|new| &new.repository))
                .hint(words::REPOSITORY_HINT).optional().checked(&error).show())
            label.choice {
                input type="checkbox" name="starter" checked[given.is_none_or(|new| !new.starter.is_empty())];
                span { (words::STARTER) }
            }
            (Field::text("branch", words::BRANCH, text(|new| &new.branch))
                .hint(words::BRANCH_HINT).optional().checked(&error).show())
            (Field::text("path", words::DOCS_PATH, text(|new| &new.path))
                .hint(words::DOCS_PATH_HINT).optional().checked(&error).show())
            (Field::text("domain", words::DOMAIN, text(|new| &new.domain))
                .hint(&domain_hint).optional().checked(&error).show())
            button.primary type="submit" { (words::CREATE_PROJECT) }
        }
    }
}
