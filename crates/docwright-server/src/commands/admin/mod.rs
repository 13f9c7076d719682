//! `docwright admin`: what the operator does from the shell. One file for each kind of thing.

mod confirm;
mod credential;
mod domain;
mod feedback;
mod install;
mod key;
mod name;
mod organization;
mod project;
mod release;
mod report;
mod repository;
mod secret;

use std::process::ExitCode;

use clap::Subcommand;

pub(super) use repository::create as create_repository;

use crate::config::StoreSettings;
use install::Install;
use report::Report;

/// Manage organisations, projects, domains, releases, keys and credentials
///
/// It works on the store of an install, also while a server runs on it. The options below may stand
/// anywhere on the line. A project or an organisation is named by its id, or by its name where only one
/// has it.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    store: StoreSettings,
    /// Print JSON, for programs
    #[arg(long, global = true, help_heading = "Output")]
    json: bool,
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Those who own projects and keys
    #[command(subcommand)]
    Organization(organization::Action),
    /// Documentation repositories
    #[command(subcommand)]
    Project(project::Action),
    /// The addresses of sites
    #[command(subcommand)]
    Domain(domain::Action),
    /// What was built of a project's commits
    #[command(subcommand)]
    Release(release::Action),
    /// Keys of the API
    #[command(subcommand)]
    Key(key::Action),
    /// Tokens and passwords for git hosts
    #[command(subcommand)]
    Credential(credential::Action),
    /// What readers say of pages
    #[command(subcommand)]
    Feedback(feedback::Action),
    /// The root secret, which signs links and encrypts credentials
    #[command(subcommand)]
    Secret(secret::Action),
}

/// Runs the command.
pub(crate) fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let runtime = tokio::runtime::Runtime::new()?;
    let done = runtime.block_on(async {
        let install = Install::open(arguments.store).await?;
        let report = act(&install, arguments.action).await?;
        report.print(arguments.json)?;
        install.database.close().await;
        Ok(ExitCode::SUCCESS)
    });
    // What blocks a thread, such as a look-up of a name that nobody answers, ends with the process.
    runtime.shutdown_background();
    done
}

async fn act(install: &Install, action: Action) -> anyhow::Result<Report> {
    match action {
        Action::Organization(action) => organization::act(install, action).await,
        Action::Project(action) => project::act(install, action).await,
        Action::Domain(action) => domain::act(install, action).await,
        Action::Release(action) => release::act(install, action).await,
        Action::Key(action) => key::act(install, action).await,
        Action::Credential(action) => credential::act(install, action).await,
        Action::Feedback(action) => feedback::act(install, action).await,
        Action::Secret(action) => secret::act(install, action).await,
    }
}
