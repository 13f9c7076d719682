//! The form for a new project. It tries the repository before the project is created, and works without scripts: one
//! button checks, the other one checks and creates.

mod domain;
mod form;
mod kept_token;

use axum::{extract::State, http::StatusCode, response::Response};
use docwright_operations::{
    OperationError, can,
    credentials::{self, SetCredential},
    fields::{Id, field},
    projects::{self, CreateProject, Project},
    repository_checks::{self, CheckRepository, RepositoryCheck},
};
use maud::html;
use serde::Deserialize;

use crate::{
    Dashboard,
    forms::Form,
    parts::{FormError, problem},
    project_context::OrganizationPlace,
    refusal::Refusal,
    words::{self, Done},
};
use form::{Shown, form};

/// The button that only checks.
const CHECK: &str = "check";

/// The form as it was sent. Programs can leave out every field but the name.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct NewProject {
    name: String,
    repository: String,
    username: String,
    secret: String,
    /// `on` if the built-in repository starts with example pages.
    starter: String,
    /// The branch that the domain serves.
    branch: String,
    path: String,
    domain: String,
    /// The button.
    step: String,
}

impl NewProject {
    /// The address of the repository; `None` for the built-in git host.
    fn repository(&self) -> Option<&str> {
        filled(&self.repository)
    }

    fn check(
        &self,
        address: &str,
        organization_id: &str,
    ) -> Result<CheckRepository, OperationError> {
        let secret = filled(&self.secret).map(|secret| field("secret", secret)).transpose()?;
        let username = filled(&self.username).map(|name| field("username", name)).transpose()?;
        let branch = filled(&self.branch).map(|branch| field("branch", branch)).transpose()?;
        Ok(CheckRepository {
            organization_id: Some(field::<Id>("organizationId", organization_id)?),
            repository: field("repository", address)?,
            branch,
            path: Some(field("path", self.path.trim())?),
            // A name without a token opens nothing.
            username: username.filter(|_| secret.is_some()),
            secret,
        })
    }

    fn create(&self, organization_id: &str) -> Result<CreateProject, OperationError> {
        let repository = self.repository();
        Ok(CreateProject {
            name: field("name", self.name.trim())?,
            organization_id: Some(field::<Id>("organizationId", organization_id)?),
            repository: repository.map(|text| field("repository", text)).transpose()?,
            starter: repository.is_none() && !self.starter.is_empty(),
            path: Some(field("path", self.path.trim())?),
            model: None,
            activation: None,
        })
    }

    /// The credentials of a new project, for the host of its repository.
    fn credential(&self, host: &str, project_id: &str) -> Result<SetCredential, OperationError> {
        Ok(SetCredential {
            host: field("host", host)?,
            project_id: Some(field::<Id>("projectId", project_id)?),
            organization_id: None,
            username: filled(&self.username).map(|name| field("username", name)).transpose()?,
            secret: field("secret", self.secret.trim())?,
        })
    }
}

pub(super) async fn show(
    State(dashboard): State<Dashboard>,
    place: OrganizationPlace,
) -> Result<Response, Refusal> {
    place.caller.allowed::<can::CreateProject>()?;
    let new = NewProject { starter: "on".to_owned(), ..NewProject::default() };
    Ok(page(&dashboard, &place, &Shown::of(&new, None)))
}

/// Checks the repository, and creates the project if that is asked and nothing is wrong.
pub(super) async fn send(
    State(dashboard): State<Dashboard>,
    place: OrganizationPlace,
    Form(mut new): Form<NewProject>,
) -> Result<Response, Refusal> {
    place.caller.allowed::<can::CreateProject>()?;
    kept_token::restore(&dashboard, &place, &mut new);
    let is_check = new.step == CHECK;
    let checked = match new.repository() {
        Some(address) => match check(&dashboard, &place, &new, address).await {
            Ok(checked) => Some(checked),
            Err(error) => return refuse(&dashboard, &place, Shown::of(&new, None), error),
        },
        None if is_check => {
            let error = FormError::about("repository", words::NO_URL.to_owned());
            return again(&dashboard, &place, Shown { error, ..Shown::of(&new, None) });
        }
        None => None,
    };
    let checked = checked.as_ref();
    if is_check || checked.is_some_and(|checked| checked.problem.is_some()) {
        return again(&dashboard, &place, Shown::of(&new, checked));
    }
    let created = match new.create(&place.organization.id) {
        Ok(input) => projects::create(&dashboard.operations, &place.caller.allowed()?, input).await,
        Err(error) => Err(error),
    };
    match created {
        Ok(project) => finish(&dashboard, &place, &new, (&project, checked)).await,
        Err(error) => refuse(&dashboard, &place, Shown::of(&new, checked), error),
    }
}

