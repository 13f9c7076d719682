//! `docwright admin project`: documentation repositories.

use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use clap::Subcommand;
use docwright_domain::{site::Activation, timestamp::Timestamp};
use docwright_repository::location::{BUILT_IN, Location};
use docwright_storage::{
    Database,
    database::{NewProject, Project, ProjectChange},
};
use serde_json::{Value, json};

use super::{confirm::Confirm, deletion, organization};
use crate::{config::Settings, repositories::repositories};

/// What to do with projects.
#[derive(Debug, Subcommand)]
pub(super) enum Action {
    /// Make a project
    Create {
        /// Its name
        name: String,
        /// Id of its organisation
        #[arg(long)]
        organization: String,
        /// Folder, git URL, or `built-in` for docwright's own git host
        #[arg(long, value_name = "DIR|URL|built-in", default_value = BUILT_IN)]
        repository: String,
        /// Folder whose files are the first commit of a built-in repository
        #[arg(long, value_name = "DIR")]
        import: Option<PathBuf>,
        /// Folder of the docs root within the repository
        #[arg(long, default_value = "")]
        path: String,
        /// Model of its agent jobs, if not that of the install
        #[arg(long, value_name = "NAME")]
        model: Option<String>,
        /// How its releases become active: automatic or manual
        #[arg(long, default_value = "automatic")]
        activation: Activation,
    },
    /// List projects
    List,
    /// Change a project; what is not named stays. Jobs that are under way end as they began
    #[command(group = clap::ArgGroup::new("change").required(true).multiple(true))]
    Update {
        /// Its id
        id: String,
        /// Its new name
        #[arg(long, group = "change")]
        name: Option<String>,
        /// Folder, git URL, or `built-in` for docwright's own git host
        #[arg(long, value_name = "DIR|URL|built-in", group = "change")]
        repository: Option<String>,
        /// Folder of the docs root within the repository; empty to look for it
        #[arg(long, group = "change")]
        path: Option<String>,
        /// Model of its agent jobs; empty for that of the install
        #[arg(long, value_name = "NAME", group = "change")]
        model: Option<String>,
        /// How its releases become active: automatic or manual
        #[arg(long, group = "change")]
        activation: Option<Activation>,
    },
    /// Delete a project with its domains, releases, exports, jobs and built-in repository
    Delete {
        /// Its id
        id: String,
        #[command(flatten)]
        confirm: Confirm,
    },
}

pub(super) async fn act(
    database: &Database,
    settings: &Settings,
    action: Action,
    now: Timestamp,
) -> anyhow::Result<Value> {
    match action {
        Action::Create { name, organization, repository, import, path, model, activation } => {
            let new = NewProject {
                organization_id: &organization,
                name: &name,
                repository: &repository,
                docs_path: &path,
                model: model.as_deref(),
                activation,
            };
            create(database, settings, new, import.as_deref(), now).await
        }
        Action::List => Ok(database.projects().await?.iter().map(show).collect()),
        Action::Update { id, name, repository, path, model, activation } => {
            let repository = repository.as_deref().map(location).transpose()?;
            let change = ProjectChange {
                name: name.as_deref(),
                repository: repository.as_ref().map(|(_, address)| address.as_str()),
                docs_path: path.as_deref(),
                model: model.as_deref(),
                activation,
            };
            find(database, &id).await?;
            if let Some((Location::BuiltIn, _)) = &repository {
                create_repository(database, settings, &id, None).await?;
            }
            database.update_project(&id, change).await?;
            Ok(show(&find(database, &id).await?))
        }
        Action::Delete { id, confirm } => {
            let project = find(database, &id).await?;
            confirm.ask(&format!(
                "the project {} ({id}) with its domains, releases, exports, jobs and built-in repository",
                project.name
            ))?;
            let deletion = deletion(database, settings).await?;
            let report = deletion.project(&id).await?;
            ensure!(report.is_some(), "somebody else has deleted {id} meanwhile");
            Ok(json!(report))
        }
    }
}

/// The project of an id.
pub(super) async fn find(database: &Database, id: &str) -> anyhow::Result<Project> {
    let found = database.project(id).await?;
    found.ok_or_else(|| {
        anyhow::anyhow!("there is no project {id}; see `docwright admin project list`")
    })
}

fn show(project: &Project) -> Value {
    json!({
        "id": project.id,
        "name": project.name,
        "organization": project.organization_id,
        "repository": project.repository,
        "path": project.docs_path,
        "model": project.model,
        "activation": project.activation.name(),
    })
}

async fn create(
    database: &Database,
    settings: &Settings,
    mut new: NewProject<'_>,
    import: Option<&Path>,
    now: Timestamp,
) -> anyhow::Result<Value> {
    organization::find(database, new.organization_id).await?;
    let (location, address) = location(new.repository)?;
    ensure!(
        import.is_none() || location == Location::BuiltIn,
        "--import fills a built-in repository; leave --repository out, or --import"
    );
    new.repository = &address;
    let made = database.create_project(new, now).await?;
    if location == Location::BuiltIn {
        create_repository(database, settings, &made.id, import).await?;
    }
    Ok(show(&made))
}

/// Where files are, and how that is stored.
fn location(text: &str) -> anyhow::Result<(Location, String)> {
    let location = Location::parse(text)?;
    let mut stored = location.to_string();
    if let Location::Folder(folder) = &location {
        // The server may run in another folder.
        let absolute = std::fs::canonicalize(folder)
            .with_context(|| format!("there is no folder {}", folder.display()))?;
        stored = absolute.display().to_string();
    }
    Ok((location, stored))
}

/// The repository of a project on docwright's own git host, with the files of a folder.
pub(crate) async fn create_repository(
    database: &Database,
    settings: &Settings,
    project_id: &str,
    import: Option<&Path>,
) -> anyhow::Result<()> {
    let keyring = settings.keyring()?;
    let repositories = repositories(settings, (database, &keyring), String::new())?;
    let repository = repositories.built_in(project_id);
    let import = import.map(std::fs::canonicalize).transpose().context("cannot read --import")?;
    repository.create(import.as_deref()).await.context("cannot make the repository")
}
