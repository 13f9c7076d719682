//! Settings of the service, from flags and the environment. Nothing else reads the environment.

mod agent;
mod assistant;
mod builds;
mod data_folder;
mod domains;
mod embeddings;
mod git_hosts;
mod instance;
mod mail;
mod objects;
mod previews;
mod providers;
mod proxies;
mod retention;
mod secret;
mod sign_in;
mod signal_at;
mod sites;
mod store;

use clap::ValueEnum;
use docwright_http::{listen_address::ListenAddress, tls::TlsSettings};

pub(crate) use agent::AgentSettings;
pub(crate) use assistant::AssistantSettings;
pub(crate) use builds::BuildSettings;
pub(crate) use domains::DomainSettings;
pub(crate) use embeddings::EmbeddingOptions;
pub(crate) use git_hosts::{GitHostSettings, PrivateHosts};
pub(crate) use mail::MailSettings;
use objects::ObjectSettings;
pub(crate) use previews::PreviewSettings;
pub(crate) use providers::ProviderSettings;
pub(crate) use proxies::ProxySettings;
pub(crate) use retention::RetentionSettings;
use secret::SecretSettings;
pub(crate) use sign_in::SignInSettings;
pub(crate) use signal_at::SignalAt;
pub(crate) use sites::SiteSettings;
pub(crate) use store::StoreSettings;

/// Default size limit of a push, in MiB.
pub(crate) const MAXIMUM_PUSH: u64 = 512;

/// Settings of `docwright serve`. Each flag has a variable of the same name.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Service")]
pub(crate) struct Settings {
    /// Address to listen on, such as 127.0.0.1:8080
    ///
    /// A port alone, such as 8080, listens on this machine only. With a colon before it, such as :8080, it
    /// listens on every network. Port 0 takes a free port.
    #[arg(long, value_name = "ADDR", env = "DOCWRIGHT_LISTEN", default_value = "127.0.0.1:8080")]
    pub(crate) listen: ListenAddress,
    /// Separate address for /healthz, /readyz, and /metrics
    #[arg(long, value_name = "ADDR", env = "DOCWRIGHT_PROBES")]
    pub(crate) probes: Option<ListenAddress>,
    /// Public URL of this service, such as `https://docs-admin.example.com`
    ///
    /// Links start with it, and sites use its scheme and port. Its host serves no site.
    #[arg(long, value_name = "URL", env = "DOCWRIGHT_PUBLIC_URL")]
    pub(crate) public_url: Option<url::Url>,
    /// What this process does
    #[arg(long, value_enum, env = "DOCWRIGHT_ROLE", default_value_t = Role::All)]
    pub(crate) role: Role,
    /// Lifetime of links to bundles, in seconds; at most 7 days
    #[arg(long, value_name = "SECONDS", env = "DOCWRIGHT_LINK_SECONDS", default_value_t = 3600,
          value_parser = clap::value_parser!(i64).range(1..=604_800), hide_short_help = true)]
    pub(crate) link_seconds: i64,
    /// Largest push to the built-in git host, in MiB
    #[arg(long, value_name = "MIB", env = "DOCWRIGHT_MAXIMUM_PUSH", default_value_t = MAXIMUM_PUSH,
          value_parser = clap::value_parser!(u64).range(1..=1_048_576), hide_short_help = true)]
    pub(crate) maximum_push: u64,
    /// Seconds that running jobs get to finish on shutdown
    ///
    /// Unfinished jobs return to the queue.
    #[arg(
        long,
        value_name = "SECONDS",
        env = "DOCWRIGHT_DRAIN_SECONDS",
        default_value_t = 20,
        hide_short_help = true
    )]
    pub(crate) drain_seconds: u64,
    /// How long a job waits for a worker that is gone, in seconds
    #[arg(long, value_name = "SECONDS", env = "DOCWRIGHT_LEASE_SECONDS", default_value_t = 15, hide = true,
          value_parser = clap::value_parser!(i64).range(1..=600))]
    pub(crate) lease_seconds: i64,
    /// Send a signal to this process at a step of a job, as in built=kill: for tests of just that
    #[arg(long, value_name = "STEP=SIGNAL", env = "DOCWRIGHT_SIGNAL_AT", hide = true)]
    pub(crate) signal_at: Option<SignalAt>,
    #[command(flatten)]
    pub(crate) proxies: ProxySettings,
    #[command(flatten)]
    pub(crate) domains: DomainSettings,
    #[command(flatten)]
    pub(crate) tls: TlsSettings,
    #[command(flatten)]
    pub(crate) store: StoreSettings,
    #[command(flatten)]
    pub(crate) agent: AgentSettings,
    #[command(flatten)]
    pub(crate) git_hosts: GitHostSettings,
    #[command(flatten)]
    pub(crate) builds: BuildSettings,
    #[command(flatten)]
    pub(crate) sites: SiteSettings,
    #[command(flatten)]
    pub(crate) assistant: AssistantSettings,
    #[command(flatten)]
    pub(crate) previews: PreviewSettings,
    #[command(flatten)]
    pub(crate) sign_in: SignInSettings,
    #[command(flatten)]
    pub(crate) mail: MailSettings,
    #[command(flatten)]
    pub(crate) retention: RetentionSettings,
}

/// The role of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Role {
    /// Serve requests
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
