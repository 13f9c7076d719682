//! The API keys of an organization.

use axum::{
    extract::{Path, Query, State},
    http::StatusCode,
    response::Response,
};
use docwright_operations::{
    OperationError, can,
    fields::{Id, field},
    keys::{self, CreateKey, Key, ListKeys, OnlyProjects},
    lists::Page,
    projects::{self, ListProjects, ProjectList},
};
use docwright_types::timestamp::{Timestamp, parse_iso};
use maud::{Markup, html};

use crate::{
    Dashboard,
    forms::Form,
    parts::{
        Field, FormError, ListQuery, NamedField, Tone, ago, copied, empty, nothing_found, search,
        sorts, state,
    },
    project_context::OrganizationPlace,
    refusal::Refusal,
    shown_once,
    words::{self, Done},
};

/// The orders of the list.
const SORTS: [(&str, &str); 3] =
    [("newest", words::NEWEST), ("oldest", words::OLDEST), ("name", words::BY_NAME)];

/// The fields of the form, as errors of the operation name them.
const FIELDS: [NamedField; 4] = [
    ("name", "name", words::NAME),
    ("projects", "projects", words::KEY_PROJECTS),
    ("days", "days", words::KEY_DAYS),
    ("allow", "allow", words::KEY_ALLOW),
];

/// Fields of the form for a new key.
#[derive(Default)]
struct NewKey {
    name: String,
    scope: String,
    projects: Vec<String>,
    days: i64,
    allow: String,
}

impl NewKey {
    /// Parses the form. A field that can occur several times is a list.
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

    /// The key to create in an organization.
    fn input(&self, organization_id: &str) -> Result<CreateKey, OperationError> {
        let projects = self.projects.iter().map(|id| field::<Id>("projects", id.as_str()));
        let projects = projects.collect::<Result<Vec<_>, _>>()?;
        let only = (!projects.is_empty()).then(|| OnlyProjects::parse(projects)).transpose()?;
        let networks = words_of(&self.allow).map(|text| field("allow", text));
        Ok(CreateKey {
            name: field("name", self.name.as_str())?,
            scope: self.scope.parse().map_err(OperationError::Invalid)?,
            organization_id: Some(field("organizationId", organization_id)?),
            projects: only,
            days: Some(self.days),
            allow: Some(networks.collect::<Result<_, _>>()?),
        })
    }
}

/// The words of a text, with any separators.
fn words_of(text: &str) -> impl Iterator<Item = String> {
    let words = text.split(|letter: char| letter.is_whitespace() || letter == ',');
    words.filter(|word| !word.is_empty()).map(str::to_owned)
}

pub(super) async fn list(
    State(dashboard): State<Dashboard>,
    place: OrganizationPlace,
    Query(asked): Query<ListQuery>,
) -> Result<Response, Refusal> {
    let organization = place.organization.id.as_str();
    let asked = asked.sorted("newest");
    let filter = ListKeys {
        organization_id: Some(organization.to_owned()),
        search: asked.searched()?,
        sort: asked.order()?,
    };
    let caller = place.caller.allowed()?;
    let list = keys::list(&dashboard.operations, &caller, &filter, &asked.page(None)?).await?;
    let next = list.next_cursor.as_deref();
    let projects = projects(&dashboard, &place).await?;
    let path = keys_path(&place);
    let secret = shown_once::take(&dashboard, &place.person, &path);
    let now = dashboard.operations.now();
    let new = html! {
        p.actions { a.button.primary href=(format!("{path}/new")) { (words::NEW_KEY) } }
    };
    let body = html! {
        h1 { (words::KEYS) }
        @if let Some(secret) = &secret { (created_key(&dashboard, secret)) }
        @if list.items.is_empty() && asked.is_all() {
            (empty(words::NO_KEYS, words::KEYS_WHY, &new))
        } @else {
            p { (words::KEYS_WHY) }
            (new)
            @if asked.is_long(list.items.len(), next) { (search(&path, words::FIND_KEY, &asked)) }
            @if list.items.is_empty() {
                (nothing_found(&path, &asked))
            } @else {
                @if asked.is_long(list.items.len(), next) { (sorts(&path, &SORTS, &asked)) }
                ul.rows { @for key in &list.items { (row(now, &path, key)) } }
            }
            (asked.pager(&path, next))
        }
        @if !projects.items.is_empty() {
            h2 { (words::PROJECT_IDS) }
            p { (words::PROJECT_IDS_WHY) }
            ul.rows {
                @for project in &projects.items {
                    li { span.grow { a href=(format!("/projects/{}", project.id)) { (project.name) } } (copied(&project.id)) }
                }
            }
        }
    };
    let page = place.page("keys", words::KEYS, &body);
    Ok(shown_once::page(&place.person, secret.as_deref(), page))
}

/// The first projects of the organization, up to one page.
async fn projects(
    dashboard: &Dashboard,
    place: &OrganizationPlace,
) -> Result<ProjectList, OperationError> {
    let filter = ListProjects {
        organization_id: Some(place.organization.id.clone()),
        ..ListProjects::default()
    };
    let page = Page::new(Some(100), None)?;
    projects::list(&dashboard.operations, &place.caller.allowed()?, &filter, &page).await
}

