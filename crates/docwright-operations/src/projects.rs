//! Projects: documentation repositories.

pub(crate) mod repository;
mod starter;
mod summaries;

use docwright_agent::{models::check_name, policy::patterns::Patterns};
use docwright_jobs::built_in::BuiltInError;
use docwright_repository::location::{BUILT_IN, Location};
use docwright_storage::{
    StorageError,
    database::{self, NewProject, PollState, ProjectChange, ProjectFilter},
};
use docwright_types::{site::Activation, timestamp::iso};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::{IntoParams, ToSchema};

use crate::{
    Allowed, Caller, Listed, OperationError, Operations,
    audit::Change,
    callers::{no_project, unnamed_organization},
    can,
    deletion::{Deleted, delete_project, run_to_end},
    error::taken,
    fields::{Id, Name, Revision, Text, require_current},
    listed::Item,
    lists::{Page, Search, Sort},
    web,
};

pub use summaries::{ProjectSummary, Site, summaries};

/// A project: a documentation repository with its settings.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Project {
    /// ID of the project.
    #[schema(example = "prj_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    pub id: String,
    /// Name of the project.
    #[schema(example = "Docs")]
    pub name: String,
    /// ID of the organization.
    #[schema(example = "org_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    pub organization_id: String,
    /// Name of the organization.
    #[schema(example = "Acme")]
    pub organization_name: String,
    /// URL of the repository, or `built-in` for the built-in git host.
    #[schema(example = "https://github.com/acme/docs")]
    pub repository: String,
    /// URL to clone a built-in repository from and push to; null for other repositories.
    #[schema(format = "uri", example = json!(null))]
    pub clone_url: Option<String>,
    /// Docs root within the repository; empty to detect it.
    #[schema(example = "docs")]
    pub path: String,
    /// Model for agent jobs; null for the instance's model.
    #[schema(example = "anthropic:claude-sonnet-4-5")]
    pub model: Option<String>,
    /// How releases become active.
    pub activation: Activation,
    /// Patterns of files that agents can change in addition to documentation.
    #[schema(example = json!(["examples/**"]))]
    pub agent_paths: Vec<String>,
    /// Time when the project was created.
    #[schema(format = DateTime)]
    pub created_at: String,
    /// Time of the last poll of the repository; null before the first.
    #[schema(format = DateTime)]
    pub polled_at: Option<String>,
    /// Reason why the last poll failed, in a sentence; null if it didn't.
    #[schema(example = json!(null))]
    pub poll_error: Option<String>,
    /// Revision of the object, which each update increments. An update can name it.
    #[schema(minimum = 1, example = 1)]
    pub revision: i64,
}

/// Which projects to list.
#[derive(Debug, Clone, Default, Deserialize, Serialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct ListProjects {
    /// Return only projects of this organization. Without it, operator keys see all projects.
    #[param(value_type = String, required = false, pattern = r"^[^\x00]*$", example = "org_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    pub organization_id: Option<String>,
    /// Return only projects with this name.
    #[param(value_type = String, required = false, pattern = r"^[^\x00]*$", example = "Docs")]
    pub name: Option<String>,
    /// Return only projects whose name contains this text. The case of ASCII letters is ignored.
    #[param(value_type = String, required = false, max_length = 200, pattern = r"^[^\x00]*$", example = "Docs")]
    pub search: Option<Search>,
    /// Sort order: `name`, `newest`, or `oldest`. Defaults to `oldest`.
    #[param(inline, value_type = Sort, required = false)]
    pub sort: Option<Sort>,
}

/// A project to create.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct CreateProject {
    /// Name of the project. It must be unique in the organization.
    pub name: Name,
    /// ID of the organization. Defaults to the key's organization. Operator keys must send it.
    pub organization_id: Option<Id>,
    /// Repository: an `https://` or `ssh://` URL, `git@host:path`, or `built-in` for the built-in
    /// git host, the default. Operator keys can also send a folder on the server.
    #[schema(value_type = Option<String>, min_length = 1, max_length = 2000, pattern = r"^[^\x00]*[^\s\x00-\x1f\x7f-\x9f][^\x00]*$", example = "built-in")]
    pub repository: Option<Text<2000>>,
    /// Whether the repository starts with example pages. Requires a `built-in` repository.
    #[serde(default)]
    pub starter: bool,
    /// Docs root within the repository. If omitted, docwright detects it.
    #[schema(value_type = Option<String>, max_length = 1000, pattern = r"^[^\x00-\x1f\x7f-\x9f]*$", example = "docs")]
    pub path: Option<DocsPath>,
    /// Model for agent jobs. Defaults to the instance's model.
    #[schema(value_type = Option<String>, max_length = 200, pattern = r"^[^\x00-\x1f\x7f-\x9f]*$", example = "builtin:edits")]
    pub model: Option<Model>,
    /// How releases become active; `automatic` if omitted.
    pub activation: Option<Activation>,
}

