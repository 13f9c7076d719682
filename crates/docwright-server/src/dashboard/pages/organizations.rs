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
    operations::with_query,
    parts::{Cursor, Field, empty, pager, problem},
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
    Query(wanted): Query<Cursor>,
) -> Result<Response, Refusal> {
    answer(&place, StatusCode::OK, wanted.cursor.as_deref(), (None, None)).await
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
            answer(&place, StatusCode::BAD_REQUEST, None, (Some(&new), Some(&sentence))).await
        }
    }
}

async fn answer(
    place: &InstallPlace,
    status: StatusCode,
    cursor: Option<&str>,
    (given, sentence): (Option<&NewOrganization>, Option<&str>),
) -> Result<Response, Refusal> {
    let path = with_query("/v1/organizations", &[("cursor", cursor)]);
    let list: List = place.operations.get(&path).await?;
    let body = html! {
        h1 { (words::ORGANIZATIONS) }
        @if list.organizations.is_empty() && cursor.is_none() {
            (empty(words::NO_ORGANIZATIONS, words::NO_ORGANIZATIONS_WHY, &Markup::default()))
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
            (pager("/organizations", &[], (cursor, list.next_cursor.as_deref())))
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
