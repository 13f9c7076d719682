//! The origin of an instance's sites.

use crate::{release::Release, site::Site};

/// Scheme and port that all sites share. Until a service has started, HTTPS is assumed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SiteOrigin {
    scheme: &'static str,
    port: Option<u16>,
}

impl SiteOrigin {
    /// The origin of a scheme and a port. Every scheme other than `https` is taken as `http`.
    pub fn new(scheme: &str, port: Option<u16>) -> Self {
        let (scheme, default) = if scheme == "https" { ("https", 443) } else { ("http", 80) };
        Self { scheme, port: port.filter(|port| *port != default) }
    }

    /// `https` or `http`.
    pub const fn scheme(self) -> &'static str {
        self.scheme
    }

    /// The port, unless it is the default of the scheme.
    pub const fn port(self) -> Option<u16> {
        self.port
    }

    /// The same without a port, for data that outlives a port chosen by the system.
    #[must_use]
    pub const fn without_port(self) -> Self {
        Self { port: None, ..self }
    }

    /// The address of a domain or a host, which can have a path: `https://docs.example.com`, or
    /// `http://docs.localhost:8080/guide`. Every address of a site that docwright writes or shows is built here.
    pub fn address(self, domain: &str) -> String {
        let Self { scheme, port } = self;
        let (host, path) = domain.split_at(domain.find('/').unwrap_or(domain.len()));
        match port {
            Some(port) => format!("{scheme}://{host}:{port}{path}"),
            None => format!("{scheme}://{host}{path}"),
        }
    }
}

impl Default for SiteOrigin {
    fn default() -> Self {
        Self { scheme: "https", port: None }
    }
}

impl Release {
    /// The address of a release's site in its pages. It is fixed when the release is requested.
    pub fn site_address(&self, site: &Site) -> String {
        self.address.clone().unwrap_or_else(|| SiteOrigin::default().address(&site.domain))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_have_scheme_and_port_of_origin() {
        for (scheme, port, domain, address) in [
            ("https", None, "docs.example.com", "https://docs.example.com"),
            ("https", Some(443), "docs.example.com", "https://docs.example.com"),
            ("https", Some(8443), "example.com/docs", "https://example.com:8443/docs"),
            ("http", Some(8080), "docs.localhost", "http://docs.localhost:8080"),
            ("http", Some(80), "docs.localhost", "http://docs.localhost"),
        ] {
            assert_eq!(SiteOrigin::new(scheme, port).address(domain), address);
        }
    }

    #[test]
    fn origin_without_port_keeps_scheme() {
        let origin = SiteOrigin::new("http", Some(40_123)).without_port();
        assert_eq!(origin.address("docs.localhost"), "http://docs.localhost");
    }
}
