//! Projects: documentation repositories.

pub(super) mod create;
pub(super) mod delete;
pub(super) mod get;
pub(super) mod list;
mod repository;
mod starter;
pub(super) mod update;

use docwright_agent::{models::check_name, policy::patterns::Patterns};
use docwright_domain::{site, timestamp::iso};
use docwright_storage::database::{self, Look};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::web;
use crate::{error::ApiError, state::AppState};

/// A documentation repository.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Project {
    /// Identifier of the project.
    #[schema(example = "prj_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    id: String,
    /// Its name.
    #[schema(example = "Docs")]
    name: String,
    /// The organisation that it belongs to.
    #[schema(example = "org_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    organization_id: String,
    /// The name of the organisation.
    #[schema(example = "Acme")]
    organization_name: String,
    /// Where its files are: an address that git clones, or `built-in` for docwright's own git host.
    #[schema(example = "https://github.com/acme/docs")]
    repository: String,
    /// Where git clones it from and pushes to, if docwright's own git host has it; null otherwise.
    #[schema(format = "uri", example = json!(null))]
    clone_url: Option<String>,
    /// Folder of the docs root within the repository; empty if it is looked for.
    #[schema(example = "docs")]
    path: String,
    /// Model of its agent jobs; null for that of the install.
    #[schema(example = "anthropic:claude-sonnet-4-5")]
    model: Option<String>,
    /// How its releases become active.
    activation: Activation,
    /// Patterns of files that agents can change besides documentation.
    #[schema(example = json!(["examples/**"]))]
    agent_paths: Vec<String>,
    /// When it was made.
    #[schema(format = DateTime)]
    created_at: String,
    /// When its repository was looked at last; null before that.
    #[schema(format = DateTime)]
    looked_at: Option<String>,
    /// Why its repository could not be read then, in a sentence; null if it could.
    #[schema(example = json!(null))]
    look_error: Option<String>,
}

/// How a release becomes active.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(example = "automatic")]
pub(crate) enum Activation {
    /// By itself, as soon as it is ready and its commit is the newest.
    Automatic,
    /// By hand only.
    Manual,
}

/// A folder within a repository; empty for its root, or to look for the docs root.
#[derive(Debug, Deserialize)]
#[serde(try_from = "String")]
struct DocsPath(String);

/// The name of a model; empty for that of the install.
#[derive(Debug, Deserialize)]
#[serde(try_from = "String")]
struct Model(String);

/// Patterns of files that agents can change besides documentation.
#[derive(Debug, Deserialize)]
#[serde(try_from = "Vec<String>")]
struct AgentPaths(Vec<String>);

impl TryFrom<Vec<String>> for AgentPaths {
    type Error = String;

    fn try_from(patterns: Vec<String>) -> Result<Self, String> {
        Patterns::parse(&patterns)?;
        Ok(Self(patterns))
    }
}

impl TryFrom<String> for DocsPath {
    type Error = &'static str;

    fn try_from(path: String) -> Result<Self, &'static str> {
        if path.chars().any(char::is_control) || path.chars().count() > 1000 {
            return Err("must be a path of 1000 characters at most, without control characters");
        }
        Ok(Self(path))
    }
}

impl TryFrom<String> for Model {
    type Error = String;

    fn try_from(name: String) -> Result<Self, String> {
        if name.chars().any(char::is_control) || name.chars().count() > 200 {
            return Err("must be a name of 200 characters at most".to_owned());
        }
        if !name.is_empty() {
            check_name(&name).map_err(|error| format!("names no model: {error}"))?;
        }
        Ok(Self(name))
    }
}

impl Project {
    fn of(
        app: &AppState,
        project: database::Project,
        organization_name: String,
        look: Option<Look>,
    ) -> Self {
        let look = look.unwrap_or_default();
        Self {
            looked_at: look.looked_at.map(iso),
            look_error: look.error,
            agent_paths: project.agent_paths.clone(),
            created_at: iso(project.created_at),
            clone_url: web::clone_url(app, &project),
            id: project.id,
            name: project.name,
            organization_id: project.organization_id,
            organization_name,
            repository: project.repository,
            path: project.docs_path,
            model: project.model,
            activation: match project.activation {
                site::Activation::Automatic => Activation::Automatic,
                site::Activation::Manual => Activation::Manual,
            },
        }
    }

    /// A project with the name of its organisation.
    async fn read(app: &AppState, project: database::Project) -> Result<Self, ApiError> {
        let owner = app.database.organization(&project.organization_id).await?;
        let look = app.database.look(&project.id).await?;
        Ok(Self::of(app, project, owner.map(|owner| owner.name).unwrap_or_default(), look))
    }
}

impl From<Activation> for site::Activation {
    fn from(activation: Activation) -> Self {
        match activation {
            Activation::Automatic => Self::Automatic,
            Activation::Manual => Self::Manual,
        }
    }
}

/// What the audit log says of a project.
pub(super) fn state(project: &database::Project) -> Value {
    json!({
        "name": project.name,
        "repository": project.repository,
        "path": project.docs_path,
        "model": project.model,
        "activation": project.activation.name(),
        "agentPaths": project.agent_paths,
    })
}
