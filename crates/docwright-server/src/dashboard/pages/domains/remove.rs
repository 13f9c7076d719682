//! Removing a domain, with what is lost with it.

use axum::{
    extract::Path,
    http::Method,
    response::{IntoResponse, Redirect, Response},
};
use docwright_domain::account::Role;
use maud::html;

use super::{address, find};
use crate::dashboard::{place::ProjectPlace, refusal::Refusal, words};

pub(in crate::dashboard::pages) async fn ask(
    place: ProjectPlace,
    Path((_, name)): Path<(String, String)>,
) -> Result<Response, Refusal> {
    place.of.require(Role::Admin)?;
    let domain = find(&place, &name).await?;
    let here = domain.path(&place);
    let body = html! {
        p.above { a href=(here) { (domain.domain) } }
        h1 { (words::REMOVE_DOMAIN) }
        p { (words::REMOVE_DOMAIN_WHY) }
        form method="post" action=(format!("{here}/remove")) {
            div.actions {
                button.danger type="submit" { (words::remove(&domain.domain)) }
                a.button href=(here) { (words::CANCEL) }
            }
        }
    };
    Ok(place.page("domains", words::REMOVE_DOMAIN, &body))
}

pub(in crate::dashboard::pages) async fn remove(
    place: ProjectPlace,
    Path((_, name)): Path<(String, String)>,
) -> Result<Response, Refusal> {
    find(&place, &name).await?;
    place.of.operations.send(Method::DELETE, &address(&name, ""), None).await?;
    Ok(Redirect::to(&place.path("domains")).into_response())
}
