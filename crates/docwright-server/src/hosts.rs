//! Which hosts are the service's own.

use std::net::IpAddr;

use anyhow::ensure;
use docwright_domain::domain_name::DomainName;

/// The hosts that the API, git and probes answer on, and no site: that of the public address, this
/// machine's own name, and every IP address.
#[derive(Debug, Clone, Default)]
pub(crate) struct ServiceHosts {
    public: Option<Box<str>>,
}

impl ServiceHosts {
    /// The hosts of a service at a public address.
    pub(crate) fn new(public_url: Option<&url::Url>) -> Self {
        let host = public_url.and_then(url::Url::host_str);
        Self { public: host.map(|host| host.trim_end_matches('.').into()) }
    }

    /// Whether a host is that of the public address.
    pub(crate) fn is_public(&self, host: &str) -> bool {
        self.public.as_deref() == Some(host)
    }

    /// Whether a host is one of the service's. The name is in lower case, an IPv6 address without
    /// brackets.
    pub(crate) fn contains(&self, host: &str) -> bool {
        host == "localhost" || self.is_public(host) || host.parse::<IpAddr>().is_ok()
    }

    /// Fails if a domain is one of these hosts: its site would never be seen.
    pub(crate) fn refuse(&self, domain: &DomainName) -> anyhow::Result<()> {
        ensure!(
            !self.contains(domain.as_str()),
            "{domain} is a host of the service itself, which serves no site; give the site another name, \
             such as docs.{domain}"
        );
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_of_the_service_are_no_domains() {
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
}
