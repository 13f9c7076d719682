//! The API keys of an organisation.

use axum::{
    extract::{Path, Query, State},
    http::{Method, StatusCode},
    response::{IntoResponse, Redirect, Response},
};
use docwright_domain::{
    account::Role,
    timestamp::{Timestamp, parse_iso},
};
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::json;

use crate::dashboard::{
    Dashboard,
    forms::Form,
    operations::{encoded, with_query},
    parts::{Asked, Field, Tone, ago, copied, empty, nothing_found, problem, search, sorts, state},
    place::OrganizationPlace,
    refusal::Refusal,
    words,
};

/// The orders of the list.
const SORTS: [(&str, &str); 3] =
    [("newest", words::NEWEST), ("oldest", words::OLDEST), ("name", words::BY_NAME)];

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct KeyList {
    keys: Vec<Key>,
    next_cursor: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Key {
    id: String,
    name: String,
    scope: String,
    projects: Vec<String>,
    allow: Vec<String>,
    expires_at: Option<String>,
    last_used_at: Option<String>,
    revoked_at: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ProjectList {
    projects: Vec<Project>,
    next_cursor: Option<String>,
}

#[derive(Deserialize)]
struct Project {
    id: String,
    name: String,
}

/// What the form of a new key holds.
#[derive(Default)]
struct NewKey {
    name: String,
    scope: String,
    projects: Vec<String>,
    days: i64,
    allow: String,
}

impl NewKey {
    /// Reads it. A field that can be there several times is a list.
    fn of(pairs: Vec<(String, String)>) -> Self {
        let mut new = Self { days: 90, scope: "read".to_owned(), ..Self::default() };
        for (name, value) in pairs {
            match name.as_str() {
                "name" => value.trim().clone_into(&mut new.name),
                "scope" => new.scope = value,
                "projects" => new.projects.extend(words_of(&value)),
                "days" => new.days = value.parse().unwrap_or(new.days),
                "allow" => new.allow = value,
                _ => {}
            }
        }
        new
    }
}

/// The words of a text, however they are divided.
fn words_of(text: &str) -> impl Iterator<Item = String> {
    let words = text.split(|letter: char| letter.is_whitespace() || letter == ',');
    words.filter(|word| !word.is_empty()).map(str::to_owned)
}

pub(super) async fn list(
    State(dashboard): State<Dashboard>,
    place: OrganizationPlace,
    Query(asked): Query<Asked>,
) -> Result<Response, Refusal> {
    place.require(Role::Admin)?;
    let organization = place.organization.id.as_str();
    let asked = asked.sorted("newest");
    let query = [("organizationId", Some(organization))];
    let list: KeyList = place.operations.get(&asked.operation("/v1/keys", &query)).await?;
    let next = list.next_cursor.as_deref();
    let projects = projects(&place).await?;
    let path = format!("/organizations/{organization}/keys");
    let now = dashboard.app.now();
    let new = html! {
        p.actions { a.button.primary href=(format!("{path}/new")) { (words::NEW_KEY) } }
    };
    let body = html! {
        h1 { (words::KEYS) }
        @if list.keys.is_empty() && asked.is_all() {
            (empty(words::NO_KEYS, words::KEYS_WHY, &new))
        } @else {
            p { (words::KEYS_WHY) }
            (new)
            @if asked.is_long(list.keys.len(), next) { (search(&path, words::FIND_KEY, &asked)) }
            @if list.keys.is_empty() {
                (nothing_found(&path, &asked))
            } @else {
                @if asked.is_long(list.keys.len(), next) { (sorts(&path, &SORTS, &asked)) }
                ul.rows { @for key in &list.keys { (row(now, &path, key)) } }
            }
            (asked.pager(&path, next))
        }
        @if !projects.projects.is_empty() {
            h2 { (words::PROJECT_IDS) }
            p { (words::PROJECT_IDS_WHY) }
            ul.rows {
                @for project in &projects.projects {
                    li { span.grow { a href=(format!("/projects/{}", project.id)) { (project.name) } } (copied(&project.id)) }
                }
            }
        }
    };
    Ok(place.page("keys", words::KEYS, &body))
}

/// Projects of the organisation, as many as a page of the API has.
async fn projects(place: &OrganizationPlace) -> Result<ProjectList, Refusal> {
    let query = [("organizationId", Some(place.organization.id.as_str())), ("limit", Some("100"))];
    place.operations.get(&with_query("/v1/projects", &query)).await
}

fn row(now: Timestamp, path: &str, key: &Key) -> Markup {
    let time = |text: &Option<String>| text.as_deref().and_then(parse_iso);
    let ends = time(&key.expires_at);
    let has_ended = ends.is_some_and(|ends| ends <= now);
    let state = match (&key.revoked_at, has_ended) {
        (Some(_), _) => state(Tone::Neutral, words::KEY_REVOKED),
        (None, true) => state(Tone::Bad, words::KEY_ENDED),
        (None, false) => state(Tone::Good, words::KEY_GOOD),
    };
    html! {
        li.key {
            div.grow {
                p.title { strong { (key.name) } " " (state) }
                p.soft {
                    code { "dw_" (key.id) "_…" } " · " (words::scope(&key.scope)) " · "
                    @if key.projects.is_empty() { (words::ALL_PROJECTS) } @else { (key.projects.join(", ")) }
                    @if !key.allow.is_empty() { " · " (key.allow.join(", ")) }
                }
            }
            dl.times {
                dt { (words::LAST_USED) }
                dd { @match time(&key.last_used_at) { Some(at) => (ago(now, at)), None => (words::NEVER) } }
                dt { (words::ENDS) }
                dd { @match ends { Some(at) => (ago(now, at)), None => (words::NEVER) } }
            }
            @if key.revoked_at.is_none() {
                details.confirm {
                    summary { (words::REVOKE) }
                    form method="post" action=(format!("{path}/{}/revoke", key.id)) {
                        p { (words::REVOKE_WHY) }
                        button.danger type="submit" { (words::REVOKE_NOW) }
                    }
                }
            }
        }
    }
}

pub(super) async fn new(place: OrganizationPlace) -> Result<Response, Refusal> {
    place.require(Role::Admin)?;
    let body = form(&place, &NewKey::of(Vec::new()), None).await?;
    Ok(place.page("keys", words::NEW_KEY, &body))
}

pub(super) async fn create(
    State(dashboard): State<Dashboard>,
    place: OrganizationPlace,
    Form(pairs): Form<Vec<(String, String)>>,
) -> Result<Response, Refusal> {
    place.require(Role::Admin)?;
    let new = NewKey::of(pairs);
    let mut body = json!({
        "organizationId": place.organization.id, "name": new.name, "scope": new.scope, "days": new.days,
    });
    if !new.projects.is_empty() {
        body["projects"] = json!(new.projects);
    }
    let allow: Vec<_> = words_of(&new.allow).collect();
    if !allow.is_empty() {
        body["allow"] = json!(allow);
    }
    let made = match place.operations.send(Method::POST, "/v1/keys", Some(body)).await {
        Ok(made) => made,
        Err(refusal) => {
            let sentence = refusal.into_problem()?;
            let body = form(&place, &new, Some(&sentence)).await?;
            return Ok(place.page_with(StatusCode::BAD_REQUEST, "keys", words::NEW_KEY, &body));
        }
    };
    let key = made["key"].as_str().unwrap_or_default();
    let address = &dashboard.app.repositories.public_url;
    let line = format!("curl -H 'Authorization: Bearer {key}' {address}/v1/projects");
    let body = html! {
        h1 { (words::KEY_MADE) }
        p.notice { (words::KEY_MADE_WHY) }
        p.secret { (copied(key)) }
        h2 { (words::KEY_TRY) }
        p.secret { (copied(&line)) }
        p { a href=(format!("/organizations/{}/keys", place.organization.id)) { (words::BACK_TO_KEYS) } }
    };
    Ok(place.page("keys", words::KEY_MADE, &body))
}

pub(super) async fn revoke(
    place: OrganizationPlace,
    Path((organization, key)): Path<(String, String)>,
) -> Result<Response, Refusal> {
    place.require(Role::Admin)?;
    // A caller for the install reaches every key, and this is the page of one organisation.
    let found: serde_json::Value =
        place.operations.get(&format!("/v1/keys/{}", encoded(&key))).await?;
    if found["organizationId"].as_str() != Some(organization.as_str()) {
        return Err(Refusal::Missing);
    }
    let path = format!("/v1/keys/{}/revoke", encoded(&key));
    place.operations.send(Method::POST, &path, None).await?;
    Ok(Redirect::to(&format!("/organizations/{organization}/keys")).into_response())
}

async fn form(
    place: &OrganizationPlace,
    new: &NewKey,
    sentence: Option<&str>,
) -> Result<Markup, Refusal> {
    let list = projects(place).await?;
    let path = format!("/organizations/{}/keys/new", place.organization.id);
    Ok(html! {
        h1 { (words::NEW_KEY) }
        (problem(sentence))
        form.wide method="post" action=(path) {
            (Field::text("name", words::NAME, &new.name).hint(words::KEY_NAME_HINT).show())
            fieldset {
                legend { (words::KEY_SCOPE) }
                @for (name, label, meaning) in words::SCOPES {
                    label.choice {
                        input type="radio" name="scope" value=(name) checked[new.scope == name];
                        span { (label) " " span.soft { (meaning) } }
                    }
                }
            }
            @if list.next_cursor.is_some() {
                div.field {
                    label for="projects" { (words::KEY_PROJECTS) }
                    textarea id="projects" name="projects" aria-describedby="projects-hint" { (new.projects.join("\n")) }
                    p.hint id="projects-hint" { (words::KEY_PROJECTS_TEXT_HINT) }
                }
            } @else if !list.projects.is_empty() {
                fieldset {
                    legend { (words::KEY_PROJECTS) }
                    p.hint { (words::KEY_PROJECTS_HINT) }
                    @for project in &list.projects {
                        label.choice {
                            input type="checkbox" name="projects" value=(project.id) checked[new.projects.contains(&project.id)];
                            span { (project.name) }
                        }
                    }
                }
            }
            div.field {
                label for="days" { (words::KEY_DAYS) }
                select id="days" name="days" {
                    @for (days, label) in words::DAYS {
                        option value=(days) selected[new.days == days] { (label) }
                    }
                }
            }
            (Field::text("allow", words::KEY_ALLOW, &new.allow).hint(words::KEY_ALLOW_HINT).optional().show())
            button.primary type="submit" { (words::CREATE_KEY) }
        }
    })
}
