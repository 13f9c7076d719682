//! The user's personal access tokens: list, create, and revoke. Admins find them among the keys of their organization.

use axum::{
    extract::{Path, Query, State},
    http::StatusCode,
    response::Response,
};
use docwright_operations::{
    Caller, OperationError,
    fields::field,
    keys::Key,
    personal_tokens::{self, CreatePersonalToken},
};
use docwright_storage::database::Organization;
use docwright_types::{account::Role, key::Scope, timestamp::Timestamp};
use maud::{Markup, html};
use serde::Deserialize;

use super::{keys, security};
use crate::{
    Dashboard,
    forms::Form,
    parts::{Field, FormError, NamedField, copied, select},
    project_context::{OrganizationPlace, caller},
    refusal::Refusal,
    session::SignedIn,
    shown_once,
    words::{self, Done},
};

/// The list of tokens.
const PATH: &str = "/account/tokens";

/// The fields of the form, as errors of the operation name them.
const FIELDS: [NamedField; 2] = [("name", "name", words::NAME), ("days", "days", words::KEY_DAYS)];

/// Fields of the form for a new token.
#[derive(Deserialize)]
pub(super) struct NewToken {
    name: String,
    organization: String,
    scope: String,
    days: String,
}

/// The organization that a link to the form selects.
#[derive(Deserialize)]
pub(super) struct Selected {
    organization: Option<String>,
}

pub(super) async fn list(
    State(dashboard): State<Dashboard>,
    person: SignedIn,
) -> Result<Response, Refusal> {
    let caller = own_caller(&person).ok();
    let tokens = match &caller {
        Some(caller) => personal_tokens::list(&dashboard.operations, &caller.allowed()?).await?,
        None => Vec::new(),
    };
    let secret = shown_once::take(&dashboard, &person, PATH);
    let now = dashboard.operations.now();
    let body = html! {
        p.above { a href="/account" { (words::ACCOUNT) } }
        h1 { (words::PERSONAL_TOKENS) }
        @if let Some(secret) = &secret {
            div.notice.done role="status" {
                p { strong { (words::PERSONAL_TOKEN_MADE) } }
                p { (words::PERSONAL_TOKEN_MADE_WHY) }
                p.secret { (copied(secret)) }
            }
        }
        p { (words::PERSONAL_TOKENS_WHY) }
        @if caller.is_some() {
            p.actions { a.button.primary href=(format!("{PATH}/new")) { (words::NEW_PERSONAL_TOKEN) } }
        } @else {
            p.notice { (words::NO_ORGANIZATION_FOR_TOKENS) }
        }
        @if tokens.is_empty() { p.soft { (words::NO_PERSONAL_TOKENS) } }
        @else { ul.rows { @for token in &tokens { (row(now, token)) } } }
    };
    let page = security::page(StatusCode::OK, &person, words::PERSONAL_TOKENS, &body);
    Ok(shown_once::page(&person, secret.as_deref(), page))
}

fn row(now: Timestamp, token: &Key) -> Markup {
    let organization = token.organization_name.as_deref().unwrap_or_default();
    html! {
        li.key {
            div.grow {
                p.title { strong { (token.name) } " " (keys::validity(now, token)) }
                p.soft { (words::token_of(organization, words::scope(token.scope.name()))) }
                p.soft { code { "dw_" (token.id) "_…" } }
            }
            (keys::times(now, token))
            details.confirm {
                summary { (words::REVOKE) }
                form method="post" action=(format!("{PATH}/{}/revoke", token.id)) {
                    p { (words::REVOKE_PERSONAL_TOKEN_WHY) }
                    button.danger type="submit" { (words::REVOKE_PERSONAL_TOKEN) }
                }
            }
        }
    }
}

pub(super) async fn new(
    State(dashboard): State<Dashboard>,
    person: SignedIn,
    Query(selected): Query<Selected>,
) -> Result<Response, Refusal> {
    let new = NewToken {
        name: String::new(),
        organization: selected.organization.unwrap_or_default(),
        scope: String::new(),
        days: "90".to_owned(),
    };
    form(&dashboard, &person, (StatusCode::OK, &new, None)).await
}

pub(super) async fn create(
    State(dashboard): State<Dashboard>,
    person: SignedIn,
    Form(new): Form<NewToken>,
) -> Result<Response, Refusal> {
    let place = OrganizationPlace::enter(&dashboard, person, &new.organization).await?;
    let created = match new.input() {
        Ok(input) => {
            let caller = place.caller.allowed()?;
            personal_tokens::create(&dashboard.operations, &caller, input).await
        }
        Err(error) => Err(error),
    };
    match created.map_err(Refusal::from) {
        Ok(created) => shown_once::redirect(&dashboard, &place.person, (PATH, &created.key)),
        Err(refusal) => {
            let sentence = refusal.into_problem()?;
            let again = (StatusCode::BAD_REQUEST, &new, Some(sentence.as_str()));
            form(&dashboard, &place.person, again).await
        }
    }
}

