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
    /// Make a project
    Create {
        /// Its name, which no other project of the organization has
        name: Name,
        /// Id or name of its organization; with a key of an organization, that one if left out
        #[arg(long)]
        organization: Option<String>,
        /// Where its files are: a folder, a bare repository of this machine, a git URL, or `built-in` for
        /// docwright's own git host
        #[arg(long, value_name = "DIR|URL|built-in", default_value = BUILT_IN)]
        repository: String,
        /// Folder whose files are the first commit of a built-in repository
        #[arg(long, value_name = "DIR")]
        import: Option<PathBuf>,
        /// Folder of the docs root within the repository, as docs; without it the root is looked for
        #[arg(long, default_value = "", hide_default_value = true)]
        path: String,
        /// Model of its agent jobs, if not that of the instance, as anthropic:claude-sonnet-4-5
        #[arg(long, value_name = "NAME", value_parser = model)]
        model: Option<String>,
        /// How its releases become active: automatic or manual
        #[arg(long, default_value = "automatic")]
        activation: Activation,
    },
    /// List projects
    List {
        /// Only those of this organization; its id or name
        #[arg(long)]
        organization: Option<String>,
    },
    /// Show a project
    Show {
        /// Its id or name
        project: String,
    },
    /// Change a project; what is not named stays. Jobs that are under way end as they began
    #[command(group = clap::ArgGroup::new("change").required(true).multiple(true))]
    Update {
        /// Its id or name
        project: String,
        /// Its new name
        #[arg(long, group = "change")]
        name: Option<Name>,
        /// A folder, a bare repository of this machine, a git URL, or `built-in` for docwright's own git host
        #[arg(long, value_name = "DIR|URL|built-in", group = "change")]
        repository: Option<String>,
        /// Folder of the docs root within the repository; empty to look for it
        #[arg(long, group = "change")]
        path: Option<String>,
        /// Model of its agent jobs; empty for that of the instance
        #[arg(long, value_name = "NAME", value_parser = model, group = "change")]
        model: Option<String>,
        /// How its releases become active: automatic or manual
        #[arg(long, group = "change")]
        activation: Option<Activation>,
        /// Pattern of files that agents can change besides documentation, as examples/**; repeatable, and empty
        /// for none
        #[arg(long, value_name = "PATTERN", group = "change")]
        agent_path: Vec<String>,
    },
    /// Delete a project with its domains, releases, exports, jobs and built-in repository
    Delete {
        /// Its id or name
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
                "There is no project; make one with `docwright admin project create NAME --organization ORGANIZATION`.",
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
                "the project {} ({}) with its domains, releases, exports, jobs and built-in repository",
                found.name, found.id
            ))?;
            Ok(Report::of(to_value(client.delete_project(&found.id).await?)?))
        }
    }
}

/// The patterns of a project; `None` to leave them as they are, and an empty list for none.
fn agent_paths(given: Vec<String>) -> anyhow::Result<Option<AgentPaths>> {
    if given.is_empty() {
        return Ok(None);
    }
    let patterns = given.into_iter().filter(|pattern| !pattern.is_empty()).collect();
    AgentPaths::parse(patterns).map(Some).map_err(command_error)
}

/// The name of a model; empty for none.
fn model(text: &str) -> Result<String, String> {
    if !text.is_empty() {
        check_name(text)?;
    }
    Ok(text.to_owned())
}

/// The folder of `--import`, which only the instance of this machine can read.
fn import_folder(
    client: &Client,
    repository: &str,
    import: Option<&Path>,
    docs: &str,
) -> anyhow::Result<Option<PathBuf>> {
    let Some(folder) = import else { return Ok(None) };
    ensure!(
        repository == BUILT_IN,
        "--import fills a built-in repository; leave --repository out, or --import"
    );
    client.local("--import")?;
    repository::import(folder, docs).map(Some)
}

/// Imports the files of a new project. Deletes the project if that fails: without files it is of no use, and
/// its name would be taken.
async fn import_files(client: &Client, id: &str, folder: &Path) -> anyhow::Result<()> {
    let repository = client.local("--import")?.operations.repositories.built_in(id);
    let Err(error) = repository.import(folder).await else { return Ok(()) };
    let error = anyhow::Error::from(error).context("cannot make the repository");
    Err(match client.delete_project(id).await {
        Ok(_) => error,
        Err(left) => error.context(format!("the project {id} is left: {left:#}")),
    })
}

/// A new project with the next steps.
fn created_report(created: Project, is_imported: bool) -> anyhow::Result<Report> {
    let mut report = Report::of(to_value(&created)?);
    let Project { id, repository, .. } = created;
    match Location::parse(&repository).context("the repository can't be read")? {
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