/// Settings to change. Omitted fields keep their values.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct UpdateProject {
    /// New name. It must be unique in the organization.
    pub name: Option<Name>,
    /// Repository, in the same format as when you create a project.
    #[schema(value_type = Option<String>, min_length = 1, max_length = 2000, pattern = r"^[^\x00]*[^\s\x00-\x1f\x7f-\x9f][^\x00]*$", example = "built-in")]
    pub repository: Option<Text<2000>>,
    /// Docs root within the repository; empty to detect it.
    #[schema(value_type = Option<String>, max_length = 1000, pattern = r"^[^\x00-\x1f\x7f-\x9f]*$", example = "docs")]
    pub path: Option<DocsPath>,
    /// Model for agent jobs; empty for the instance's model.
    #[schema(value_type = Option<String>, max_length = 200, pattern = r"^[^\x00-\x1f\x7f-\x9f]*$", example = "builtin:edits")]
    pub model: Option<Model>,
    /// How releases become active.
    pub activation: Option<Activation>,
    /// Patterns of files that agents can change in addition to documentation, relative to the docs
    /// root: `*` matches within a folder, `**` across folders. Patterns never match hidden files,
    /// `CODEOWNERS`, or agent instructions.
    #[schema(value_type = Option<Vec<String>>, max_items = 50, example = json!(["examples/**"]))]
    pub agent_paths: Option<AgentPaths>,
    /// Revision that the update is based on. If the object has another one by then, the update returns a conflict.
    #[schema(value_type = Option<i64>, minimum = 1)]
    pub revision: Option<Revision>,
}

/// A folder within a repository; empty for its root, or to find the docs root.
#[derive(Debug, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub struct DocsPath(String);

impl DocsPath {
    /// The path.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The name of a model; empty for that of the instance.
#[derive(Debug, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub struct Model(String);

/// Patterns of files that agents can change in addition to documentation.
#[derive(Debug, Serialize, Deserialize)]
#[serde(try_from = "Vec<String>")]
pub struct AgentPaths(Vec<String>);

impl TryFrom<Vec<String>> for AgentPaths {
    type Error = String;

    fn try_from(patterns: Vec<String>) -> Result<Self, String> {
        Patterns::parse(&patterns)?;
        Ok(Self(patterns))
    }
}

impl AgentPaths {
    /// Parses patterns.
    pub fn parse(patterns: Vec<String>) -> Result<Self, OperationError> {
        let read = Self::try_from(patterns);
        read.map_err(|what| OperationError::Invalid(format!("`agentPaths` {what}.")))
    }
}

impl TryFrom<String> for DocsPath {
    type Error = &'static str;

    fn try_from(path: String) -> Result<Self, &'static str> {
        if path.chars().any(char::is_control) || path.chars().count() > 1000 {
            return Err("must be a path of at most 1000 characters, without control characters");
        }
        Ok(Self(path))
    }
}

impl TryFrom<String> for Model {
    type Error = String;

    fn try_from(name: String) -> Result<Self, String> {
        if name.chars().any(char::is_control) || name.chars().count() > 200 {
            return Err("must be a name of at most 200 characters".to_owned());
        }
        if !name.is_empty() {
            check_name(&name).map_err(|error| format!("must name a model: {error}"))?;
        }
        Ok(Self(name))
    }
}

/// A page of projects.
pub type ProjectList = Listed<Project>;

impl Item for Project {
    const LIST: &'static str = "ProjectList";
    const FIELD: &'static str = "projects";
    const PAGE: &'static str = "A page of projects.";
}

