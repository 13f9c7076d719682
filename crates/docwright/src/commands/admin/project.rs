//! `docwright admin project`: documentation repositories.

use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use clap::Subcommand;
use docwright_agent::models::check_name;
use docwright_operations::{
    fields::Name,
    projects::{AgentPaths, CreateProject, ListProjects, Project, UpdateProject},
};
use docwright_repository::location::{BUILT_IN, Location};
use docwright_types::site::Activation;
use serde_json::to_value;

use super::{Client, Report, client::command_error, confirm::Confirm, optional, repository};

/// What to do with projects.
#[derive(Debug, Subcommand)]
pub(super) enum Action {
    /// Create a project
    Create {
        /// Name of the project; must be unique in the organization
        name: Name,
        /// Organization of the project, by ID or name
        ///
        /// The default is the organization of the API key.
        #[arg(long)]
        organization: Option<String>,
        /// Repository: a git URL, a folder, a bare repository on this machine, or `built-in`
        ///
        /// `built-in` stands for docwright's own git host.
        #[arg(long, value_name = "DIR|URL|built-in", default_value = BUILT_IN)]
        repository: String,
        /// Folder to import as the first commit of a built-in repository
        #[arg(long, value_name = "DIR")]
        import: Option<PathBuf>,
        /// Docs root within the repository, such as docs; detected if omitted
        #[arg(long, default_value = "", hide_default_value = true)]
        path: String,
        /// Model for agent jobs, such as anthropic:claude-sonnet-4-5
        ///
        /// The default is the instance's model.
        #[arg(long, value_name = "NAME", value_parser = model)]
        model: Option<String>,
        /// How releases become active: automatic, hold-new-errors, or manual
        #[arg(long, default_value = "automatic")]
        activation: Activation,
    },
    /// List projects
    List {
        /// Show only projects of this organization, by ID or name
        #[arg(long)]
        organization: Option<String>,
    },
    /// Show a project
    Show {
        /// ID or name of the project
        project: String,
    },
    /// Update a project; omitted settings are kept
    ///
    /// Running jobs finish with the earlier settings.
    #[command(group = clap::ArgGroup::new("change").required(true).multiple(true))]
    Update {
        /// ID or name of the project
        project: String,
        /// New name
        #[arg(long, group = "change")]
        name: Option<Name>,
        /// Repository: a git URL, a folder, a bare repository on this machine, or `built-in`
        ///
        /// `built-in` stands for docwright's own git host.
        #[arg(long, value_name = "DIR|URL|built-in", group = "change")]
        repository: Option<String>,
        /// Docs root within the repository; empty to detect it
        #[arg(long, group = "change")]
        path: Option<String>,
        /// Model for agent jobs; empty for the instance's model
        #[arg(long, value_name = "NAME", value_parser = model, group = "change")]
        model: Option<String>,
        /// How its releases become active: automatic, hold-new-errors, or manual
        #[arg(long, group = "change")]
        activation: Option<Activation>,
        /// Pattern of other files that agents can change; repeatable, empty for none
        ///
        /// For example: examples/**.
        #[arg(long, value_name = "PATTERN", group = "change")]
        agent_path: Vec<String>,
    },
    /// Permanently delete a project with its domains, releases, exports, and jobs
    ///
    /// A built-in repository is deleted too.
    Delete {
        /// ID or name of the project
        project: String,
        #[command(flatten)]
        confirm: Confirm,
    },
}

