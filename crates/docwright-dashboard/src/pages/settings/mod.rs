//! The settings of a project: the location of its files, and how it publishes.

pub(super) mod assistant_keys;
pub(super) mod credentials;
pub(super) mod delete;
pub(super) mod notifications;
pub(super) mod webhooks;

use axum::{extract::State, http::StatusCode, response::Response};
use docwright_operations::{
    OperationError, can,
    fields::field,
    projects::{self, AgentPaths, Project, UpdateProject},
};
use docwright_types::account::Role;
use maud::{Markup, html};
use serde::Deserialize;

use super::personal_tokens;
use crate::{
    Dashboard,
    forms::{Form, is_stale, revision},
    parts::{self, Field, FormError, NamedField, copied, lines, select, stored},
    project_context::ProjectContext,
    refusal::Refusal,
    words::{self, Done},
};

/// The fields of the form, as errors of the operation name them.
const FIELDS: [NamedField; 5] = [
    ("name", "name", words::NAME),
    ("repository", "repository", words::REPOSITORY),
    ("path", "path", words::DOCS_PATH),
    ("model", "model", words::MODEL),
    ("agentPaths", "agent_paths", words::AGENT_PATHS),
];

/// The page of a list below the settings.
#[derive(Deserialize)]
pub(super) struct ListQuery {
    cursor: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct Settings {
    name: String,
    repository: String,
    path: String,
    model: String,
    activation: String,
    /// One per line.
    #[serde(default)]
    agent_paths: String,
    revision: Option<String>,
}

impl From<Project> for Settings {
    fn from(project: Project) -> Self {
        Self {
            name: project.name,
            repository: project.repository,
            path: project.path,
            model: project.model.unwrap_or_default(),
            activation: project.activation.name().to_owned(),
            agent_paths: project.agent_paths.join("\n"),
            revision: Some(project.revision.to_string()),
        }
    }
}

impl Settings {
    /// Fields of a project that the form changes.
    fn input(&self, repository: &str) -> Result<UpdateProject, OperationError> {
        let patterns = self.agent_paths.lines().map(str::trim).filter(|line| !line.is_empty());
        let patterns: Vec<_> = patterns.map(str::to_owned).collect();
        // Users who can't set a repository of this kind can still change the rest.
        let changed = Some(self.repository.trim()).filter(|given| *given != repository);
        Ok(UpdateProject {
            name: Some(field("name", self.name.trim())?),
            repository: changed.map(|text| field("repository", text)).transpose()?,
            path: Some(field("path", self.path.trim())?),
            model: Some(field("model", self.model.trim())?),
            activation: Some(self.activation.parse().map_err(OperationError::Invalid)?),
            agent_paths: Some(AgentPaths::parse(patterns)?),
            revision: revision(self.revision.as_deref())?,
        })
    }
}

pub(super) async fn show(
    State(dashboard): State<Dashboard>,
    place: ProjectContext,
) -> Result<Response, Refusal> {
    let caller = place.of.caller.allowed()?;
    let project = projects::get(&dashboard.operations, &caller, &place.project.id).await?;
    let clone_url = project.clone_url.clone();
    Ok(page(&place, &project.into(), clone_url.as_deref(), None, None))
}

pub(super) async fn update(
    State(dashboard): State<Dashboard>,
    place: ProjectContext,
    Form(mut given): Form<Settings>,
) -> Result<Response, Refusal> {
    let caller = place.of.caller.allowed()?;
    let updated = match given.input(&place.project.repository) {
        Ok(input) => {
            projects::update(&dashboard.operations, &caller, &place.project.id, input).await
        }
        Err(error) => Err(error),
    };
    match updated.map_err(Refusal::from) {
        Ok(_) => Ok(place.of.person.browser.done(Done::Saved, &place.path("settings"))),
        Err(refusal) => {
            let caller = place.of.caller.allowed()?;
            let now = projects::get(&dashboard.operations, &caller, &place.project.id).await?;
            let is_stale = is_stale(&refusal, given.revision.as_deref(), now.revision);
            let sentence = refusal.into_problem()?;
            let now = is_stale.then(|| Settings::from(now));
            if let Some(now) = &now {
                given.revision.clone_from(&now.revision);
            }
            Ok(page(&place, &given, None, Some(&sentence), now.as_ref()))
        }
    }
}

fn page(
    place: &ProjectContext,
    settings: &Settings,
    clone_url: Option<&str>,
    sentence: Option<&str>,
    now: Option<&Settings>,
) -> Response {
    let can = place.of.caller.can::<can::UpdateProject>();
    let error = FormError::of(sentence, &FIELDS);
    let body = html! {
        h1 { (words::SETTINGS) }
        (sections(place, ""))
        (error.show())
        @if let Some(now) = now { (stored(&facts(now))) }
        @if can {
            form.wide method="post" action=(place.path("settings")) {
                (parts::revision(settings.revision.as_deref()))
                (Field::text("name", words::NAME, &settings.name).checked(&error).show())
                (Field::text("repository", words::REPOSITORY, &settings.repository).hint(words::REPOSITORY_SETTING_HINT).checked(&error).show())
                (Field::text("path", words::DOCS_PATH, &settings.path).hint(words::DOCS_PATH_HINT).optional().checked(&error).show())
                (Field::text("model", words::MODEL, &settings.model).hint(words::MODEL_HINT).optional().checked(&error).show())
                (select(("activation", words::ACTIVATION), &words::ACTIVATIONS, &settings.activation, Some(words::ACTIVATION_HINT)))
                (lines(("agent_paths", words::AGENT_PATHS), &settings.agent_paths, Some(words::AGENT_PATHS_HINT), &error))
                button.primary type="submit" { (words::SAVE) }
            }
        } @else {
            p.notice { (words::needs(Role::Admin)) }
            (facts(settings))
        }
        @if let Some(url) = clone_url {
            h2 { (words::CLONE_URL) }
            p { (words::CLONE_URL_WHY) }
            p { (copied(url)) }
            p { a.button href=(personal_tokens::path_for(&place.of)) { (words::CREATE_A_PERSONAL_TOKEN) } }
        }
        h2 { (words::PROJECT_ID) }
        p { (copied(&place.project.id)) }
        @if can {
            h2 { (words::DANGER) }
            p { (words::DELETE_PROJECT_WHY) }
            p { a.button.danger href=(place.path("settings/delete")) { (words::DELETE_PROJECT) } }
        }
    };
    let status = match (sentence, now) {
        (_, Some(_)) => StatusCode::CONFLICT,
        (Some(_), None) => StatusCode::BAD_REQUEST,
        (None, None) => StatusCode::OK,
    };
    place.page_with(status, "settings", words::SETTINGS, &body)
}

fn facts(settings: &Settings) -> Markup {
    let activation = words::ACTIVATIONS.iter().find(|(value, _)| *value == settings.activation);
    html! {
        dl.facts {
            dt { (words::NAME) } dd { (settings.name) }
            dt { (words::REPOSITORY) } dd { code { (settings.repository) } }
            dt { (words::DOCS_PATH) } dd { @if settings.path.is_empty() { (words::LOOKED_FOR) } @else { code { (settings.path) } } }
            dt { (words::MODEL) } dd { @if settings.model.is_empty() { (words::MODEL_OF_INSTANCE) } @else { (settings.model) } }
            dt { (words::ACTIVATION) } dd { (activation.map_or("", |(_, label)| *label)) }
            @if !settings.agent_paths.is_empty() { dt { (words::AGENT_PATHS) } dd { code { (settings.agent_paths) } } }
        }
    }
}

/// The pages of the settings.
fn sections(place: &ProjectContext, here: &str) -> Markup {
    html! {
        nav.tabs aria-label=(words::SETTINGS) { ul {
            @for (role, section, label) in words::SETTINGS_SECTIONS {
                @if place.of.can(role) {
                    @let path = if section.is_empty() { "settings".to_owned() } else { format!("settings/{section}") };
                    li { a href=(place.path(&path)) aria-current=[(section == here).then_some("true")] { (label) } }
                }
            }
        } }
    }
}
