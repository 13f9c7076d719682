//! Renames a domain, and ends redirects of its former names.

use axum::{
    extract::{Path, State},
    http::StatusCode,
    response::Response,
};
use docwright_operations::{
    OperationError, can,
    domains::{self, DomainDetails, RenameDomain},
    fields::field,
};
use maud::html;
use serde::Deserialize;

use super::{DomainView, find, named};
use crate::{
    Dashboard,
    forms::{Form, revision},
    parts::{self, Field, FormError, NamedField},
    project_context::ProjectContext,
    refusal::Refusal,
    words::{self, Done},
};

/// The fields of the form, as errors of the operation name them.
const FIELDS: [NamedField; 1] = [("domain", "domain", words::NEW_NAME)];

#[derive(Deserialize)]
pub(in crate::pages) struct NewName {
    domain: String,
    /// `on` if the former name redirects.
    #[serde(default)]
    redirect: String,
    revision: Option<String>,
}

impl NewName {
    fn input(&self) -> Result<RenameDomain, OperationError> {
        Ok(RenameDomain {
            domain: field("domain", self.domain.trim())?,
            redirect: !self.redirect.is_empty(),
            revision: revision(self.revision.as_deref())?,
        })
    }
}

pub(in crate::pages) async fn ask(
    State(dashboard): State<Dashboard>,
    place: ProjectContext,
    Path((_, name)): Path<(String, String)>,
) -> Result<Response, Refusal> {
    place.of.caller.allowed::<can::RenameDomain>()?;
    let domain = find(&dashboard, &place, &name).await?;
    let given = NewName {
        domain: String::new(),
        redirect: "on".to_owned(),
        revision: domain.revision.map(|revision| revision.to_string()),
    };
    Ok(page(&place, &domain, &given, None))
}

fn page(
    place: &ProjectContext,
    domain: &DomainDetails,
    given: &NewName,
    sentence: Option<&str>,
) -> Response {
    let here = domain.path(place);
    let error = FormError::of(sentence, &FIELDS);
    let body = html! {
        p.above { a href=(here) { (domain.domain) } }
        h1 { (words::RENAME_DOMAIN) }
        (error.show())
        p { (words::RENAME_DOMAIN_EFFECT) }
        form.wide method="post" action=(format!("{here}/rename")) {
            (parts::revision(given.revision.as_deref()))
            (Field::text("domain", words::NEW_NAME, &given.domain).hint(words::DOMAIN_HINT).checked(&error).show())
            div.field {
                label.choice {
                    input type="checkbox" name="redirect" value="on" checked[!given.redirect.is_empty()] aria-describedby="redirect-hint";
                    span { (words::KEEP_REDIRECT) }
                }
                p.hint id="redirect-hint" { (words::KEEP_REDIRECT_HINT) }
            }
            div.actions {
                button.primary type="submit" { (words::RENAME_DOMAIN) }
                a.button href=(here) { (words::CANCEL) }
            }
        }
    };
    let status = if sentence.is_some() { StatusCode::BAD_REQUEST } else { StatusCode::OK };
    place.page_with(status, "domains", words::RENAME_DOMAIN, &body)
}

pub(in crate::pages) async fn rename(
    State(dashboard): State<Dashboard>,
    place: ProjectContext,
    Path((_, name)): Path<(String, String)>,
    Form(given): Form<NewName>,
) -> Result<Response, Refusal> {
    let domain = find(&dashboard, &place, &name).await?;
    let caller = place.of.caller.allowed()?;
    let renamed = match given.input() {
        Ok(input) => domains::rename(&dashboard.operations, &caller, &named(&name)?, input).await,
        Err(error) => Err(error),
    };
    match renamed.map_err(Refusal::from) {
        Ok(renamed) => {
            let done =
                if renamed.is_pending() { Done::DomainRenamePending } else { Done::DomainRenamed };
            Ok(place.of.person.browser.done(done, &renamed.path(&place)))
        }
        Err(refusal) => Ok(page(&place, &domain, &given, Some(&refusal.into_problem()?))),
    }
}

pub(in crate::pages) async fn end_redirect(
    State(dashboard): State<Dashboard>,
    place: ProjectContext,
    Path((_, name, former)): Path<(String, String, String)>,
) -> Result<Response, Refusal> {
    let domain = find(&dashboard, &place, &name).await?;
    let caller = place.of.caller.allowed()?;
    domains::end_redirect(&dashboard.operations, &caller, &named(&name)?, &named(&former)?).await?;
    Ok(place.of.person.browser.done(Done::RedirectRemoved, &domain.path(&place)))
}
