//! The settings of a project: where its files are, and how it publishes them.

pub(super) mod credentials;
pub(super) mod delete;
pub(super) mod notifications;
pub(super) mod webhooks;

use axum::{
    extract::State,
    http::StatusCode,
    response::{IntoResponse, Redirect, Response},
};
use docwright_operations::{
    OperationError, can,
    fields::field,
    projects::{self, AgentPaths, UpdateProject},
};
use docwright_types::account::Role;
use maud::{Markup, html};
use serde::Deserialize;

use crate::{
    Dashboard,
    forms::Form,
    parts::{Field, copied, lines, problem, select},
    project_context::ProjectContext,
    refusal::Refusal,
    words,
};

#[derive(Deserialize)]
pub(super) struct Settings {
    name: String,
    repository: String,
    path: String,
    model: String,
    activation: String,
    /// One a line.
    #[serde(default)]
    agent_paths: String,
}

impl Settings {
    /// What the form changes of a project.
    fn input(&self, repository: &str) -> Result<UpdateProject, OperationError> {
        let patterns = self.agent_paths.lines().map(str::trim).filter(|line| !line.is_empty());
        let patterns: Vec<_> = patterns.map(str::to_owned).collect();
        // Who can't name a repository of this kind can still change the rest.
        let changed = Some(self.repository.trim()).filter(|given| *given != repository);
        Ok(UpdateProject {
            name: Some(field("name", self.name.trim())?),
            repository: changed.map(|text| field("repository", text)).transpose()?,
            path: Some(field("path", self.path.trim())?),
            model: Some(field("model", self.model.trim())?),
            activation: Some(self.activation.parse().map_err(OperationError::Invalid)?),
            agent_paths: Some(AgentPaths::parse(patterns)?),
        })
    }
}

pub(super) async fn show(
    State(dashboard): State<Dashboard>,
    place: ProjectContext,
) -> Result<Response, Refusal> {
    let caller = place.of.caller.allowed()?;
    let project = projects::get(&dashboard.operations, &caller, &place.project.id).await?;
    let settings = Settings {
        name: project.name,
        repository: project.repository,
        path: project.path,
        model: project.model.unwrap_or_default(),
        activation: project.activation.name().to_owned(),
        agent_paths: project.agent_paths.join("\n"),
    };
    Ok(page(&place, &settings, project.clone_url.as_deref(), None))
}

pub(super) async fn update(
    State(dashboard): State<Dashboard>,
    place: ProjectContext,
    Form(given): Form<Settings>,
) -> Result<Response, Refusal> {
    let caller = place.of.caller.allowed()?;
    let updated = match given.input(&place.project.repository) {
        Ok(input) => {
            projects::update(&dashboard.operations, &caller, &place.project.id, input).await
        }
        Err(error) => Err(error),
    };
    match updated.map_err(Refusal::from) {
        Ok(_) => Ok(Redirect::to(&place.path("settings")).into_response()),
        Err(refusal) => {
            let sentence = refusal.into_problem()?;
            Ok(page(&place, &given, None, Some(&sentence)))
        }
    }
}

fn page(
    place: &ProjectContext,
    settings: &Settings,
    clone_url: Option<&str>,
    sentence: Option<&str>,
) -> Response {
    let can = place.of.caller.can::<can::UpdateProject>();
    let body = html! {
        h1 { (words::SETTINGS) }
        (sections(place, ""))
        (problem(sentence))
        @if can {
            form.wide method="post" action=(place.path("settings")) {
                (Field::text("name", words::NAME, &settings.name).show())
                (Field::text("repository", words::REPOSITORY, &settings.repository).hint(words::REPOSITORY_SETTING_HINT).show())
                (Field::text("path", words::DOCS_PATH, &settings.path).hint(words::DOCS_PATH_HINT).optional().show())
                (Field::text("model", words::MODEL, &settings.model).hint(words::MODEL_HINT).optional().show())
                (select(("activation", words::ACTIVATION), &words::ACTIVATIONS, &settings.activation, Some(words::ACTIVATION_HINT)))
                (lines(("agent_paths", words::AGENT_PATHS), &settings.agent_paths, Some(words::AGENT_PATHS_HINT)))
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
        }
        h2 { (words::PROJECT_ID) }
        p { (copied(&place.project.id)) }
        @if can {
            h2 { (words::DANGER) }
            p { (words::DELETE_PROJECT_WHY) }
            p { a.button.danger href=(place.path("settings/delete")) { (words::DELETE_PROJECT) } }
        }
    };
    let status = if sentence.is_some() { StatusCode::BAD_REQUEST } else { StatusCode::OK };
    place.page_with(status, "settings", words::SETTINGS, &body)
}

fn facts(settings: &Settings) -> Markup {
    let activation = words::ACTIVATIONS.iter().find(|(value, _)| *value == settings.activation);
    html! {
        dl.facts {
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