pub(super) async fn act(client: &Client, action: Action) -> anyhow::Result<Report> {
    match action {
        Action::Create { name, organization, repository, import, path, model, activation } => {
            let organization = client.organization_id(organization.as_deref()).await?;
            let named = repository::named(client, &repository, Some(&path))?;
            let import = import_folder(client, &repository, import.as_deref(), &path)?;
            let input = CreateProject {
                name,
                organization_id: optional("organizationId", organization)?,
                repository: optional("repository", Some(named))?,
                starter: false,
                path: optional("path", Some(path))?,
                model: optional("model", model)?,
                activation: Some(activation),
            };
            let created = client.create_project(input).await?;
            if let Some(folder) = &import {
                import_files(client, &created.id, folder).await?;
            }
            created_report(created, import.is_some())
        }
        Action::List { organization } => {
            let organization_id = client.organization_id(organization.as_deref()).await?;
            let filter = ListProjects { organization_id, ..ListProjects::default() };
            Ok(Report::rows(
                &client.list_projects(&filter).await?,
                &["id", "name", "organizationName", "repository", "path"],
                "No projects yet. Create one with `docwright admin project create NAME --organization ORGANIZATION`.",
            )?)
        }
        Action::Show { project } => Ok(Report::of(to_value(client.project(&project).await?)?)),
        Action::Update { project, name, repository, path, model, activation, agent_path } => {
            let before = client.project(&project).await?;
            let docs = path.as_deref().unwrap_or(&before.path);
            let repository = repository
                .map(|repository| repository::named(client, &repository, Some(docs)))
                .transpose()?;
            let input = UpdateProject {
                name,
                repository: optional("repository", repository)?,
                path: optional("path", path)?,
                model: optional("model", model)?,
                activation,
                agent_paths: agent_paths(agent_path)?,
                revision: None,
            };
            Ok(Report::of(to_value(client.update_project(&before.id, input).await?)?))
        }
        Action::Delete { project, confirm } => {
            let found = client.project(&project).await?;
            confirm.ask(&format!(
                "the project {} ({}) with its domains, releases, exports, jobs, and built-in repository",
                found.name, found.id
            ))?;
            Ok(Report::of(to_value(client.delete_project(&found.id).await?)?))
        }
    }
}

/// Returns the patterns of a project; `None` to keep them, and an empty list for none.
fn agent_paths(given: Vec<String>) -> anyhow::Result<Option<AgentPaths>> {
    if given.is_empty() {
        return Ok(None);
    }
    let patterns = given.into_iter().filter(|pattern| !pattern.is_empty()).collect();
    AgentPaths::parse(patterns).map(Some).map_err(command_error)
}

/// Parses the name of a model; empty for none.
fn model(text: &str) -> Result<String, String> {
    if !text.is_empty() {
        check_name(text)?;
    }
    Ok(text.to_owned())
}

/// Returns the folder of `--import`, which only a local instance can read.
fn import_folder(
    client: &Client,
    repository: &str,
    import: Option<&Path>,
    docs: &str,
) -> anyhow::Result<Option<PathBuf>> {
    let Some(folder) = import else { return Ok(None) };
    ensure!(
        repository == BUILT_IN,
        "--import requires a built-in repository; omit --repository or --import"
    );
    client.local("--import")?;
    repository::import(folder, docs).map(Some)
}

/// Imports the files of a new project. If that fails, deletes the project: it would be useless without files, and
/// its name would be taken.
async fn import_files(client: &Client, id: &str, folder: &Path) -> anyhow::Result<()> {
    let repository = client.local("--import")?.operations.repositories.built_in(id);
    let Err(error) = repository.import(folder).await else { return Ok(()) };
    let error = anyhow::Error::from(error).context("cannot create the repository");
    Err(match client.delete_project(id).await {
        Ok(_) => error,
        Err(left) => error.context(format!("cannot delete the project {id}: {left:#}")),
    })
}

/// Reports a new project with the next steps.
fn created_report(created: Project, is_imported: bool) -> anyhow::Result<Report> {
    let mut report = Report::of(to_value(&created)?);
    let Project { id, repository, .. } = created;
    match Location::parse(&repository).context("cannot read the repository")? {
        Location::BuiltIn if !is_imported => {
            report = report.then(format!(
                "push to /git/{id}.git of the running service, with a key as the password"
            ));
        }
        Location::Remote(remote) if !remote.host().is_empty() => {
            report = report.then(format!(
                "docwright admin credential set {} --project {id} < TOKEN_FILE  # if it is private",
                remote.host_and_port(),
            ));
        }
        _ => {}
    }
    Ok(report.then(format!("docwright admin domain create DOMAIN --project {id}")))
}
