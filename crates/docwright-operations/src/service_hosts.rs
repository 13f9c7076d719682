//! The hosts of the service itself.

use std::net::IpAddr;

use anyhow::{bail, ensure};
use docwright_types::{default_domain::SitesDomain, domain_name::DomainName};

/// The hosts of the API, git, and probes, which serve no site: that of the public URL, names of this machine, and
/// every IP address.
#[derive(Debug, Clone, Default)]
pub struct ServiceHosts {
    public: Option<Box<str>>,
    /// The domain of previews.
    previews: Option<Box<str>>,
    /// The domain of default domains.
    sites: Option<SitesDomain>,
}

impl ServiceHosts {
    /// The hosts of a service at a public URL.
    pub fn new(public_url: Option<&url::Url>) -> Self {
        let host = public_url.and_then(url::Url::host_str);
        Self { public: host.map(|host| host.trim_end_matches('.').into()), ..Self::default() }
    }

    /// The same hosts, with the domain of previews.
    #[must_use]
    pub fn with_previews(self, domain: &DomainName) -> Self {
        Self { previews: Some(domain.as_str().into()), ..self }
    }

    /// The same hosts, with the domain of default domains.
    #[must_use]
    pub fn with_sites(self, sites: Option<SitesDomain>) -> Self {
        Self { sites, ..self }
    }

    /// The domain below which projects get their default domains.
    pub const fn sites(&self) -> Option<&SitesDomain> {
        self.sites.as_ref()
    }

    /// Whether a host is that of the public URL.
    pub fn is_public(&self, host: &str) -> bool {
        self.public.as_deref() == Some(host)
    }

    /// Whether a host is one of the service's. The name is in lower case, an IPv6 address without brackets.
    pub fn contains(&self, host: &str) -> bool {
        host == "localhost" || self.is_public(host) || host.parse::<IpAddr>().is_ok()
    }

    /// Fails if a domain is one of these hosts: its site would be unreachable.
    pub fn refuse_own(&self, domain: &DomainName) -> anyhow::Result<()> {
        ensure!(
            !self.contains(domain.as_str()),
            "{domain} is a host of the service itself, which serves no site; choose a name that isn't below it"
        );
        Ok(())
    }

    /// Fails if a new domain is one of these hosts, or below one: its pages would share cookies with the service,
    /// or with previews. Default domains are refused too: the service assigns them. Names below `localhost` belong to
    /// one machine, and share none.
    pub fn refuse(&self, domain: &DomainName) -> anyhow::Result<()> {
        self.refuse_own(domain)?;
        let host = domain.as_str();
        if host.ends_with(".localhost") {
            return Ok(());
        }
        let is_at_or_below = |parent: &&str| DomainName::is_at_or_below(host, parent);
        if let Some(own) = self.public.as_deref().filter(is_at_or_below) {
            bail!("{domain} is below {own}, the host of the service; choose a name that isn't");
        }
        if let Some(previews) = self.previews.as_deref().filter(is_at_or_below) {
            bail!(
                "{domain} is at or below {previews}, the domain of previews; choose a name that isn't"
            );
        }
        let sites = self.sites.as_ref().map(|sites| sites.name().as_str());
        if let Some(sites) = sites.filter(is_at_or_below) {
            bail!(
                "{domain} is at or below {sites}, where the service gives each project its default domain; choose a name that isn't"
            );
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_of_the_service_are_refused_as_domains() {
        let url = url::Url::parse("https://Docs-Admin.example.com:8443/").unwrap();
        let hosts = ServiceHosts::new(Some(&url));
        for own in ["localhost", "127.0.0.1", "10.1.2.3", "::1", "docs-admin.example.com"] {
            assert!(hosts.contains(own), "{own}");
        }
        for other in ["docs.example.com", "docs.localhost", "1.2.3.4.example.com", ""] {
            assert!(!hosts.contains(other), "{other}");
        }
        let refused = hosts.refuse(&DomainName::parse("docs-admin.example.com").unwrap());
        assert!(refused.unwrap_err().to_string().contains("is a host of the service"));
        assert!(hosts.refuse(&DomainName::parse("docs.example.com").unwrap()).is_ok());
    }

    #[test]
    fn domains_below_the_service_and_among_previews_are_refused() {
        let url = url::Url::parse("https://admin.example.com/").unwrap();
        let previews = DomainName::parse("previews.example.net").unwrap();
        let hosts = ServiceHosts::new(Some(&url)).with_previews(&previews);
        let refused = |domain: &str| hosts.refuse(&DomainName::parse(domain).unwrap());
        for (domain, why) in [
            ("admin.example.com", "is a host of the service itself"),
            ("docs.admin.example.com", "is below admin.example.com, the host of the service"),
            ("previews.example.net", "at or below previews.example.net, the domain of previews"),
            (
                "a.b.previews.example.net",
                "at or below previews.example.net, the domain of previews",
            ),
        ] {
            let error = refused(domain).unwrap_err().to_string();
            assert!(error.contains(why), "{domain}: {error}");
        }
        for domain in ["example.com", "notadmin.example.com", "docs.example.com", "example.net"] {
            assert!(refused(domain).is_ok(), "{domain}");
        }
        let url = url::Url::parse("http://docwright.localhost:8080/").unwrap();
        let here =
            ServiceHosts::new(Some(&url)).with_previews(&DomainName::parse("localhost").unwrap());
        for domain in ["docs.localhost", "docs.docwright.localhost"] {
            assert!(here.refuse(&DomainName::parse(domain).unwrap()).is_ok(), "{domain}");
        }
    }
}