/// Lists the projects that the caller can access.
pub async fn list(
    operations: &Operations,
    caller: &Allowed<can::ListProjects>,
    filter: &ListProjects,
    page: &Page,
) -> Result<Listed<Project>, OperationError> {
    let page = page.of(("projects", filter))?;
    let organization = caller.organization(operations, filter.organization_id.as_deref()).await?;
    let stored = ProjectFilter {
        organization_id: organization.as_ref().map(|organization| organization.id.as_str()),
        name: filter.name.as_deref().filter(|name| !name.is_empty()),
        only: caller.only_projects(),
        sort: filter.sort.unwrap_or_default().into(),
    };
    let wanted = page.searched(filter.search.as_ref());
    let read = operations.database.projects_page(stored, wanted).await?;
    let ids: Vec<_> = read.iter().map(|(project, _)| project.id.as_str()).collect();
    let mut polls = operations.database.polls(&ids).await?;
    let position =
        |(project, _): &(database::Project, _)| stored.sort.position(&project.name, &project.id);
    Ok(page.cut(read, position, |(project, owner)| {
        let poll = polls.remove(&project.id);
        Project::of(operations, project, owner, poll)
    }))
}

/// Creates a project, with its repository if it is on docwright's own git host, and with its default domain if the
/// instance has a domain for those.
pub async fn create(
    operations: &Operations,
    caller: &Allowed<can::CreateProject>,
    input: CreateProject,
) -> Result<Project, OperationError> {
    let organization = input.organization_id.as_ref().map(Id::as_str);
    let organization = caller.whole_organization(operations, organization).await?;
    let organization = organization.ok_or_else(unnamed_organization)?;
    let repository = input.repository.map_or_else(|| BUILT_IN.to_owned(), String::from);
    let (location, repository) = repository::read(operations, caller, &repository).await?;
    if input.starter && location != Location::BuiltIn {
        return Err(OperationError::Invalid(
            "`starter` requires the built-in git host. Omit `starter` or `repository`.".to_owned(),
        ));
    }
    let model = input.model.map(|Model(name)| name).filter(|name| !name.is_empty());
    let new = NewProject {
        organization_id: &organization.id,
        name: input.name.as_str(),
        repository: &repository,
        docs_path: input.path.as_ref().map(|path| path.0.as_str()).unwrap_or_default(),
        model: model.as_deref(),
        activation: input.activation.unwrap_or_default(),
    };
    let change = Change::of("project.create", Some(&organization.id)).after(json!({
        "name": new.name,
        "repository": new.repository,
        "path": new.docs_path,
        "model": new.model,
        "activation": new.activation.name(),
    }));
    let database = caller.recording(operations, change);
    let created = database.create_project(new, operations.now()).await.map_err(taken)?;
    if location == Location::BuiltIn
        && let Err(error) = create_repository(operations, &created, input.starter).await
    {
        // A partial project would be useless, and its name would be taken.
        delete_project(operations, caller, &created).await?;
        return Err(OperationError::Unavailable(format!("cannot create the repository: {error}")));
    }
    if let Some(sites) = operations.ownership.service_hosts().sites() {
        let change = Change::of("domain.create", Some(&organization.id))
            .after(json!({ "projectId": created.id, "isDefault": true }));
        let database = caller.recording(operations, change);
        database.give_default_domain(&created.id, sites, operations.now()).await?;
        operations.wakes.releases.notify_one();
    }
    Ok(Project::of(operations, created, organization.name, None))
}

/// Returns a project.
pub async fn get(
    operations: &Operations,
    caller: &Allowed<can::GetProject>,
    id: &str,
) -> Result<Project, OperationError> {
    let project = caller.project(operations, id).await?;
    Project::read(operations, project).await
}

