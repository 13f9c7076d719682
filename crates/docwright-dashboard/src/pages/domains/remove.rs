//! Removes a domain, after listing what is lost with it.

use axum::{
    extract::{Path, State},
    http::StatusCode,
    response::Response,
};
use docwright_operations::{
    can,
    domains::{self, CONTENTS_COUNTED, DomainContents, DomainDetails},
};
use docwright_types::counted::counted;
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
    page(&dashboard, &place, &domain, None).await
}

async fn page(
    dashboard: &Dashboard,
    place: &ProjectContext,
    domain: &DomainDetails,
    sentence: Option<&str>,
) -> Result<Response, Refusal> {
    let (caller, name) = (place.of.caller.allowed()?, named(&domain.domain)?);
    let contents = domains::contents(&dashboard.operations, &caller, &name).await?;
    let here = domain.path(place);
    let body = html! {
        p.above { a href=(here) { (domain.domain) } }
        h1 { (words::REMOVE_DOMAIN) }
        (problem(sentence))
        @if let Some(address) = domain.address.as_ref().filter(|_| domain.release_id.is_some()) {
            p { (words::REMOVE_DOMAIN_READERS) " " a href=(address) { (address) } }
        }
        h2 { (words::REMOVE_DOMAIN_DELETES) }
        ul { @for line in lines(&contents) { li { (line) } } }
        h2 { (words::REMOVE_DOMAIN_KEEPS) }
        ul { @for line in words::REMOVE_DOMAIN_KEPT { li { (line) } } }
        @if !domain.is_pending() {
            p { (words::REMOVE_DOMAIN_INSTEAD) " " a href=(format!("{here}/rename")) { (words::RENAME_DOMAIN) } }
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
    Ok(place.page_with(status, "domains", words::REMOVE_DOMAIN, &body))
}

/// What is deleted, a line each.
fn lines(DomainContents { counts, redirects }: &DomainContents) -> Vec<String> {
    let count = |number: i64, word: &str| {
        if number > CONTENTS_COUNTED {
            return format!("More than {}", counted(CONTENTS_COUNTED, word));
        }
        counted(number, word)
    };
    let few = [
        (counts.releases, "release"),
        (counts.export_jobs, "static export"),
        (counts.feedback, "page rating"),
        (counts.questions, "question"),
        (counts.assistant_keys, "assistant key"),
    ];
    let few = few.into_iter().filter(|(number, _)| *number > 0);
    let mut lines: Vec<_> = few.map(|(number, word)| count(number, word)).collect();
    if counts.days > 0 {
        lines.push(words::its_analytics(&count(counts.days, "day")));
    }
    lines.extend(redirects.iter().map(|name| words::its_redirect(name)));
    if lines.is_empty() {
        lines.push(words::NOTHING_TO_DELETE.to_owned());
    }
    lines
}

pub(in crate::pages) async fn remove(
    State(dashboard): State<Dashboard>,
    place: ProjectContext,
    Path((_, name)): Path<(String, String)>,
    Form(confirmed): Form<Confirmation>,
) -> Result<Response, Refusal> {
    let domain = find(&dashboard, &place, &name).await?;
    if confirmed.domain.trim() != domain.domain {
        return page(&dashboard, &place, &domain, Some(words::OTHER_DOMAIN)).await;
    }
    domains::delete(&dashboard.operations, &place.of.caller.allowed()?, &named(&name)?).await?;
    Ok(place.of.person.browser.done(Done::DomainRemoved, &place.path("domains")))
}
