//! `docwright admin`: what the operator does from the shell. One file for each kind of thing.

mod confirm;
mod credential;
mod domain;
mod feedback;
mod key;
mod organization;
mod project;
mod release;
mod secret;

use std::process::ExitCode;

use clap::Subcommand;
use docwright_flows::{clock::Clock, deletion::Deletion};
use docwright_storage::Database;
use serde_json::Value;

pub(super) use project::create_repository;

use crate::{config::Settings, repositories::repositories, service::open_database};

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
    /// Make, list, change and delete organisations
    #[command(subcommand)]
    Organization(organization::Action),
    /// Make, list, change and delete projects
    #[command(subcommand)]
    Project(project::Action),
    /// Add, list, change and delete domains
    #[command(subcommand)]
    Domain(domain::Action),
    /// Build, list and activate releases
    #[command(subcommand)]
    Release(release::Action),
    /// Make, list and revoke keys
    #[command(subcommand)]
    Key(key::Action),
    /// Keep, list and remove what git hosts are shown
    #[command(subcommand)]
    Credential(credential::Action),
    /// Rotate the root secret
    #[command(subcommand)]
    Secret(secret::Action),
    /// Show what readers say
    #[command(subcommand)]
    Feedback(feedback::Action),
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
    match action {
        Action::Organization(action) => organization::act(database, settings, action, now).await,
        Action::Project(action) => project::act(database, settings, action, now).await,
        Action::Domain(action) => domain::act(database, settings, action, now).await,
        Action::Release(action) => release::act(database, action, now).await,
        Action::Key(action) => key::act(database, action, now).await,
        Action::Credential(action) => {
            credential::act(database, &settings.keyring()?, action, now).await
        }
        Action::Secret(action) => secret::act(database, settings, action).await,
        Action::Feedback(action) => feedback::act(database, action).await,
    }
}

/// What deletes rows together with their bundles and repositories.
async fn deletion(database: &Database, settings: &Settings) -> anyhow::Result<Deletion> {
    let keyring = settings.keyring()?;
    let repositories = repositories(settings, (database, &keyring), String::new())?;
    let objects = settings.objects.open(&settings.data, keyring).await?;
    Ok(Deletion { repositories, objects })
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
