//! `docwright admin`: what the operator does from the shell. Releases, credentials and the root secret
//! have files of their own.

mod credential;
mod release;
mod secret;

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::Context;
use clap::Subcommand;
use docwright_domain::{
    domain_name::DomainName,
    key::{Scope, parse_allowlist},
    plan::Plan,
    site::Activation,
    timestamp::iso,
};
use docwright_flows::clock::Clock;
use docwright_repository::location::{BUILT_IN, Location};
use docwright_storage::{
    Database,
    database::{NewKey, NewProject},
};
use serde_json::{Value, json};

use crate::{
    config::Settings,
    hosts::ServiceHosts,
    repositories::repositories,
    service::{open_database, scratch},
};

/// Manage organisations, projects, domains, keys, releases and credentials. Works while a server runs on
/// the same data.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    settings: Settings,
    /// Print JSON
    #[arg(long, global = true)]
    json: bool,
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Make an organisation
    OrganizationCreate {
        /// Its name
        name: String,
        /// Its plan: free, team or enterprise
        #[arg(long, default_value = "enterprise")]
        plan: Plan,
    },
    /// List organisations
    OrganizationList,
    /// Change the plan of an organisation
    PlanSet {
        /// Id of the organisation
        organization: String,
        /// free, team or enterprise
        plan: Plan,
    },
    /// Make a project
    ProjectCreate {
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
    ProjectList,
    /// Give a domain to a project
    DomainAdd {
        /// The domain, as a bare host name
        domain: String,
        /// Id of the project
        #[arg(long)]
        project: String,
        /// The branch that it shows, if not the repository's default branch
        #[arg(long)]
        branch: Option<String>,
    },
    /// Show what readers said of the pages of a domain
    FeedbackList {
        /// The domain
        domain: String,
    },
    /// Make a key, which is shown this one time
    KeyCreate {
        /// What it is for
        name: String,
        /// Id of its organisation
        #[arg(long)]
        organization: String,
        /// It may only read
        #[arg(long)]
        read_only: bool,
        /// Days until it ends
        #[arg(long)]
        days: Option<i64>,
        /// Addresses and networks it may be used from, divided by commas
        #[arg(long, default_value = "")]
        allow: String,
    },
    /// List the keys of an organisation
    KeyList {
        /// Id of the organisation
        organization: String,
    },
    /// Revoke a key
    KeyRevoke {
        /// Public id of the key
        id: String,
    },
    /// Build, list and activate releases
    #[command(subcommand)]
    Release(release::Action),
    /// Keep, list and remove what git hosts are shown
    #[command(subcommand)]
    Credential(credential::Action),
    /// Rotate the root secret
    #[command(subcommand)]
    Secret(secret::Action),
}

/// Runs the command.
pub(crate) fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let runtime = tokio::runtime::Runtime::new()?;
    runtime.block_on(async {
        let database = open_database(&arguments.settings).await?;
        let done = act(&database, &arguments.settings, arguments.action).await?;
        print(&done, arguments.json)?;
        database.close().await;
        Ok(ExitCode::SUCCESS)
    })
}

async fn act(database: &Database, settings: &Settings, action: Action) -> anyhow::Result<Value> {
    let now = Clock::default().now();
    Ok(match action {
        Action::OrganizationCreate { name, plan } => {
            let made = database.create_organization(&name, plan, now).await?;
            json!({ "id": made.id, "name": made.name, "plan": made.plan.to_string() })
        }
        Action::OrganizationList => {
            let all = database.organizations().await?;
            all.iter().map(|each| json!({ "id": each.id, "name": each.name, "plan": each.plan.to_string() })).collect()
        }
        Action::PlanSet { organization, plan } => {
            anyhow::ensure!(
                database.set_plan(&organization, plan).await?,
                "there is no organisation {organization}; see `organization-list`"
            );
            json!({ "id": organization, "plan": plan.to_string() })
        }
        Action::ProjectCreate {
            name,
            organization,
            repository,
            import,
            path,
            model,
            activation,
        } => {
            let new = NewProject {
                organization_id: &organization,
                name: &name,
                repository: &repository,
                docs_path: &path,
                model: model.as_deref(),
                activation,
            };
            create_project(database, settings, new, import.as_deref(), now).await?
        }
        Action::ProjectList => {
            let all = database.projects().await?;
            all.iter().map(|each| json!({ "id": each.id, "name": each.name, "organization": each.organization_id, "repository": each.repository })).collect()
        }
        Action::DomainAdd { domain, project, branch } => {
            add_domain((database, settings), &domain, (&project, branch.as_deref()), now).await?
        }
        Action::FeedbackList { domain } => {
            let pages = database.feedback(&domain).await?;
            pages.iter().map(|each| json!({ "page": each.page, "helpful": each.helpful, "unhelpful": each.unhelpful, "comments": each.comments })).collect()
        }
        Action::KeyCreate { name, organization, read_only, days, allow } => {
            let allowlist = parse_allowlist(&allow).map_err(anyhow::Error::msg)?;
            let scope = if read_only { Scope::Read } else { Scope::Write };
            let new = NewKey { organization_id: organization, name, scope, allowlist, days };
            create_key(database, &new, now).await?
        }
        Action::KeyList { organization } => {
            let keys = database.keys(&organization).await?;
            let ended = |time: Option<i64>| time.map(iso);
            keys.iter()
                .map(|key| json!({ "id": key.id, "name": key.name, "scope": key.scope.name(), "expiresAt": ended(key.expires_at), "lastUsedAt": ended(key.last_used_at), "revokedAt": ended(key.revoked_at) }))
                .collect()
        }
        Action::KeyRevoke { id } => {
            anyhow::ensure!(
                database.revoke_key(&id, now).await?,
                "there is no key {id} that is still good; see `key-list`"
            );
            json!({ "id": id, "revoked": true })
        }
        Action::Release(action) => release::act(database, action, now).await?,
        Action::Credential(action) => {
            credential::act(database, &settings.keyring()?, action, now).await?
        }
        Action::Secret(action) => secret::act(database, settings, action).await?,
    })
}

