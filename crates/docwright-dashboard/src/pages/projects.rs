//! The projects of an organization.

use axum::{
    extract::{Query, State},
    response::Response,
};
use docwright_operations::{
    can,
    projects::{self, ListProjects, ProjectSummary, Site},
};
use docwright_types::timestamp::Timestamp;
use maud::{Markup, html};

use super::releases::of_status;
use crate::{
    Dashboard,
    parts::{ListQuery, at, empty, nothing_found, search, sortable},
    project_context::OrganizationPlace,
    refusal::Refusal,
    words,
};

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
