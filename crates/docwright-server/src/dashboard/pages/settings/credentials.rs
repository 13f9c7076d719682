//! What git hosts are shown for a project. Secrets go in here, and never come out.

use axum::{
    extract::Query,
    http::{Method, StatusCode},
    response::{IntoResponse, Redirect, Response},
};
use docwright_domain::account::Role;
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::json;

use super::sections;
use crate::dashboard::{
    forms::Form,
    operations::{encoded, with_query},
    parts::{Action, Field, empty, pager, problem},
    place::ProjectPlace,
    refusal::Refusal,
    words,
};

#[derive(Deserialize)]
pub(in crate::dashboard::pages) struct Wanted {
    cursor: Option<String>,
}

#[derive(Deserialize)]
pub(in crate::dashboard::pages) struct New {
    host: String,
    username: String,
    secret: String,
}

#[derive(Deserialize)]
pub(in crate::dashboard::pages) struct Which {
    credential: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct List {
    credentials: Vec<Credential>,
    next_cursor: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Credential {
    id: String,
    host: String,
    username: String,
    project_id: Option<String>,
}

pub(in crate::dashboard::pages) async fn list(
    place: ProjectPlace,
    Query(wanted): Query<Wanted>,
) -> Result<Response, Refusal> {
    page(&place, wanted.cursor.as_deref(), None).await
}

pub(in crate::dashboard::pages) async fn set(
    place: ProjectPlace,
    Form(new): Form<New>,
) -> Result<Response, Refusal> {
    let mut body = json!({
        "host": new.host.trim(), "projectId": place.project.id, "secret": new.secret.trim(),
    });
    let username = new.username.trim();
    if !username.is_empty() {
        body["username"] = username.into();
    }
    match place.of.operations.send(Method::PUT, "/v1/credentials", Some(body)).await {
        Ok(_) => Ok(Redirect::to(&place.path("settings/credentials")).into_response()),
        Err(refusal) => {
            let sentence = refusal.into_problem()?;
            page(&place, None, Some((&sentence, &new))).await
        }
    }
}

pub(in crate::dashboard::pages) async fn remove(
    place: ProjectPlace,
    Form(which): Form<Which>,
) -> Result<Response, Refusal> {
    place.of.require(Role::Admin)?;
    let path = format!("/v1/credentials/{}", encoded(&which.credential));
    place.of.operations.send(Method::DELETE, &path, None).await?;
    Ok(Redirect::to(&place.path("settings/credentials")).into_response())
}

async fn page(
    place: &ProjectPlace,
    cursor: Option<&str>,
    wrong: Option<(&str, &New)>,
) -> Result<Response, Refusal> {
    place.of.require(Role::Admin)?;
    let query = [
        ("organizationId", Some(place.of.organization.id.as_str())),
        ("projectId", Some(place.project.id.as_str())),
        ("cursor", cursor),
    ];
    let list: List = place.of.operations.get(&with_query("/v1/credentials", &query)).await?;
    let text = |of: fn(&New) -> &str| wrong.map_or("", |(_, given)| of(given));
    let body = html! {
        h1 { (words::CREDENTIALS) }
        (sections(place, "credentials"))
        (problem(wrong.map(|(sentence, _)| sentence)))
        p { (words::CREDENTIALS_WHY) }
        @if list.credentials.is_empty() && cursor.is_none() {
            (empty(words::NO_CREDENTIALS, words::NO_CREDENTIALS_WHY, &Markup::default()))
        } @else {
            (rows(place, &list.credentials))
            (pager(&place.path("settings/credentials"), &[], (cursor, list.next_cursor.as_deref())))
        }
        h2 { (words::SET_CREDENTIAL) }
        form.wide method="post" action=(place.path("settings/credentials")) {
            (Field::text("host", words::HOST, text(|given| &given.host)).hint(words::HOST_HINT).show())
            (Field::text("username", words::USERNAME, text(|given| &given.username)).hint(words::USERNAME_HINT).optional().show())
            (Field::text("secret", words::SECRET, "").of("password", "off").hint(words::SECRET_HINT).show())
            button.primary type="submit" { (words::SAVE) }
        }
    };
    let status = if wrong.is_some() { StatusCode::BAD_REQUEST } else { StatusCode::OK };
    Ok(place.page_with(status, "settings", words::CREDENTIALS, &body))
}

fn rows(place: &ProjectPlace, credentials: &[Credential]) -> Markup {
    let path = place.path("settings/credentials/remove");
    html! {
        ul.rows {
            @for each in credentials {
                li {
                    span.grow { strong { (each.host) } " " span.soft { (each.username) } }
                    @if each.project_id.is_none() { span.soft { (words::OF_ORGANIZATION) } }
                    (Action::new(&path, words::REMOVE).with(&[("credential", &each.id)])
                        .dangerous(words::REMOVE_CREDENTIAL_QUESTION).show())
                }
            }
        }
    }
}
