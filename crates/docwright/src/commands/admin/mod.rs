//! `docwright admin`: administration from the command line. One file per resource.

mod account;
mod audit;
mod client;
mod confirm;
mod credential;
mod domain;
mod feedback;
mod instance;
mod key;
mod link;
mod member;
mod organization;
mod plan;
mod preview;
mod project;
mod release;
mod report;
mod repository;
mod second_factor;
mod secret;
mod storage;

use std::{fmt::Display, path::Path, process::ExitCode};

use clap::Subcommand;
use docwright_operations::fields::field;
use docwright_types::account::Email;

use crate::config::StoreSettings;
use client::{Client, ServerSettings, command_error};
use instance::Instance;
use report::Report;

/// Administer an instance
///
/// Manage organizations, members, projects, domains, releases, keys, and credentials. By default,
/// commands use the data folder of an instance on this machine, even while its server runs. With
/// --server, they use the API of a remote instance. You can put the options below anywhere on the
/// line. Name a project or organization by ID, or by name if only one has that name.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    store: StoreSettings,
    #[command(flatten)]
    server: ServerSettings,
    /// Print JSON, for programs
    #[arg(long, global = true, help_heading = "Output")]
    json: bool,
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Manage organizations
    #[command(subcommand)]
    Organization(organization::Action),
    /// Manage members of organizations
    #[command(subcommand)]
    Member(member::Action),
    /// Manage accounts and their identities at OpenID Connect providers
    #[command(subcommand)]
    Account(account::Action),
    /// Manage plans
    #[command(subcommand)]
    Plan(plan::Action),
    /// Manage projects
    #[command(subcommand)]
    Project(project::Action),
    /// Manage domains
    #[command(subcommand)]
    Domain(domain::Action),
    /// Manage releases
    #[command(subcommand)]
    Release(release::Action),
    /// Manage previews of branches and pull requests
    #[command(subcommand)]
    Preview(preview::Action),
    /// Manage API keys
    #[command(subcommand)]
    Key(key::Action),
    /// Manage credentials for git hosts
    #[command(subcommand)]
    Credential(credential::Action),
    /// List reader feedback
    #[command(subcommand)]
    Feedback(feedback::Action),
    /// Show the setup link, which creates the first account
    SetupLink {
        #[command(flatten)]
        address: link::ServiceAddress,
    },
    /// Create a single-use sign-in link that expires in 15 minutes
    SignInLink {
        /// Email address of the account
        email: Email,
        #[command(flatten)]
        address: link::ServiceAddress,
    },
    /// Turn off two-factor authentication for someone who lost it
    ///
    /// All sessions of the account end. From then on, the password is enough to sign in.
    SecondFactorOff {
        /// Email address of the account
        email: Email,
    },
    /// View the audit log
    #[command(subcommand)]
    Audit(audit::Action),
    /// Manage the root secret, which signs links and encrypts credentials
    #[command(subcommand)]
    Secret(secret::Action),
    /// Manage storage outside the database
    #[command(subcommand)]
    Storage(storage::Action),
}

impl Arguments {
    /// Returns the data folder; `None` for a remote instance.
    pub(super) fn data_folder(&self) -> Option<&Path> {
        self.server.is_local().then_some(self.store.data.as_path())
    }
}

impl Action {
    /// Returns whether it can delete bundles.
    const fn deletes(&self) -> bool {
        matches!(
            self,
            Self::Organization(organization::Action::Delete { .. })
                | Self::Project(project::Action::Delete { .. })
                | Self::Domain(domain::Action::Delete { .. })
        )
    }
}

/// Runs the command.
pub(crate) fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let runtime = tokio::runtime::Runtime::new()?;
    let done = runtime.block_on(async {
        if let Action::Storage(action) = arguments.action {
            arguments.server.require_local("`docwright admin storage`")?;
            let instance = Instance::open(arguments.store).await?;
            storage::act(&instance, action).await?.print(arguments.json)?;
            instance.database.close().await;
            return Ok(ExitCode::SUCCESS);
        }
        let deletes = arguments.action.deletes();
        let instance = arguments.server.named().or_else(|| named_folder(&arguments.store.data));
        let client = Client::open(arguments.store, arguments.server, deletes).await?;
        let report = act(&client, arguments.action).await?.on(instance.as_deref());
        report.print(arguments.json)?;
        client.close().await;
        Ok(ExitCode::SUCCESS)
    });
    // Blocked threads, such as a DNS look-up without a response, end with the process.
    runtime.shutdown_background();
    done
}

/// The option that names a data folder; `None` for the default one.
fn named_folder(data: &Path) -> Option<String> {
    let folder = data.display().to_string();
    (folder != StoreSettings::DEFAULT_FOLDER).then(|| format!("--data {}", quoted(&folder)))
}

/// A word of a shell.
fn quoted(text: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/._-~:".contains(&byte);
    if !text.is_empty() && text.bytes().all(is_plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}

async fn act(client: &Client, action: Action) -> anyhow::Result<Report> {
    match action {
        Action::Organization(action) => organization::act(client, action).await,
        Action::Member(action) => member::act(client, action).await,
        Action::Account(action) => account::act(client, action).await,
        Action::SetupLink { address } => {
            link::to_setup(client.local("`docwright admin setup-link`")?, &address).await
        }
        Action::SignInLink { email, address } => {
            let local = client.local("`docwright admin sign-in-link`")?;
            link::to_sign_in(local, &email, &address).await
        }
        Action::SecondFactorOff { email } => {
            let local = client.local("`docwright admin second-factor-off`")?;
            second_factor::turn_off(local, &email).await
        }
        Action::Plan(action) => plan::act(client, action).await,
        Action::Project(action) => project::act(client, action).await,
        Action::Preview(action) => preview::act(client, action).await,
        Action::Domain(action) => domain::act(client, action).await,
        Action::Release(action) => release::act(client, action).await,
        Action::Key(action) => key::act(client, action).await,
        Action::Credential(action) => credential::act(client, action).await,
        Action::Feedback(action) => feedback::act(client, action).await,
        Action::Audit(action) => audit::act(client, action).await,
        Action::Storage(action) => {
            storage::act(&client.local("`docwright admin storage`")?.instance, action).await
        }
        Action::Secret(action) => {
            secret::act(&client.local("`docwright admin secret`")?.instance, action).await
        }
    }
}

/// Reads a field of an input that can be left out.
fn optional<T: TryFrom<String, Error: Display>>(
    name: &str,
    text: Option<String>,
) -> anyhow::Result<Option<T>> {
    text.map(|text| field(name, text)).transpose().map_err(command_error)
}
