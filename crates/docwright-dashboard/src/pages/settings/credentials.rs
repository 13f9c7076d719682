//! The credentials of a project for git hosts. Secrets can be set, but never read.

use axum::{
    extract::{Query, State},
    http::StatusCode,
    response::Response,
};
use docwright_operations::{
    OperationError,
    credentials::{self, Credential, ListCredentials, SetCredential},
    fields::{Id, field},
    lists::Page,
};
use maud::{Markup, html};
use serde::Deserialize;

use super::{ListQuery, sections};
use crate::{
    Dashboard,
    forms::Form,
    parts::{Action, Field, FormError, NamedField, empty, pager},
    project_context::ProjectContext,
    refusal::Refusal,
    words::{self, Done},
};

/// The fields of the form, as errors of the operation name them.
const FIELDS: [NamedField; 3] = [
    ("host", "host", words::HOST),
    ("username", "username", words::USERNAME),
    ("secret", "secret", words::SECRET),
];

#[derive(Deserialize)]
pub(in crate::pages) struct CredentialForm {
    host: String,
    username: String,
    secret: String,
}

#[derive(Deserialize)]
pub(in crate::pages) struct RemovalForm {
    credential: String,
}

impl CredentialForm {
    /// The credential to store for a project.
    fn input(&self, project_id: &str) -> Result<SetCredential, OperationError> {
        let username = Some(self.username.trim()).filter(|name| !name.is_empty());
        Ok(SetCredential {
            host: field("host", self.host.trim())?,
            project_id: Some(field::<Id>("projectId", project_id)?),
            organization_id: None,
            username: username.map(|name| field("username", name)).transpose()?,
            secret: field("secret", self.secret.trim())?,
        })
    }
}

pub(in crate::pages) async fn list(
    State(dashboard): State<Dashboard>,
    place: ProjectContext,
    Query(query): Query<ListQuery>,
) -> Result<Response, Refusal> {
    page(&dashboard, &place, query.cursor.as_deref(), None).await
}

pub(in crate::pages) async fn set(
    State(dashboard): State<Dashboard>,
    place: ProjectContext,
    Form(form): Form<CredentialForm>,
) -> Result<Response, Refusal> {
    let caller = place.of.caller.allowed()?;
    let stored = match form.input(&place.project.id) {
        Ok(input) => credentials::set(&dashboard.operations, &caller, input).await,
        Err(error) => Err(error),
    };
    match stored.map_err(Refusal::from) {
        Ok(_) => Ok(place
            .of
            .person
            .browser
            .done(Done::CredentialsSaved, &place.path("settings/credentials"))),
        Err(refusal) => {
            let sentence = refusal.into_problem()?;
            page(&dashboard, &place, None, Some((&sentence, &form))).await
        }
    }
}

pub(in crate::pages) async fn remove(
    State(dashboard): State<Dashboard>,
    place: ProjectContext,
    Form(form): Form<RemovalForm>,
) -> Result<Response, Refusal> {
    credentials::delete(&dashboard.operations, &place.of.caller.allowed()?, &form.credential)
        .await?;
    Ok(place.of.person.browser.done(Done::CredentialsRemoved, &place.path("settings/credentials")))
}

async fn page(
    dashboard: &Dashboard,
    place: &ProjectContext,
    cursor: Option<&str>,
    wrong: Option<(&str, &CredentialForm)>,
) -> Result<Response, Refusal> {
    let filter = ListCredentials {
        organization_id: Some(place.of.organization.id.clone()),
        project_id: Some(place.project.id.clone()),
    };
    let (caller, list_page) = (place.of.caller.allowed()?, Page::new(None, cursor)?);
    let list = credentials::list(&dashboard.operations, &caller, &filter, &list_page).await?;
    let error = FormError::of(wrong.map(|(sentence, _)| sentence), &FIELDS);
    let text = |of: fn(&CredentialForm) -> &str| wrong.map_or("", |(_, given)| of(given));
    let body = html! {
        h1 { (words::CREDENTIALS) }
        (sections(place, "credentials"))
        (error.show())
        p { (words::CREDENTIALS_WHY) }
        @if list.items.is_empty() && cursor.is_none() {
            (empty(words::NO_CREDENTIALS, words::NO_CREDENTIALS_WHY, &Markup::default()))
        } @else {
            (rows(place, &list.items))
            (pager(&place.path("settings/credentials"), &[], (cursor, list.next_cursor.as_deref())))
        }
        h2 { (words::SET_CREDENTIAL) }
        form.wide method="post" action=(place.path("settings/credentials")) {
            (Field::text("host", words::HOST, text(|given| &given.host)).hint(words::HOST_HINT).checked(&error).show())
            (Field::text("username", words::USERNAME, text(|given| &given.username)).hint(words::USERNAME_HINT).optional().checked(&error).show())
            (Field::text("secret", words::SECRET, "").of("password", "off").hint(words::SECRET_HINT).checked(&error).show())
            button.primary type="submit" { (words::SAVE) }
        }
    };
    let status = if wrong.is_some() { StatusCode::BAD_REQUEST } else { StatusCode::OK };
    Ok(place.page_with(status, "settings", words::CREDENTIALS, &body))
}

fn rows(place: &ProjectContext, credentials: &[Credential]) -> Markup {
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
