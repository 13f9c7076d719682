//! Settings of git hosts.

use std::{fmt, path::PathBuf};

use anyhow::Context;
use docwright_repository::{
    git_hosts::{GitHubApp, HostSettings},
    network::{AllowedHosts, Network},
};
use docwright_types::{
    git_host::GitHostKind,
    timestamp::{SECOND, Timestamp},
};

/// Settings of git hosts. Each flag has a variable of the same name.
#[derive(Clone, Default, clap::Args)]
#[command(next_help_heading = "Git hosts")]
pub(crate) struct GitHostSettings {
    /// Kinds of git hosts, such as git.example.com=gitlab
    #[arg(
        long,
        long_help = kinds_help(),
        value_name = "HOST=KIND",
        env = "DOCWRIGHT_GIT_HOSTS",
        hide_short_help = true,
        value_delimiter = ','
    )]
    git_hosts: Vec<String>,
    /// Tokens of git hosts, such as github.com=TOKEN,gitlab.com=TOKEN
    #[arg(
        long,
        value_name = "HOST=TOKEN",
        env = "DOCWRIGHT_GIT_TOKENS",
        hide_env_values = true,
        value_delimiter = ','
    )]
    git_tokens: Vec<String>,
    /// Private key for git over SSH
    #[arg(long, value_name = "FILE", env = "DOCWRIGHT_GIT_SSH_KEY", hide_short_help = true)]
    git_ssh_key: Option<PathBuf>,
    /// Seconds between polls of a repository; 0 polls only on request
    ///
    /// Webhooks and requests still cause a poll.
    #[arg(long, value_name = "SECONDS", env = "DOCWRIGHT_POLL_SECONDS", default_value_t = 300,
          value_parser = clap::value_parser!(i64).range(0..=86_400), hide_short_help = true)]
    poll_seconds: i64,
    #[command(flatten)]
    private_hosts: PrivateHosts,
    /// ID of a GitHub App to use without a token
    #[arg(
        long,
        value_name = "ID",
        env = "DOCWRIGHT_GITHUB_APP",
        hide_short_help = true,
        requires = "github_app_key"
    )]
    github_app: Option<String>,
    /// Private key of the GitHub App, in PEM
    #[arg(long, value_name = "FILE", env = "DOCWRIGHT_GITHUB_APP_KEY", hide_short_help = true)]
    github_app_key: Option<PathBuf>,
}

/// Hosts that can have private addresses.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct PrivateHosts {
    /// Hosts with private addresses to allow, comma-separated
    ///
    /// The form is host or host:port.
    #[arg(
        long,
        value_name = "HOST[:PORT]",
        env = "DOCWRIGHT_PRIVATE_HOSTS",
        hide_short_help = true,
        value_delimiter = ','
    )]
    private_hosts: Vec<String>,
}

impl PrivateHosts {
    fn allowed(&self) -> AllowedHosts {
        let mut allowed = AllowedHosts::default();
        for host in &self.private_hosts {
            allowed.allow(host);
        }
        allowed
    }

    /// Access to other hosts.
    pub(crate) fn network(&self) -> Network {
        Network::new(self.allowed())
    }
}

fn kinds_help() -> String {
    let names = GitHostKind::names();
    format!("Kinds of git hosts, such as git.example.com=gitlab\n\nThe kinds are {names}.")
}

impl fmt::Debug for GitHostSettings {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("GitHostSettings")
            .field("git_hosts", &self.git_hosts)
            .field("github_app", &self.github_app)
            .finish_non_exhaustive()
    }
}

impl GitHostSettings {
    /// Access to other hosts. Git hosts of the operator's settings can also have private addresses.
    pub(crate) fn network(&self) -> Network {
        let mut allowed = self.private_hosts.allowed();
        for (host, _) in self.git_hosts.iter().filter_map(|pair| pair.split_once('=')) {
            allowed.allow(host);
        }
        Network::new(allowed)
    }

    /// Access to other hosts for readers of sites, without the git hosts.
    pub(crate) fn readers_network(&self) -> Network {
        self.private_hosts.network()
    }

    /// Milliseconds between two unrequested polls of a repository; `None` turns them off.
    pub(crate) fn poll(&self) -> Option<Timestamp> {
        (self.poll_seconds > 0).then_some(self.poll_seconds * SECOND)
    }

    /// The settings of hosts for jobs.
    pub(crate) fn hosts(&self) -> anyhow::Result<HostSettings> {
        let mut hosts =
            HostSettings { ssh_key: self.git_ssh_key.clone(), ..HostSettings::default() };
        for pair in &self.git_hosts {
            let (host, kind) = pair.split_once('=').with_context(|| {
                format!("--git-hosts must be pairs such as git.example.com=gitlab, not `{pair}`")
            })?;
            hosts.kinds.insert(host.to_owned(), kind.parse().map_err(anyhow::Error::msg)?);
        }
        for pair in &self.git_tokens {
            // The pair contains a secret, so an error can't repeat it.
            let (host, token) = pair
                .split_once('=')
                .context("--git-tokens must be pairs such as github.com=TOKEN")?;
            hosts.tokens.insert(host.to_owned(), token.to_owned());
        }
        if let (Some(id), Some(file)) = (&self.github_app, &self.github_app_key) {
            let key =
                std::fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
            hosts.github_app = Some(GitHubApp::new(id, &key).map_err(anyhow::Error::msg)?);
        }
        Ok(hosts)
    }
}
