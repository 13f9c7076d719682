//! Settings of the service, from flags and the environment. Nothing else reads the environment.

mod agent;
mod builds;
mod git_hosts;
mod objects;
mod proxies;
mod retention;
mod secret;
mod signal_at;
mod sites;

use std::{net::SocketAddr, path::PathBuf};

use anyhow::Context;
use clap::ValueEnum;

pub(crate) use agent::AgentSettings;
pub(crate) use builds::BuildSettings;
pub(crate) use git_hosts::{GitHostSettings, PrivateHosts};
pub(crate) use objects::ObjectSettings;
pub(crate) use proxies::ProxySettings;
pub(crate) use retention::RetentionSettings;
pub(crate) use secret::SecretSettings;
pub(crate) use signal_at::SignalAt;
pub(crate) use sites::SiteSettings;

/// Largest push unless it is set, in MiB.
pub(crate) const MAXIMUM_PUSH: u64 = 512;

/// Settings of `docwright serve`. Each flag has a variable of the same name.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Settings {
    /// Folder for the database, bundles and work in progress
    #[arg(long, value_name = "DIR", env = "DOCWRIGHT_DATA", default_value = "docwright-data")]
    pub(crate) data: PathBuf,
    /// Address to listen on; port 0 takes a free one
    #[arg(long, value_name = "ADDR", env = "DOCWRIGHT_LISTEN", default_value = "127.0.0.1:8080")]
    pub(crate) listen: SocketAddr,
    /// Address for /healthz, /readyz and /metrics, which are then nowhere else
    #[arg(long, value_name = "ADDR", env = "DOCWRIGHT_PROBES")]
    pub(crate) probes: Option<SocketAddr>,
    /// What this process does
    #[arg(long, value_enum, env = "DOCWRIGHT_ROLE", default_value_t = Role::All)]
    pub(crate) role: Role,
    /// Database to use instead of the one in the data folder, such as postgres://…
    #[arg(long, value_name = "URL", env = "DOCWRIGHT_DATABASE_URL", hide_env_values = true)]
    pub(crate) database_url: Option<String>,
    /// Address at which clients reach this server, for links to bundles
    #[arg(long, value_name = "URL", env = "DOCWRIGHT_PUBLIC_URL")]
    pub(crate) public_url: Option<url::Url>,
    /// How long links to bundles are good, in seconds: up to 7 days
    #[arg(long, value_name = "SECONDS", env = "DOCWRIGHT_LINK_SECONDS", default_value_t = 3600,
          value_parser = clap::value_parser!(i64).range(1..=604_800))]
    pub(crate) link_seconds: i64,
    /// Fetch API descriptions that projects name by address, and keep copies in this folder
    #[arg(long, value_name = "DIR", env = "DOCWRIGHT_REMOTE_SPECS")]
    pub(crate) remote_specs: Option<PathBuf>,
    /// Bundles load the analytics and chat services of `integrations`, which ask other hosts
    #[arg(long, env = "DOCWRIGHT_ANALYTICS")]
    pub(crate) analytics: bool,
    #[command(flatten)]
    pub(crate) objects: ObjectSettings,
    #[command(flatten)]
    pub(crate) secret: SecretSettings,
    #[command(flatten)]
    pub(crate) sites: SiteSettings,
    #[command(flatten)]
    pub(crate) builds: BuildSettings,
    #[command(flatten)]
    pub(crate) retention: RetentionSettings,
    #[command(flatten)]
    pub(crate) agent: AgentSettings,
    #[command(flatten)]
    pub(crate) git_hosts: GitHostSettings,
    #[command(flatten)]
    pub(crate) proxies: ProxySettings,
    /// Largest push that docwright's own git host takes, in MiB
    #[arg(long, value_name = "MIB", env = "DOCWRIGHT_MAXIMUM_PUSH", default_value_t = MAXIMUM_PUSH,
          value_parser = clap::value_parser!(u64).range(1..=1_048_576))]
    pub(crate) maximum_push: u64,
    /// How long jobs may go on when the service is asked to stop, in seconds; then they go back to the queue
    #[arg(long, value_name = "SECONDS", env = "DOCWRIGHT_DRAIN_SECONDS", default_value_t = 20)]
    pub(crate) drain_seconds: u64,
    /// How long a job waits for a worker that is gone, in seconds
    #[arg(long, value_name = "SECONDS", env = "DOCWRIGHT_LEASE_SECONDS", default_value_t = 15, hide = true,
          value_parser = clap::value_parser!(i64).range(1..=600))]
    pub(crate) lease_seconds: i64,
    /// Send a signal to this process at a step of a job, as in built=kill: for tests of just that
    #[arg(long, value_name = "STEP=SIGNAL", env = "DOCWRIGHT_SIGNAL_AT", hide = true)]
    pub(crate) signal_at: Option<SignalAt>,
}

impl Settings {
    /// The folder for work in progress, as an absolute path.
    pub(crate) fn work_folder(&self) -> anyhow::Result<PathBuf> {
        let folder = self.data.join("work");
        std::fs::create_dir_all(&folder)
            .with_context(|| format!("cannot make {}", folder.display()))?;
        Ok(folder.canonicalize()?)
    }

    /// The root secret's keys.
    pub(crate) fn keyring(&self) -> anyhow::Result<docwright_storage::Keyring> {
        let shared = self.database_url.as_ref().is_some_and(|url| url.starts_with("postgres"));
        self.secret.keyring(&self.data, shared)
    }
}

/// What a process does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Role {
    /// Answer requests
    Api,
    /// Run jobs
    Worker,
    /// Both
    All,
}

impl Role {
    /// Its name.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Api => "api",
            Self::Worker => "worker",
            Self::All => "all",
        }
    }
}
