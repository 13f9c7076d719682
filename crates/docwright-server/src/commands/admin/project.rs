//! `docwright admin project`: documentation repositories.

use std::path::{Path, PathBuf};

use anyhow::ensure;
use clap::Subcommand;
use docwright_agent::models::check_name;
use docwright_domain::site::Activation;
use docwright_repository::location::{BUILT_IN, Location};
use docwright_storage::database::{NewProject, Organization, Project, ProjectChange};
use serde_json::{Value, json};

use super::{Install, Report, confirm::Confirm, name, repository};

/// What to do with projects.
#[derive(Debug, Subcommand)]
pub(super) enum Action {
    /// Make a project
    Create {
        /// Its name, which no other project of the organisation has
        #[arg(value_parser = name::parse)]
        name: String,
        /// Id or name of its organisation
        #[arg(long)]
        organization: String,
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
        /// Model of its agent jobs, if not that of the install, as anthropic:claude-sonnet-4-5
        #[arg(long, value_name = "NAME", value_parser = model)]
        model: Option<String>,
        /// How its releases become active: automatic or manual
        #[arg(long, default_value = "automatic")]
        activation: Activation,
    },
    /// List projects
    List {
        /// Only those of this organisation; its id or name
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
        #[arg(long, value_parser = name::parse, group = "change")]
        name: Option<String>,
        /// A folder, a bare repository of this machine, a git URL, or `built-in` for docwright's own git host
        #[arg(long, value_name = "DIR|URL|built-in", group = "change")]
        repository: Option<String>,
        /// Folder of the docs root within the repository; empty to look for it
        #[arg(long, group = "change")]
        path: Option<String>,
        /// Model of its agent jobs; empty for that of the install
        #[arg(long, value_name = "NAME", value_parser = model, group = "change")]
        model: Option<String>,
        /// How its releases become active: automatic or manual
        #[arg(long, group = "change")]
        activation: Option<Activation>,
    },
    /// Delete a project with its domains, releases, exports, jobs and built-in repository
    Delete {
        /// Its id or name
        project: String,
        #[command(flatten)]
        confirm: Confirm,
    },
}

pub(super) async fn act(install: &Install, action: Action) -> anyhow::Result<Report> {
    let database = &install.database;
    match action {
        Action::Create { name, organization, repository, import, path, model, activation } => {
            let organization = install.organization(&organization).await?;
            let new = NewProject {
                organization_id: &organization.id,
                name: &name,
                repository: &repository,
                docs_path: &path,
                model: model.as_deref().filter(|model| !model.is_empty()),
                activation,
            };
            create(install, new, &organization, import.as_deref()).await
        }
        Action::List { organization } => list(install, organization.as_deref()).await,
        Action::Show { project } => shown(install, &install.project(&project).await?).await,
        Action::Update { project, name, repository, path, model, activation } => {
            let before = install.project(&project).await?;
            let repository = repository.as_deref().map(repository::location).transpose()?;
            let change = ProjectChange {
                name: name.as_deref(),
                repository: repository.as_ref().map(|(_, address)| address.as_str()),
                docs_path: path.as_deref(),
                model: model.as_deref(),
                activation,
            };
            if let Some((Location::BuiltIn, _)) = &repository {
                repository::create(database, &install.store, &before.id, None).await?;
            }
            if let Some((Location::Folder(folder), _)) = &repository {
                repository::warn(folder, path.as_deref().unwrap_or(&before.docs_path));
            }
            database.update_project(&before.id, change).await?;
            shown(install, &install.project(&before.id).await?).await
        }
        Action::Delete { project, confirm } => {
            let Project { id, name, .. } = install.project(&project).await?;
            confirm.ask(&format!(
                "the project {name} ({id}) with its domains, releases, exports, jobs and built-in repository"
            ))?;
            let report = install.deletion().await?.project(&id).await?;
            ensure!(report.is_some(), "somebody else has deleted {id} meanwhile");
            Ok(Report::of(json!(report)))
        }
    }
}

/// The name of a model; empty for none.
fn model(text: &str) -> Result<String, String> {
    if !text.is_empty() {
        check_name(text)?;
    }
    Ok(text.to_owned())
}

async fn list(install: &Install, organization: Option<&str>) -> anyhow::Result<Report> {
    let organizations = install.organizations(organization).await?;
    let projects = install.database.projects().await?;
    let of = |project: &Project| {
        let owner = organizations.iter().find(|owner| owner.id == project.organization_id)?;
        Some(show(project, owner))
    };
    Ok(Report::list(
        projects.iter().filter_map(of),
        &["id", "name", "organizationName", "repository", "path"],
        "There is no project; make one with `docwright admin project create NAME --organization ORGANIZATION`.",
    ))
}

async fn shown(install: &Install, project: &Project) -> anyhow::Result<Report> {
    Ok(Report::of(show(project, &install.organization(&project.organization_id).await?)))
}

fn show(project: &Project, organization: &Organization) -> Value {
    json!({
        "id": project.id,
        "name": project.name,
        "organization": project.organization_id,
        "organizationName": organization.name,
        "repository": project.repository,
        "path": project.docs_path,
        "model": project.model,
        "activation": project.activation.name(),
    })
}

async fn create(
    install: &Install,
    mut new: NewProject<'_>,
    organization: &Organization,
    import: Option<&Path>,
) -> anyhow::Result<Report> {
    let (location, address) = repository::location(new.repository)?;
    ensure!(
        import.is_none() || location == Location::BuiltIn,
        "--import fills a built-in repository; leave --repository out, or --import"
    );
    let import = import.map(repository::import).transpose()?;
    let files = match &location {
        Location::Folder(folder) => Some(folder),
        _ => import.as_ref(),
    };
    if let Some(folder) = files {
        repository::warn(folder, new.docs_path);
    }
    new.repository = &address;
    let made = install.database.create_project(new, install.now).await?;
    let mut report = Report::of(show(&made, organization));
    if location == Location::BuiltIn {
        let (database, store) = (&install.database, &install.store);
        let repository = repository::create(database, store, &made.id, import.as_deref()).await;
        if let Err(error) = repository {
            // Nobody could do anything with half a project, and its name would be taken.
            return Err(match undo(install, &made.id).await {
                Ok(()) => error,
                Err(left) => error.context(format!("the project {} is left: {left:#}", made.id)),
            });
        }
        if import.is_none() {
            report = report.then(format!(
                "push to /git/{}.git of the running service, with a key as the password",
                made.id
            ));
        }
    }
    if let Location::Remote(remote) = &location
        && !remote.host().is_empty()
    {
        report = report.then(format!(
            "docwright admin credential set {} --project {} < TOKEN_FILE  # if it is private",
            remote.host_and_port(),
            made.id
        ));
    }
    Ok(report.then(format!("docwright admin domain create DOMAIN --project {}", made.id)))
}

/// Takes back a project that was made a moment ago.
async fn undo(install: &Install, id: &str) -> anyhow::Result<()> {
    install.deletion().await?.project(id).await?;
    Ok(())
}