/// Changes the settings of a project.
pub async fn update(
    operations: &Operations,
    caller: &Allowed<can::UpdateProject>,
    id: &str,
    input: UpdateProject,
) -> Result<Project, OperationError> {
    let before = caller.project(operations, id).await?;
    let UpdateProject { name, repository, path, model, activation, agent_paths, revision } = input;
    let revision = require_current("project", before.revision, revision)?;
    let repository = match repository.map(String::from) {
        Some(text) => Some(repository::read(operations, caller, &text).await?),
        None => None,
    };
    if let Some((Location::BuiltIn, _)) = &repository {
        let created = operations.repositories.built_in(&before.id).create().await;
        created.map_err(|error| {
            OperationError::Unavailable(format!("cannot create the repository: {error}"))
        })?;
    }
    let change = ProjectChange {
        name: name.as_ref().map(Name::as_str),
        repository: repository.as_ref().map(|(_, address)| address.as_str()),
        docs_path: path.as_ref().map(|path| path.0.as_str()),
        model: model.as_ref().map(|model| model.0.as_str()),
        activation,
        agent_paths: agent_paths.as_ref().map(|paths| paths.0.as_slice()),
        revision,
    };
    let after = state(&changed(before.clone(), change));
    let entry = Change::of("project.update", Some(&before.organization_id));
    let database = caller.recording(operations, entry.before(state(&before)).after(after));
    let updated = database.update_project(&before.id, change, operations.now()).await;
    updated.map_err(|error| match error {
        // A key that can't access the other project must not learn about it.
        StorageError::Exists(_) if !caller.only_projects().is_empty() => OperationError::Conflict(
            "Another project of the organization has this name.".to_owned(),
        ),
        other => taken(other),
    })?;
    operations.wakes.polls.notify_one();
    operations.wakes.releases.notify_one();
    let after = operations.database.project(&before.id).await?.ok_or_else(no_project)?;
    Project::read(operations, after).await
}

/// Polls the repository of a project now. Requests before the poll starts share it.
pub async fn poll(
    operations: &Operations,
    caller: &Allowed<can::PollProject>,
    id: &str,
) -> Result<Project, OperationError> {
    let project = caller.project(operations, id).await?;
    let change = Change::of("project.poll", Some(&project.organization_id));
    caller.recording(operations, change).request_poll(&project.id, 0).await?;
    operations.wakes.polls.notify_one();
    Project::read(operations, project).await
}

/// Deletes a project with everything that belongs to it. It finishes even if the caller leaves.
pub async fn delete(
    operations: &Operations,
    caller: &Allowed<can::DeleteProject>,
    id: &str,
) -> Result<Deleted, OperationError> {
    let project = caller.project(operations, id).await?;
    let (operations, caller) = (operations.clone(), Caller::clone(caller));
    let work = async move { delete_project(&operations, &caller, &project).await };
    let report = run_to_end(work).await?;
    Ok(report.ok_or_else(no_project)?.into())
}

impl Project {
    fn of(
        operations: &Operations,
        project: database::Project,
        organization_name: String,
        poll: Option<PollState>,
    ) -> Self {
        let poll = poll.unwrap_or_default();
        Self {
            polled_at: poll.polled_at.map(iso),
            poll_error: poll.error,
            agent_paths: project.agent_paths.clone(),
            created_at: iso(project.created_at),
            clone_url: web::clone_url(operations, &project),
            id: project.id,
            name: project.name,
            organization_id: project.organization_id,
            organization_name,
            repository: project.repository,
            path: project.docs_path,
            model: project.model,
            activation: project.activation,
            revision: project.revision,
        }
    }

    /// A project with the name of its organization.
    async fn read(
        operations: &Operations,
        project: database::Project,
    ) -> Result<Self, OperationError> {
        let owner = operations.database.organization(&project.organization_id).await?;
        let poll = operations.database.poll_state(&project.id).await?;
        Ok(Self::of(operations, project, owner.map(|owner| owner.name).unwrap_or_default(), poll))
    }
}

/// Creates the repository of a project on docwright's own git host.
async fn create_repository(
    operations: &Operations,
    project: &database::Project,
    has_starter: bool,
) -> Result<(), BuiltInError> {
    let repository = operations.repositories.built_in(&project.id);
    if !has_starter {
        return repository.create().await;
    }
    let folder = tempfile::tempdir()?;
    starter::write(folder.path(), &project.name)?;
    repository.import(folder.path()).await
}

/// The state of a project in the audit log.
pub(crate) fn state(project: &database::Project) -> Value {
    json!({
        "name": project.name,
        "repository": project.repository,
        "path": project.docs_path,
        "model": project.model,
        "activation": project.activation.name(),
        "agentPaths": project.agent_paths,
    })
}

/// A project after an update.
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