fn row(now: Timestamp, path: &str, key: &Key) -> Markup {
    html! {
        li.key {
            div.grow {
                p.title { strong { (key.name) } " " (validity(now, key)) }
                @if let Some(email) = &key.owner_email { p.soft { (words::token_of_person(email)) } }
                p.soft {
                    code { "dw_" (key.id) "_…" } " · " (words::scope(key.scope.name())) " · "
                    @if key.projects.is_empty() { (words::ALL_PROJECTS) } @else { (key.projects.join(", ")) }
                    @if !key.allow.is_empty() { " · " (key.allow.join(", ")) }
                }
            }
            (times(now, key))
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

/// Whether a key can be used.
pub(super) fn validity(now: Timestamp, key: &Key) -> Markup {
    let has_ended = time(key.expires_at.as_deref()).is_some_and(|ends| ends <= now);
    match (&key.revoked_at, has_ended) {
        (Some(_), _) => state(Tone::Neutral, words::KEY_REVOKED),
        (None, true) => state(Tone::Bad, words::KEY_ENDED),
        (None, false) => state(Tone::Good, words::KEY_GOOD),
    }
}

/// When a key was last used, and when it expires.
pub(super) fn times(now: Timestamp, key: &Key) -> Markup {
    let shown = |at: Option<Timestamp>| html! { @match at { Some(at) => (ago(now, at)), None => (words::NEVER) } };
    html! {
        dl.times {
            dt { (words::LAST_USED) }
            dd { (shown(time(key.last_used_at.as_deref()))) }
            dt { (words::ENDS) }
            dd { (shown(time(key.expires_at.as_deref()))) }
        }
    }
}

fn time(text: Option<&str>) -> Option<Timestamp> {
    text.and_then(parse_iso)
}

pub(super) async fn new(
    State(dashboard): State<Dashboard>,
    place: OrganizationPlace,
) -> Result<Response, Refusal> {
    place.caller.allowed::<can::CreateKey>()?;
    let body = form(&dashboard, &place, &NewKey::of(Vec::new()), None).await?;
    Ok(place.page("keys", words::NEW_KEY, &body))
}

pub(super) async fn create(
    State(dashboard): State<Dashboard>,
    place: OrganizationPlace,
    Form(pairs): Form<Vec<(String, String)>>,
) -> Result<Response, Refusal> {
    let caller = place.caller.allowed()?;
    let new = NewKey::of(pairs);
    let created = match new.input(&place.organization.id) {
        Ok(input) => keys::create(&dashboard.operations, &caller, input).await,
        Err(error) => Err(error),
    };
    let key = match created.map_err(Refusal::from) {
        Ok(created) => created.key,
        Err(refusal) => {
            let sentence = refusal.into_problem()?;
            let body = form(&dashboard, &place, &new, Some(&sentence)).await?;
            return Ok(place.page_with(StatusCode::BAD_REQUEST, "keys", words::NEW_KEY, &body));
        }
    };
    shown_once::redirect(&dashboard, &place.person, (&keys_path(&place), &key))
}

/// A new key, above the list.
fn created_key(dashboard: &Dashboard, key: &str) -> Markup {
    let address = &dashboard.operations.repositories.public_url;
    let line = format!("curl -H 'Authorization: Bearer {key}' {address}/v1/projects");
    html! {
        div.notice.done role="status" {
            p { strong { (words::KEY_MADE) } }
            p { (words::KEY_MADE_WHY) }
            p.secret { (copied(key)) }
            p { (words::KEY_TRY) }
            p.secret { (copied(&line)) }
        }
    }
}

fn keys_path(place: &OrganizationPlace) -> String {
    format!("/organizations/{}/keys", place.organization.id)
}

pub(super) async fn revoke(
    State(dashboard): State<Dashboard>,
    place: OrganizationPlace,
    Path((organization, key)): Path<(String, String)>,
) -> Result<Response, Refusal> {
    let caller = place.caller.allowed()?;
    // Operators can access every key, but this page belongs to one organization.
    let found = keys::get(&dashboard.operations, &place.caller.allowed()?, &key).await?;
    if found.organization_id.as_ref() != Some(&organization) {
        return Err(Refusal::Missing);
    }
    keys::revoke(&dashboard.operations, &caller, &key).await?;
    let path = format!("/organizations/{organization}/keys");
    Ok(place.person.browser.done(Done::KeyRevoked, &path))
}

async fn form(
    dashboard: &Dashboard,
    place: &OrganizationPlace,
    new: &NewKey,
    sentence: Option<&str>,
) -> Result<Markup, Refusal> {
    let list = projects(dashboard, place).await?;
    let error = FormError::of(sentence, &FIELDS);
    let path = format!("/organizations/{}/keys/new", place.organization.id);
    Ok(html! {
        h1 { (words::NEW_KEY) }
        (error.show())
        form.wide method="post" action=(path) {
            (Field::text("name", words::NAME, &new.name).hint(words::KEY_NAME_HINT).checked(&error).show())
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
            } @else if !list.items.is_empty() {
                fieldset {
                    legend { (words::KEY_PROJECTS) }
                    p.hint { (words::KEY_PROJECTS_HINT) }
                    @for project in &list.items {
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
            (Field::text("allow", words::KEY_ALLOW, &new.allow).hint(words::KEY_ALLOW_HINT).optional().checked(&error).show())
            button.primary type="submit" { (words::CREATE_KEY) }
        }
    })
}
