//! Settings of domains.

use std::net::SocketAddr;

use anyhow::ensure;
use docwright_types::{default_domain::SitesDomain, domain_name::DomainName};
use url::Url;

/// Settings of domains. Each flag has a variable of the same name.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(next_help_heading = "Domains")]
pub(crate) struct DomainSettings {
    /// Domains that need no verification, such as example.com
    ///
    /// Any organization can add a domain at or below them, such as docs.example.com.
    #[arg(long, value_name = "SUFFIX", env = "DOCWRIGHT_APPROVED_DOMAINS", value_delimiter = ',', value_parser = suffix, hide_short_help = true)]
    pub(crate) approved_domains: Vec<DomainName>,
    /// Domain below which each project gets a default domain, such as docs.example.com
    ///
    /// A new project is published at `NAME.docs.example.com` at once, so point all names below it to this service
    /// with a wildcard DNS record. When the project publishes another domain, the default domain redirects there.
    /// It must not be the host of the service or the domain of previews, or below or above one of them.
    #[arg(long, value_name = "NAME", env = "DOCWRIGHT_SITES_DOMAIN", value_parser = shared_domain, hide_short_help = true)]
    sites_domain: Option<DomainName>,
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

impl DomainSettings {
    /// The domain of default domains, if there is one. `own` is the address of the service, and `previews` is the
    /// domain of previews.
    pub(crate) fn sites(
        &self,
        own: &Url,
        previews: Option<&DomainName>,
    ) -> anyhow::Result<Option<SitesDomain>> {
        let Some(domain) = &self.sites_domain else { return Ok(None) };
        let own = own.domain().map(|own| own.trim_end_matches('.'));
        let others = [
            own.map(|own| (own, "the service's own host")),
            previews.map(|previews| (previews.as_str(), "the domain of previews")),
        ];
        for (other, what) in others.into_iter().flatten() {
            ensure!(
                !DomainName::is_at_or_below(other, domain.as_str())
                    && !DomainName::is_at_or_below(domain.as_str(), other),
                "--sites-domain {domain} shares a domain with {what}, {other}, so pages of sites could set cookies for it; use a separate domain, such as sites.example.net"
            );
        }
        Ok(Some(SitesDomain::new(domain.clone())))
    }
}

/// Parses a domain whose subdomains all belong to this service.
pub(super) fn shared_domain(text: &str) -> Result<DomainName, String> {
    let domain = DomainName::parse(text).map_err(|error| error.to_string())?;
    if domain.as_str().contains('.') {
        return Ok(domain);
    }
    Err(format!(
        "`{domain}` is a top-level domain; use a domain of your own, such as docs.example.net"
    ))
}

fn suffix(text: &str) -> Result<DomainName, String> {
    DomainName::parse(text.trim_start_matches('.')).map_err(|error| format!("it {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sites_domain_is_separate_from_service_and_previews() {
        let domain = Some(DomainName::parse("docs.example.com").unwrap());
        let settings = DomainSettings { sites_domain: domain, ..DomainSettings::default() };
        let sites = |own: &str, previews: Option<&str>| {
            let previews = previews.map(|name| DomainName::parse(name).unwrap());
            settings.sites(&Url::parse(own).unwrap(), previews.as_ref())
        };
        for (own, previews) in [
            ("https://docs.example.com", None),
            ("https://example.com", None),
            ("https://admin.Docs.Example.com:8443", None),
            ("https://admin.example.net", Some("docs.example.com")),
            ("https://admin.example.net", Some("previews.docs.example.com")),
            ("https://admin.example.net", Some("example.com")),
        ] {
            let refused = sites(own, previews).unwrap_err().to_string();
            assert!(refused.contains("a separate domain"), "{own} {previews:?}: {refused}");
        }
        for own in ["https://admin.example.com", "http://10.0.0.1:8080"] {
            let sites = sites(own, Some("previews.example.com")).unwrap().unwrap();
            assert_eq!(sites.name().as_str(), "docs.example.com");
        }
        let unset = DomainSettings::default();
        assert_eq!(unset.sites(&Url::parse("https://a.example").unwrap(), None).unwrap(), None);
    }
}
