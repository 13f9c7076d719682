//! Settings of the service, from flags and the environment. Nothing else reads the environment.

mod agent;
mod git_hosts;

use std::{net::SocketAddr, path::PathBuf};

use clap::ValueEnum;

pub(crate) use agent::AgentSettings;
pub(crate) use git_hosts::{GitHostSettings, PrivateHosts};

/// Settings of `docwright serve`. Each flag has a variable of the same name.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Settings {
    /// Folder for the database, bundles and work in progress
    #[arg(long, value_name = "DIR", env = "DOCWRIGHT_DATA", default_value = "docwright-data")]
    pub(crate) data: PathBuf,
    /// Address to listen on; port 0 takes a free one
    #[arg(long, value_name = "ADDR", env = "DOCWRIGHT_LISTEN", default_value = "127.0.0.1:8080")]
    pub(crate) listen: SocketAddr,
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
    pub(crate) agent: AgentSettings,
    #[command(flatten)]
    pub(crate) git_hosts: GitHostSettings,
    /// How long a job waits for a worker that is gone, in seconds
    #[arg(long, value_name = "SECONDS", env = "DOCWRIGHT_LEASE_SECONDS", default_value_t = 15, hide = true,
          value_parser = clap::value_parser!(i64).range(1..=600))]
    pub(crate) lease_seconds: i64,
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
