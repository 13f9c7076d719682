//! Every organisation of the install, and new ones, for operators.

use axum::{
    extract::Query,
    http::{Method, StatusCode},
    response::{IntoResponse, Redirect, Response},
};
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::json;

use super::plan::choice;
use crate::dashboard::{
    forms::Form,
    parts::{Asked, Field, empty, nothing_found, problem, search},
    place::InstallPlace,
    refusal::Refusal,
    words,
};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct List {
    organizations: Vec<Organization>,
    next_cursor: Option<String>,
}

#[derive(Deserialize)]
struct Organization {
    id: String,
    name: String,
    plan: String,
}

#[derive(Deserialize)]
pub(super) struct NewOrganization {
    name: String,
    plan: String,
}

pub(super) async fn list(
    place: InstallPlace,
    Query(asked): Query<Asked>,
) -> Result<Response, Refusal> {
    answer(&place, StatusCode::OK, asked, (None, None)).await
}

pub(super) async fn create(
    place: InstallPlace,
    Form(new): Form<NewOrganization>,
) -> Result<Response, Refusal> {
    let body = json!({ "name": new.name.trim(), "plan": new.plan });
    match place.operations.send(Method::POST, "/v1/organizations", Some(body)).await {
        Ok(made) => {
            let id = made["id"].as_str().unwrap_or_default();
            Ok(Redirect::to(&format!("/organizations/{id}")).into_response())
        }
        Err(refusal) => {
            let sentence = refusal.into_problem()?;
            let given = (Some(&new), Some(sentence.as_str()));
            answer(&place, StatusCode::BAD_REQUEST, Asked::default(), given).await
        }
    }
}

async fn answer(
    place: &InstallPlace,
    status: StatusCode,
    asked: Asked,
    (given, sentence): (Option<&NewOrganization>, Option<&str>),
) -> Result<Response, Refusal> {
    const HERE: &str = "/organizations";
    let asked = asked.sorted("name");
    let list: List = place.operations.get(&asked.operation("/v1/organizations", &[])).await?;
    let next = list.next_cursor.as_deref();
    let body = html! {
        h1 { (words::ORGANIZATIONS) }
        @if asked.is_long(list.organizations.len(), next) { (search(HERE, words::FIND_ORGANIZATION, &asked)) }
        @if list.organizations.is_empty() && asked.is_all() {
            (empty(words::NO_ORGANIZATIONS, words::NO_ORGANIZATIONS_WHY, &Markup::default()))
        } @else if list.organizations.is_empty() {
            (nothing_found(HERE, &asked))
        } @else {
            div.scroll tabindex="0" { table {
                thead { tr { th { (words::NAME) } th { (words::PLAN) } } }
                tbody {
                    @for each in &list.organizations {
                        tr {
                            td { a href=(format!("/organizations/{}", each.id)) { (each.name) } }
                            td { a href=(format!("/organizations/{}/plan", each.id)) { (words::plan(&each.plan)) } }
                        }
                    }
                }
            } }
            (asked.pager(HERE, next))
        }
        h2 { (words::NEW_ORGANIZATION) }
        (problem(sentence))
        form.wide method="post" action="/organizations" {
            (Field::text("name", words::NAME, given.map_or("", |new| &new.name)).show())
            (choice(given.map_or("enterprise", |new| &new.plan)))
            button.primary type="submit" { (words::CREATE_ORGANIZATION) }
        }
    };
    Ok(place.page_with(status, "organizations", words::ORGANIZATIONS, &body))
}
