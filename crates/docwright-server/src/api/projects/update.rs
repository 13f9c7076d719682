//! `PATCH /v1/projects/{projectId}`.

use axum::{Json, extract::State};
use docwright_domain::site;
use docwright_repository::location::Location;
use docwright_storage::database::{self, ProjectChange};
use serde::Deserialize;
use utoipa::ToSchema;

use super::{Activation, AgentPaths, DocsPath, Model, Project, repository, state};
use crate::{
    api::{ProjectPath, body::Body, name::Name, text::Text},
    audit::Change,
    authorize::{Admin, no_project},
    error::{ApiError, Error, taken},
    parameters::Path,
    state::AppState,
};

/// What to change of a project; what is left out stays.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct UpdateProject {
    /// Its new name, which no other project of the organisation has.
    name: Option<Name>,
    /// Where its files are, as when a project is made.
    #[schema(value_type = Option<String>, min_length = 1, max_length = 2000, pattern = r"^[^\x00]*[^\s\x00-\x1f\x7f-\x9f][^\x00]*$", example = "built-in")]
    repository: Option<Text<2000>>,
    /// Folder of the docs root within the repository; empty to look for it.
    #[schema(value_type = Option<String>, max_length = 1000, pattern = r"^[^\x00-\x1f\x7f-\x9f]*$", example = "docs")]
    path: Option<DocsPath>,
    /// Model of its agent jobs; empty for that of the install.
    #[schema(value_type = Option<String>, max_length = 200, pattern = r"^[^\x00-\x1f\x7f-\x9f]*$", example = "builtin:edits")]
    model: Option<Model>,
    /// How its releases become active.
    #[schema(value_type = Option<Activation>)]
    activation: Option<Activation>,
    /// Patterns of files that agents can change besides documentation, relative to the docs root: `*` matches within a
    /// folder, `**` across folders. No pattern opens hidden files, `CODEOWNERS` or instructions to agents.
    #[schema(value_type = Option<Vec<String>>, max_items = 50, example = json!(["examples/**"]))]
    agent_paths: Option<AgentPaths>,
}

/// Change a project
///
/// Jobs that are under way end as they began.
#[utoipa::path(
    patch,
    path = "/v1/projects/{projectId}",
    tag = "Projects",
    operation_id = "updateProject",
    security(("key" = ["admin"])),
    params(ProjectPath),
    request_body = UpdateProject,
    responses(
        (status = 200, description = "The project as it is since", body = Project),
        (status = 404, description = "There is no such project", body = Error),
        (status = 409, description = "Another project of the organisation has this name", body = Error),
    ),
)]
pub(crate) async fn update(
    State(app): State<AppState>,
    caller: Admin,
    Path(ProjectPath { project_id }): Path<ProjectPath>,
    body: Result<Body<UpdateProject>, ApiError>,
) -> Result<Json<Project>, ApiError> {
    let before = caller.project(&app, &project_id).await?;
    let UpdateProject { name, repository, path, model, activation, agent_paths } = body?.value;
    let repository = match repository.map(String::from) {
        Some(text) => Some(repository::read(&app, &caller, &text).await?),
        None => None,
    };
    if let Some((Location::BuiltIn, _)) = &repository {
        let made = app.repositories.built_in(&before.id).create().await;
        made.map_err(|error| {
            ApiError::Unavailable(format!("cannot make the repository: {error}"))
        })?;
    }
    let change = ProjectChange {
        name: name.as_ref().map(Name::as_str),
        repository: repository.as_ref().map(|(_, address)| address.as_str()),
        docs_path: path.as_ref().map(|path| path.0.as_str()),
        model: model.as_ref().map(|model| model.0.as_str()),
        activation: activation.map(site::Activation::from),
        agent_paths: agent_paths.as_ref().map(|paths| paths.0.as_slice()),
    };
    let after = state(&changed(before.clone(), change));
    let entry = Change::of("project.update", Some(&before.organization_id));
    let database = caller.recording(&app, entry.before(state(&before)).after(after));
    database.update_project(&before.id, change).await.map_err(|error| {
        // Which other project has the name is nothing to a key that does not reach it.
        if caller.only_projects().is_empty() {
            taken(error)
        } else {
            taken(error).without_details("Another project of the organisation has this name.")
        }
    })?;
    let after = app.database.project(&before.id).await?.ok_or_else(no_project)?;
    Ok(Json(Project::read(&app, after).await?))
}

/// A project as it is to be.
fn changed(project: database::Project, change: ProjectChange<'_>) -> database::Project {
    let new = |new: Option<&str>, old: String| new.map_or(old, str::to_owned);
    database::Project {
        name: new(change.name, project.name),
        repository: new(change.repository, project.repository),
        docs_path: new(change.docs_path, project.docs_path),
        model: change.model.map_or(project.model, |name| Some(name.to_owned())),
        activation: change.activation.unwrap_or(project.activation),
        agent_paths: change.agent_paths.map_or(project.agent_paths, <[String]>::to_vec),
        ..project
    }
}
