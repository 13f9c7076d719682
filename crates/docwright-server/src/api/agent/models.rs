//! `GET /v2/agent/{projectId}/models`.

use axum::{Json, extract::State};
use docwright_storage::database::Project;
use serde::Serialize;
use utoipa::ToSchema;

use crate::{
    api::ProjectPath,
    authorize::Reader,
    error::{ApiError, Error},
    parameters::Path,
    state::AppState,
};

/// The models that a job of a project can name.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct AgentModels {
    /// The models. The first one is that of jobs that name none.
    models: Vec<AgentModel>,
}

/// A model that a job can name.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct AgentModel {
    /// Its name.
    #[schema(example = "builtin:edits")]
    name: String,
    /// Why it can't be used at the moment; null if it can.
    #[schema(example = json!(null))]
    problem: Option<String>,
}

/// List the models of a project
///
/// The models that an agent job of a project can name: that of the project, that of the install, the
/// external agents of the install, and `builtin:edits`, which needs none.
#[utoipa::path(
    get,
    path = "/v2/agent/{projectId}/models",
    tag = "Agent jobs",
    operation_id = "listAgentModels",
    params(ProjectPath),
    responses(
        (status = 200, description = "The models", body = AgentModels),
        (status = 404, description = "There is no such project", body = Error),
    ),
)]
pub(crate) async fn models(
    State(app): State<AppState>,
    caller: Reader,
    Path(ProjectPath { project_id }): Path<ProjectPath>,
) -> Result<Json<AgentModels>, ApiError> {
    let project = caller.project(&app, &project_id).await?;
    let named = names(&app, &project).into_iter();
    let models = named.map(|name| AgentModel { problem: app.models.refuse(&name).err(), name });
    Ok(Json(AgentModels { models: models.collect() }))
}

/// The models that a job of a project can name; first that of jobs that name none.
pub(super) fn names(app: &AppState, project: &Project) -> Vec<String> {
    let of_project = project.model.clone();
    let mut names: Vec<_> = of_project.into_iter().chain(app.models.names()).collect();
    let mut seen = std::collections::HashSet::new();
    names.retain(|name| seen.insert(name.clone()));
    names
}