async fn check(
    dashboard: &Dashboard,
    place: &OrganizationPlace,
    new: &NewProject,
    address: &str,
) -> Result<RepositoryCheck, OperationError> {
    let input = new.check(address, &place.organization.id)?;
    let caller = place.caller.allowed()?;
    repository_checks::check(&dashboard.operations, &caller, input).await
}

/// Stores the credentials, and adds the domain. The project exists now, so sending the form again would create
/// another one.
async fn finish(
    dashboard: &Dashboard,
    place: &OrganizationPlace,
    new: &NewProject,
    (project, checked): (&Project, Option<&RepositoryCheck>),
) -> Result<Response, Refusal> {
    let path = format!("/projects/{}", project.id);
    let host = checked.and_then(|checked| checked.credential_host.as_deref());
    if let Some(host) = host.filter(|_| filled(&new.secret).is_some()) {
        let stored = match new.credential(host, &project.id) {
            Ok(input) => {
                credentials::set(&dashboard.operations, &place.caller.allowed()?, input).await
            }
            Err(error) => Err(error),
        };
        if let Err(error) = stored {
            let next = (format!("{path}/settings/credentials"), words::CREDENTIALS);
            return partial(place, new, error.into(), (words::MADE_WITHOUT_CREDENTIALS, &next));
        }
    }
    match domain::give(dashboard, place, new, &project.id).await {
        Ok(()) => {
            Ok(kept_token::forget(place, place.person.browser.done(Done::ProjectCreated, &path)))
        }
        Err(refusal) => {
            let next = (format!("{path}/domains"), words::ADD_DOMAIN);
            partial(place, new, refusal, (words::MADE_WITHOUT_DOMAIN, &next))
        }
    }
}

/// The page for a project that exists, but lacks a part.
fn partial(
    place: &OrganizationPlace,
    new: &NewProject,
    refusal: Refusal,
    (why, (path, label)): (&str, &(String, &str)),
) -> Result<Response, Refusal> {
    let sentence = refusal.into_problem()?;
    let project = path.split('/').take(3).collect::<Vec<_>>().join("/");
    let body = html! {
        h1 { (new.name.trim()) }
        (problem(Some(&sentence)))
        p { (why) }
        p.actions {
            a.button.primary href=(path) { (label) }
            a.button href=(project) { (words::OVERVIEW) }
        }
    };
    Ok(place.page_with(StatusCode::BAD_REQUEST, "", words::NEW_PROJECT, &body))
}

/// Shows the form again with the error of an operation.
fn refuse(
    dashboard: &Dashboard,
    place: &OrganizationPlace,
    shown: Shown<'_>,
    error: OperationError,
) -> Result<Response, Refusal> {
    let is_check = shown.new.repository().is_some() && shown.check.is_none();
    let error = match error {
        // Addresses that nothing can be at, and hosts that only the operator can use.
        OperationError::Forbidden(sentence) if is_check => FormError::about("repository", sentence),
        OperationError::Invalid(sentence) if is_check && !sentence.starts_with('`') => {
            FormError::about("repository", sentence)
        }
        other => FormError::of(Some(&Refusal::from(other).into_problem()?), &form::FIELDS),
    };
    again(dashboard, place, Shown { error, ..shown })
}

/// Shows the form again. A token that the host refused is gone; another one is kept, so that the person enters it once.
fn again(
    dashboard: &Dashboard,
    place: &OrganizationPlace,
    shown: Shown<'_>,
) -> Result<Response, Refusal> {
    let is_kept = kept_token::can_keep(place, shown.new) && shown.error.at("secret").is_none();
    let new = shown.new;
    let page = page(dashboard, place, &Shown { is_kept, ..shown });
    if is_kept {
        kept_token::keep(dashboard, place, new, page)
    } else {
        Ok(kept_token::forget(place, page))
    }
}

fn page(dashboard: &Dashboard, place: &OrganizationPlace, shown: &Shown<'_>) -> Response {
    let status = if shown.error.is_none() { StatusCode::OK } else { StatusCode::BAD_REQUEST };
    place.page_with(status, "", words::NEW_PROJECT, &form(dashboard, place, shown))
}

/// The text of a field, if it has one.
fn filled(text: &str) -> Option<&str> {
    Some(text.trim()).filter(|text| !text.is_empty())
}