async fn add_domain(
    (database, settings): (&Database, &Settings),
    domain: &str,
    (project, branch): (&str, Option<&str>),
    now: i64,
) -> anyhow::Result<Value> {
    let domain = DomainName::parse(domain).with_context(|| format!("`{domain}`"))?;
    ServiceHosts::new(settings.public_url.as_ref()).refuse(&domain)?;
    anyhow::ensure!(
        database.project(project).await?.is_some(),
        "there is no project {project}; see `project-list`"
    );
    database.add_domain(&domain, project, branch, now).await?;
    Ok(json!({ "domain": domain.to_string(), "project": project, "branch": branch }))
}

async fn create_key(database: &Database, new: &NewKey, now: i64) -> anyhow::Result<Value> {
    anyhow::ensure!(
        database.organization(&new.organization_id).await?.is_some(),
        "there is no organisation {}; see `organization-list`",
        new.organization_id
    );
    let key = database.create_key(new, now).await?;
    Ok(json!({ "id": key.id(), "key": key.reveal() }))
}

async fn create_project(
    database: &Database,
    settings: &Settings,
    mut new: NewProject<'_>,
    import: Option<&Path>,
    now: i64,
) -> anyhow::Result<Value> {
    anyhow::ensure!(
        database.organization(new.organization_id).await?.is_some(),
        "there is no organisation {}; see `organization-list`",
        new.organization_id
    );
    let location = Location::parse(new.repository)?;
    anyhow::ensure!(
        import.is_none() || location == Location::BuiltIn,
        "--import fills a built-in repository; leave --repository out, or --import"
    );
    let mut shown = location.to_string();
    if let Location::Folder(folder) = &location {
        // The server may run in another folder.
        let absolute = std::fs::canonicalize(folder)
            .with_context(|| format!("there is no folder {}", folder.display()))?;
        shown = absolute.display().to_string();
    }
    new.repository = &shown;
    let made = database.create_project(new, now).await?;
    if location == Location::BuiltIn {
        create_repository(database, settings, &made.id, import).await?;
    }
    Ok(json!({ "id": made.id, "name": made.name, "repository": made.repository }))
}

/// The repository of a project on docwright's own git host, with the files of a folder.
pub(super) async fn create_repository(
    database: &Database,
    settings: &Settings,
    project_id: &str,
    import: Option<&Path>,
) -> anyhow::Result<()> {
    let (keyring, scratch) = (settings.keyring()?, scratch(settings)?);
    let repositories = repositories(settings, (database, &keyring), &scratch, String::new())?;
    let repository = repositories.built_in(project_id);
    let import = import.map(std::fs::canonicalize).transpose().context("cannot read --import")?;
    repository.create(import.as_deref()).await.context("cannot make the repository")
}

fn print(value: &Value, json: bool) -> anyhow::Result<()> {
    if json {
        println!("{}", serde_json::to_string_pretty(value)?);
        return Ok(());
    }
    let rows = value.as_array().cloned().unwrap_or_else(|| vec![value.clone()]);
    for row in rows {
        let fields = row.as_object().into_iter().flatten().map(|(name, value)| match value {
            Value::String(text) => format!("{name}: {text}"),
            other => format!("{name}: {other}"),
        });
        println!("{}", fields.collect::<Vec<_>>().join("  "));
    }
    Ok(())
}
