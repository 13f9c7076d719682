//! The assistant keys of a project: created, shown, and deleted.

use axum::{
    extract::{Path, Query, State},
    http::StatusCode,
    response::{IntoResponse, Redirect, Response},
};
use docwright_operations::{
    OperationError,
    assistant_keys::{self, AssistantKey, CreateAssistantKey, Origins, ShownAssistantKey},
    fields::field,
    lists::Page,
};
use maud::{Markup, html};
use serde::Deserialize;

use super::{ListQuery, sections};
use crate::{
    Dashboard,
    forms::Form,
    frame,
    parts::{Action, Field, FormError, NamedField, copied, copied_lines, empty, lines, pager},
    project_context::ProjectContext,
    refusal::Refusal,
    words,
};

/// The fields of the form, as errors of the operation name them.
const FIELDS: [NamedField; 3] = [
    ("name", "name", words::NAME),
    ("domain", "domain", words::DOMAIN),
    ("origins", "origins", words::ORIGINS),
];

#[derive(Deserialize)]
pub(in crate::pages) struct KeyForm {
    name: String,
    domain: String,
    origins: String,
}

impl KeyForm {
    /// The key to create.
    fn input(&self) -> Result<CreateAssistantKey, OperationError> {
        let origins: Vec<_> = self.origins.split_whitespace().map(str::to_owned).collect();
        let origins = Origins::try_from(origins)
            .map_err(|what| OperationError::Invalid(format!("`origins` {what}.")))?;
        let name = field("name", self.name.trim())?;
        Ok(CreateAssistantKey { name, domain: field("domain", self.domain.trim())?, origins })
    }
}

pub(in crate::pages) async fn list(
    State(dashboard): State<Dashboard>,
    place: ProjectContext,
    Query(query): Query<ListQuery>,
) -> Result<Response, Refusal> {
    page(&dashboard, &place, query.cursor.as_deref(), None).await
}

pub(in crate::pages) async fn create(
    State(dashboard): State<Dashboard>,
    place: ProjectContext,
    Form(form): Form<KeyForm>,
) -> Result<Response, Refusal> {
    let caller = place.of.caller.allowed()?;
    let made = match form.input() {
        Ok(input) => {
            assistant_keys::create(&dashboard.operations, &caller, &place.project.id, input).await
        }
        Err(error) => Err(error),
    };
    match made.map_err(Refusal::from) {
        Ok(key) => Ok(Redirect::to(&path_of(&place, &key.id)).into_response()),
        Err(refusal) => {
            let sentence = refusal.into_problem()?;
            page(&dashboard, &place, None, Some((&sentence, &form))).await
        }
    }
}

pub(in crate::pages) async fn show(
    State(dashboard): State<Dashboard>,
    place: ProjectContext,
    Path((_, id)): Path<(String, String)>,
) -> Result<Response, Refusal> {
    let (caller, operations) = (place.of.caller.allowed()?, &dashboard.operations);
    let key = assistant_keys::get(operations, &caller, (&place.project.id, &id)).await?;
    let address = operations.site_address(&key.domain).unwrap_or_default();
    let body = html! {
        p.above { a href=(place.path("settings/assistant-keys")) { (words::ASSISTANT_KEYS) } }
        h1 { (key.name) }
        dl.facts {
            dt { (words::DOMAIN) } dd { (key.domain) }
            dt { (words::ORIGINS) } dd { (origins(&key.origins)) }
            dt { (words::ASSISTANT_KEY) } dd { (copied(&key.key)) }
        }
        // Without origins, the widget would show on no page.
        @if !key.origins.is_empty() {
            h2 { (words::WIDGET) }
            p { (words::WIDGET_WHY) }
            (copied_lines(&widget(&address, &key)))
        }
        (Action::new(&format!("{}/delete", path_of(&place, &key.id)), words::DELETE_ASSISTANT_KEY)
            .dangerous(words::DELETE_ASSISTANT_KEY_QUESTION).show())
    };
    Ok(frame::with_secret(place.page_with(StatusCode::OK, "settings", &key.name, &body)))
}

pub(in crate::pages) async fn delete(
    State(dashboard): State<Dashboard>,
    place: ProjectContext,
    Path((_, id)): Path<(String, String)>,
) -> Result<Response, Refusal> {
    let (caller, operations) = (place.of.caller.allowed()?, &dashboard.operations);
    assistant_keys::delete(operations, &caller, (&place.project.id, &id)).await?;
    Ok(Redirect::to(&place.path("settings/assistant-keys")).into_response())
}

/// What a page of another site contains to show the widget.
fn widget(address: &str, key: &ShownAssistantKey) -> String {
    let root = address.trim_end_matches('/');
    format!(
        "<script\n  src=\"{root}/_docwright/assistant/widget.js\"\n  data-key=\"{}\"\n  async\n></script>",
        key.key
    )
}

fn path_of(place: &ProjectContext, id: &str) -> String {
    place.path(&format!("settings/assistant-keys/{id}"))
}

fn origins(origins: &[String]) -> String {
    if origins.is_empty() { words::ONLY_PROGRAMS.to_owned() } else { origins.join(", ") }
}

async fn page(
    dashboard: &Dashboard,
    place: &ProjectContext,
    cursor: Option<&str>,
    wrong: Option<(&str, &KeyForm)>,
) -> Result<Response, Refusal> {
    let (caller, list_page) = (place.of.caller.allowed()?, Page::new(None, cursor)?);
    let operations = &dashboard.operations;
    let list = assistant_keys::list(operations, &caller, &place.project.id, &list_page).await?;
    let text = |of: fn(&KeyForm) -> &str| wrong.map_or("", |(_, given)| of(given));
    let error = FormError::of(wrong.map(|(sentence, _)| sentence), &FIELDS);
    let path = place.path("settings/assistant-keys");
    let body = html! {
        h1 { (words::ASSISTANT_KEYS) }
        (sections(place, "assistant-keys"))
        (error.show())
        p { (words::ASSISTANT_KEYS_WHY) }
        @if list.items.is_empty() && cursor.is_none() {
            (empty(words::NO_ASSISTANT_KEYS, words::NO_ASSISTANT_KEYS_WHY, &Markup::default()))
        } @else {
            (rows(place, &list.items))
            (pager(&path, &[], (cursor, list.next_cursor.as_deref())))
        }
        h2 { (words::CREATE_ASSISTANT_KEY) }
        form.wide method="post" action=(path) {
            (Field::text("name", words::NAME, text(|given| &given.name)).checked(&error).show())
            (Field::text("domain", words::DOMAIN, text(|given| &given.domain)).hint(words::ASSISTANT_KEY_DOMAIN_HINT).checked(&error).show())
            (lines(("origins", words::ORIGINS), text(|given| &given.origins), Some(words::ORIGINS_HINT), &error))
            button.primary type="submit" { (words::CREATE_ASSISTANT_KEY) }
        }
    };
    let status = if wrong.is_some() { StatusCode::BAD_REQUEST } else { StatusCode::OK };
    Ok(place.page_with(status, "settings", words::ASSISTANT_KEYS, &body))
}

fn rows(place: &ProjectContext, keys: &[AssistantKey]) -> Markup {
    html! {
        ul.rows {
            @for key in keys {
                li {
                    span.grow {
                        a href=(path_of(place, &key.id)) { strong { (key.name) } }
                        " " span.soft { (key.domain) }
                    }
                    span.soft { (origins(&key.origins)) }
                }
            }
        }
    }
}