pub(super) async fn revoke(
    State(dashboard): State<Dashboard>,
    person: SignedIn,
    Path(id): Path<String>,
) -> Result<Response, Refusal> {
    let caller = own_caller(&person)?.allowed()?;
    personal_tokens::revoke(&dashboard.operations, &caller, &id).await?;
    Ok(person.browser.done(Done::PersonalTokenRevoked, PATH))
}

impl NewToken {
    fn input(&self) -> Result<CreatePersonalToken, OperationError> {
        let days = self
            .days
            .parse()
            .map_err(|_| OperationError::Invalid("`days` must be a whole number.".to_owned()))?;
        Ok(CreatePersonalToken {
            name: field("name", self.name.trim())?,
            organization_id: field("organizationId", self.organization.as_str())?,
            scope: self.scope.parse().map_err(OperationError::Invalid)?,
            days: Some(days),
        })
    }
}

/// The organizations of a user with the roles there. An operator can also name another one.
async fn organizations(
    dashboard: &Dashboard,
    person: &SignedIn,
    named: &str,
) -> Result<Vec<(Organization, Role)>, Refusal> {
    let is_operator = person.account.is_operator;
    let role = |role: Role| if is_operator { Role::Admin } else { role };
    let own = person.memberships.iter();
    let mut all: Vec<_> = own.map(|each| (each.organization.clone(), role(each.role))).collect();
    if is_operator && !named.is_empty() && !all.iter().any(|(own, _)| own.id == named) {
        let found = dashboard.operations.database.organization(named).await?;
        all.extend(found.map(|organization| (organization, Role::Admin)));
    }
    Ok(all)
}

async fn form(
    dashboard: &Dashboard,
    person: &SignedIn,
    (status, new, sentence): (StatusCode, &NewToken, Option<&str>),
) -> Result<Response, Refusal> {
    let organizations = organizations(dashboard, person, &new.organization).await?;
    // Another organization than the selected one can allow more, so the highest role counts.
    let highest = organizations.iter().map(|(_, role)| role.scope()).max();
    let is_allowed = |name: &str| name.parse::<Scope>().is_ok_and(|scope| Some(scope) <= highest);
    let scopes = words::SCOPES.iter().filter(|(name, ..)| is_allowed(name));
    let chosen = match new.scope.as_str() {
        "" if is_allowed("write") => "write",
        "" => "read",
        chosen => chosen,
    };
    let options: Vec<_> =
        organizations.iter().map(|(own, _)| (own.id.as_str(), own.name.as_str())).collect();
    let error = FormError::of(sentence, &FIELDS);
    let days = words::DAYS.map(|(days, label)| (days.to_string(), label));
    let body = html! {
        p.above { a href=(PATH) { (words::PERSONAL_TOKENS) } }
        h1 { (words::NEW_PERSONAL_TOKEN) }
        (error.show())
        @if options.is_empty() {
            p.notice { (words::NO_ORGANIZATION_FOR_TOKENS) }
        } @else {
            form.wide method="post" action=(format!("{PATH}/new")) {
                (Field::text("name", words::NAME, &new.name).hint(words::PERSONAL_TOKEN_NAME_HINT).checked(&error).show())
                (select(("organization", words::PERSONAL_TOKEN_ORGANIZATION), &options, &new.organization, None))
                fieldset {
                    legend { (words::KEY_SCOPE) }
                    @for (name, label, meaning) in scopes {
                        label.choice {
                            input type="radio" name="scope" value=(name) checked[chosen == *name];
                            span { (label) " " span.soft { (meaning) } }
                        }
                    }
                }
                (select(("days", words::KEY_DAYS), &days, &new.days, None))
                button.primary type="submit" { (words::CREATE_PERSONAL_TOKEN) }
            }
        }
    };
    Ok(security::page(status, person, words::NEW_PERSONAL_TOKEN, &body))
}

/// The form for a token of an organization.
pub(super) fn path_for(place: &OrganizationPlace) -> String {
    format!("{PATH}/new?organization={}", place.organization.id)
}

/// The user as a caller, for their own tokens in every organization.
fn own_caller(person: &SignedIn) -> Result<Caller, Refusal> {
    let first = person.memberships.first();
    caller(person, first.map(|each| (each.organization.clone(), each.role)))
}
