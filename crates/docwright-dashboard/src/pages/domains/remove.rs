//! Removes a domain, after listing what is lost with it.

use axum::{
    extract::{Path, State},
    response::{IntoResponse, Redirect, Response},
};
use docwright_operations::{can, domains};
use maud::html;

use super::{DomainView, find, named};
use crate::{Dashboard, project_context::ProjectContext, refusal::Refusal, words};

pub(in crate::pages) async fn ask(
    State(dashboard): State<Dashboard>,
    place: ProjectContext,
    Path((_, name)): Path<(String, String)>,
) -> Result<Response, Refusal> {
    place.of.caller.allowed::<can::DeleteDomain>()?;
    let domain = find(&dashboard, &place, &name).await?;
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

pub(in crate::pages) async fn remove(
    State(dashboard): State<Dashboard>,
    place: ProjectContext,
    Path((_, name)): Path<(String, String)>,
) -> Result<Response, Refusal> {
    find(&dashboard, &place, &name).await?;
    domains::delete(&dashboard.operations, &place.of.caller.allowed()?, &named(&name)?).await?;
    Ok(Redirect::to(&place.path("domains")).into_response())
}
