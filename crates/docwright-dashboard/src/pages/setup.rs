//! The setup: the first account, and its organization.

use axum::{
    extract::{Query, State},
    http::StatusCode,
    response::Response,
};
use docwright_operations::{
    audit::Change,
    callers::{Member, sessions::SignInMethod},
    fields::field,
    organizations::{self, CreateOrganization},
    password,
};
use docwright_storage::database::NewAccount;
use docwright_types::{account::Role, plan::Plan};
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::json;

use super::sign_in::{NewPerson, person_fields};
use crate::{
    Dashboard,
    forms::Form,
    frame,
    parts::{Field, problem},
    refusal::Refusal,
    session::Browser,
    setup, words,
};

#[derive(Deserialize)]
pub(super) struct Link {
    #[serde(default)]
    token: String,
}

#[derive(Deserialize)]
pub(super) struct SetupForm {
    #[serde(default)]
    token: String,
    #[serde(flatten)]
    person: NewPerson,
    organization: String,
}

pub(super) async fn show(
    State(dashboard): State<Dashboard>,
    Query(link): Query<Link>,
) -> Result<Response, Refusal> {
    require_open(&dashboard).await?;
    if !setup::is_token(&dashboard, &link.token) {
        let body = html! { h1 { (words::SETUP) } p { (words::SETUP_NEEDS_TOKEN) } };
        return Ok(frame::alone(StatusCode::FORBIDDEN, words::SETUP, &body));
    }
    Ok(frame::alone(StatusCode::OK, words::SETUP, &form(&link.token, None, None)))
}

pub(super) async fn create(
    State(dashboard): State<Dashboard>,
    browser: Browser,
    Form(wanted): Form<SetupForm>,
) -> Result<Response, Refusal> {
    require_open(&dashboard).await?;
    if !setup::is_token(&dashboard, &wanted.token) {
        return Err(Refusal::Forbidden(words::SETUP_NEEDS_TOKEN.to_owned()));
    }
    let again = |sentence: &str| {
        let body = form(&wanted.token, Some(&wanted), Some(sentence));
        Ok(frame::alone(StatusCode::BAD_REQUEST, words::SETUP, &body))
    };
    let (email, name) = match wanted.person.checked() {
        Ok(checked) => checked,
        Err(sentence) => return again(&sentence),
    };
    let password = password::hash("setup", wanted.person.password.clone()).await?;
    let new = NewAccount { email, name, password: Some(password) };
    let operations = &dashboard.operations;
    let after = json!({ "email": new.email.as_str(), "operator": true });
    let change = Change::of("account.create", None).after(after);
    let client = &browser.client;
    let database = client.recording(operations, ("", new.email.as_str()), change);
    let account = database.create_first_account(&new, operations.now()).await?;
    let account = account.ok_or_else(|| Refusal::Conflict(words::SETUP_IS_OVER.to_owned()))?;
    // From here on, the operator is the actor.
    let member = Member::new(account.clone(), None, client.address).ok_or(Refusal::Missing)?;
    let caller = member.caller(&client.request_id).allowed()?;
    let name = wanted.organization.trim();
    let name = if name.is_empty() { "Documentation" } else { name };
    let created = match field("name", name) {
        Ok(name) => {
            let input = CreateOrganization { name, plan: Some(Plan::Enterprise) };
            organizations::create(operations, &caller, input).await
        }
        Err(error) => Err(error),
    };
    if let Ok(organization) = created {
        operations
            .database
            .add_member(&organization.id, &account.id, Role::Admin, operations.now())
            .await?;
    }
    // If the name is taken, the account stays: the list of organizations comes next.
    browser.begin(operations, &account.id, SignInMethod::Secret, "/").await
}

async fn require_open(dashboard: &Dashboard) -> Result<(), Refusal> {
    if dashboard.operations.database.has_no_accounts().await? {
        return Ok(());
    }
    Err(Refusal::Conflict(words::SETUP_IS_OVER.to_owned()))
}

fn form(token: &str, wanted: Option<&SetupForm>, sentence: Option<&str>) -> Markup {
    let organization = wanted.map_or("", |wanted| wanted.organization.as_str());
    html! {
        h1 { (words::SETUP) }
        p { (words::SETUP_WHY) }
        (problem(sentence))
        form method="post" action="/setup" {
            input type="hidden" name="token" value=(token);
            (person_fields(wanted.map(|wanted| &wanted.person)))
            (Field::text("organization", words::SETUP_ORGANIZATION, organization)
                .of("text", "organization").hint(words::SETUP_ORGANIZATION_HINT).show())
            button.primary type="submit" { (words::SETUP_BEGIN) }
        }
    }
}
