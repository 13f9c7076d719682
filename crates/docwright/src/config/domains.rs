//! Settings of domains.

use std::net::SocketAddr;

use docwright_types::domain_name::DomainName;

/// Settings of domains. Each flag has a variable of the same name.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(next_help_heading = "Domains")]
pub(crate) struct DomainSettings {
    /// Domains that need no verification, such as example.com
    ///
    /// Any organization can add a domain at or below them, such as docs.example.com.
    #[arg(long, value_name = "SUFFIX", env = "DOCWRIGHT_APPROVED_DOMAINS", value_delimiter = ',', value_parser = suffix, hide_short_help = true)]
    pub(crate) approved_domains: Vec<DomainName>,
    /// DNS servers for verifying domains, such as 192.0.2.53:53
    ///
    /// The default is the servers of this machine.
    #[arg(
        long,
        value_name = "ADDR",
        env = "DOCWRIGHT_DNS_SERVERS",
        value_delimiter = ',',
        hide_short_help = true
    )]
    pub(crate) dns_servers: Vec<SocketAddr>,
}

fn suffix(text: &str) -> Result<DomainName, String> {
    DomainName::parse(text.trim_start_matches('.')).map_err(|error| format!("it {error}"))
}
