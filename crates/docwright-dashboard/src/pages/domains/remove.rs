//! Removes a domain, after listing what is lost with it.

use axum::{
    extract::{Path, State},
    http::StatusCode,
    response::Response,
};
use docwright_operations::{
    can,
    domains::{self, DomainDetails},
};
use maud::html;
use serde::Deserialize;

use super::{DomainView, find, named};
use crate::{
    Dashboard,
    forms::Form,
    parts::{Field, problem},
    project_context::ProjectContext,
    refusal::Refusal,
    words::{self, Done},
};

#[derive(Deserialize)]
pub(in crate::pages) struct Confirmation {
    /// The name of the domain.
    #[serde(default)]
    domain: String,
}

pub(in crate::pages) async fn ask(
    State(dashboard): State<Dashboard>,
    place: ProjectContext,
    Path((_, name)): Path<(String, String)>,
) -> Result<Response, Refusal> {
    place.of.caller.allowed::<can::DeleteDomain>()?;
    let domain = find(&dashboard, &place, &name).await?;
    Ok(page(&place, &domain, None))
}

fn page(place: &ProjectContext, domain: &DomainDetails, sentence: Option<&str>) -> Response {
    let here = domain.path(place);
    let body = html! {
        p.above { a href=(here) { (domain.domain) } }
        h1 { (words::REMOVE_DOMAIN) }
        (problem(sentence))
        p { (words::REMOVE_DOMAIN_WHY) }
        @if let Some(address) = domain.address.as_ref().filter(|_| domain.release_id.is_some()) {
            p { (words::REMOVE_DOMAIN_READERS) " " a href=(address) { (address) } }
        }
        form.wide method="post" action=(format!("{here}/remove")) {
            (Field::text("domain", &words::write_name(&domain.domain), "").show())
            div.actions {
                button.danger type="submit" { (words::remove(&domain.domain)) }
                a.button href=(here) { (words::CANCEL) }
            }
        }
    };
    let status = if sentence.is_some() { StatusCode::BAD_REQUEST } else { StatusCode::OK };
    place.page_with(status, "domains", words::REMOVE_DOMAIN, &body)
}

pub(in crate::pages) async fn remove(
    State(dashboard): State<Dashboard>,
    place: ProjectContext,
    Path((_, name)): Path<(String, String)>,
    Form(confirmed): Form<Confirmation>,
) -> Result<Response, Refusal> {
    let domain = find(&dashboard, &place, &name).await?;
    if confirmed.domain.trim() != domain.domain {
        place.of.caller.allowed::<can::DeleteDomain>()?;
        return Ok(page(&place, &domain, Some(words::OTHER_DOMAIN)));
    }
    domains::delete(&dashboard.operations, &place.of.caller.allowed()?, &named(&name)?).await?;
    Ok(place.of.person.browser.done(Done::DomainRemoved, &place.path("domains")))
}
