//! The projects of an organisation, and new ones.

use axum::{
    extract::{Query, State},
    http::{Method, StatusCode},
    response::{IntoResponse, Redirect, Response},
};
use docwright_domain::account::Role;
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::json;

use crate::dashboard::{
    Dashboard,
    forms::Form,
    parts::{Asked, Field, at, copied, empty, nothing_found, problem, search, sortable},
    place::OrganizationPlace,
    refusal::Refusal,
    words,
};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct List {
    projects: Vec<Project>,
    next_cursor: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Project {
    id: String,
    name: String,
    repository: String,
    created_at: String,
}

#[derive(Deserialize)]
pub(super) struct NewProject {
    name: String,
    repository: String,
    path: String,
}

pub(super) async fn list(
    State(dashboard): State<Dashboard>,
    place: OrganizationPlace,
    Query(asked): Query<Asked>,
) -> Result<Response, Refusal> {
    let asked = asked.sorted("name");
    let organization = place.organization.id.as_str();
    let query = [("organizationId", Some(organization))];
    let list: List = place.operations.get(&asked.operation("/v1/projects", &query)).await?;
    let next = list.next_cursor.as_deref();
    let now = dashboard.app.now();
    let path = format!("/organizations/{organization}");
    let new = html! {
        @if place.may(Role::Admin) {
            p.actions { a.button.primary href=(format!("{path}/projects/new")) { (words::NEW_PROJECT) } }
        }
    };
    let body = html! {
        h1 { (words::PROJECTS) }
        @if list.projects.is_empty() && asked.is_all() {
            (empty(words::NO_PROJECTS, words::NO_PROJECTS_WHY, &new))
        } @else {
            (new)
            (search(&path, words::FIND_PROJECT, &asked, (list.projects.len(), next)))
            @if list.projects.is_empty() {
                (nothing_found(&path, &asked))
            } @else {
                div.scroll tabindex="0" { table {
                    thead { tr {
                        (sortable(&path, words::NAME, &[("name", "ascending")], &asked))
                        th { (words::REPOSITORY) } th { (words::PROJECT_ID) }
                        (sortable(&path, words::CREATED, &[("newest", "descending"), ("oldest", "ascending")], &asked))
                    } }
                    tbody {
                        @for project in &list.projects {
                            tr {
                                td { a href=(format!("/projects/{}", project.id)) { (project.name) } }
                                td { code { (project.repository) } }
                                td { (copied(&project.id)) }
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

pub(super) async fn new(place: OrganizationPlace) -> Result<Response, Refusal> {
    place.require(Role::Admin)?;
    Ok(place.page("", words::NEW_PROJECT, &form(&place, None, None)))
}

pub(super) async fn create(
    place: OrganizationPlace,
    Form(new): Form<NewProject>,
) -> Result<Response, Refusal> {
    place.require(Role::Admin)?;
    let repository = Some(new.repository.trim()).filter(|text| !text.is_empty());
    let body = json!({
        "organizationId": place.organization.id, "name": new.name.trim(),
        "repository": repository.unwrap_or("built-in"), "path": new.path.trim(),
    });
    match place.operations.send(Method::POST, "/v1/projects", Some(body)).await {
        Ok(made) => {
            let id = made["id"].as_str().unwrap_or_default();
            Ok(Redirect::to(&format!("/projects/{id}")).into_response())
        }
        Err(refusal) => {
            let sentence = refusal.into_problem()?;
            let body = form(&place, Some(&new), Some(&sentence));
            Ok(place.page_with(StatusCode::BAD_REQUEST, "", words::NEW_PROJECT, &body))
        }
    }
}

fn form(place: &OrganizationPlace, given: Option<&NewProject>, sentence: Option<&str>) -> Markup {
    let text = |of: fn(&NewProject) -> &str| given.map_or("", of);
    let path = format!("/organizations/{}/projects/new", place.organization.id);
    html! {
        h1 { (words::NEW_PROJECT) }
        (problem(sentence))
        form.wide method="post" action=(path) {
            (Field::text("name", words::NAME, text(|new| &new.name)).show())
            (Field::text("repository", words::REPOSITORY, text(|new| &new.repository))
                .hint(words::REPOSITORY_HINT).optional().show())
            (Field::text("path", words::DOCS_PATH, text(|new| &new.path))
                .hint(words::DOCS_PATH_HINT).optional().show())
            button.primary type="submit" { (words::CREATE_PROJECT) }
        }
    }
}
