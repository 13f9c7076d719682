//! Which host a request is for, and which hosts are the service's own.

use std::{borrow::Cow, net::IpAddr};

use anyhow::ensure;
use axum::{
    extract::Request,
    http::{Version, header},
};
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

    /// Whether a host is one of the service's. The name is in lower case, an IPv6 address without
    /// brackets.
    pub(crate) fn contains(&self, host: &str) -> bool {
        host == "localhost"
            || self.public.as_deref() == Some(host)
            || host.parse::<IpAddr>().is_ok()
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

/// The host that a request is for, in lower case and without a port or brackets. Empty for the one
/// kind of request that needs none: HTTP/1.0, in which some load balancers still ask for health.
/// `None` if the request names no host, several, or none that can be.
pub(crate) fn of(request: &Request) -> Option<Cow<'_, str>> {
    let mut fields = request.headers().get_all(header::HOST).iter();
    let field = fields.next();
    if fields.next().is_some() {
        return None;
    }
    // The address of the request counts more than the header (RFC 9112, section 3.2.2).
    let host = match (request.uri().authority(), field) {
        (Some(authority), _) => authority.as_str(),
        (None, Some(field)) => field.to_str().ok()?,
        (None, None) if request.version() == Version::HTTP_10 => return Some("".into()),
        (None, None) => return None,
    };
    let host = without_port(host)?.trim_end_matches('.');
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~:%".contains(&byte);
    if host.is_empty() || !host.bytes().all(is_name) {
        return None;
    }
    Some(if host.bytes().any(|byte| byte.is_ascii_uppercase()) {
        host.to_ascii_lowercase().into()
    } else {
        host.into()
    })
}

/// The host of `host:port` or `[address]:port`.
fn without_port(text: &str) -> Option<&str> {
    let (host, rest) = match text.strip_prefix('[') {
        Some(rest) => rest.split_once(']').filter(|(host, _)| host.contains(':'))?,
        None => text.split_at(text.find(':').unwrap_or(text.len())),
    };
    let is_port = |port: &str| port.bytes().all(|byte| byte.is_ascii_digit());
    (rest.is_empty() || rest.strip_prefix(':').is_some_and(is_port)).then_some(host)
}

#[cfg(test)]
mod tests {
    use axum::body::Body;

    use super::*;

    fn host(field: &str) -> Option<String> {
        let request = Request::builder().uri("/").header(header::HOST, field);
        of(&request.body(Body::empty()).unwrap()).map(Cow::into_owned)
    }

    #[test]
    fn a_host_is_read_as_clients_write_it() {
        for (field, expected) in [
            ("docs.example.com", "docs.example.com"),
            ("Docs.Example.COM:8080", "docs.example.com"),
            ("docs.example.com.:80", "docs.example.com"),
            ("127.0.0.1:", "127.0.0.1"),
            ("[::1]:8080", "::1"),
            ("[FE80::1]", "fe80::1"),
        ] {
            assert_eq!(host(field).as_deref(), Some(expected), "{field}");
        }
        for field in
            ["", ":80", "a b", "a@b", "a,b", "a:80:90", "a:x", "[::1", "[a]", "[::1]x", "a/b"]
        {
            assert_eq!(host(field), None, "{field}");
        }
    }

    #[test]
    fn a_request_names_one_host() {
        let twice = Request::builder().uri("/").header("host", "a").header("host", "b");
        assert_eq!(of(&twice.body(Body::empty()).unwrap()), None);
        let absolute = Request::builder().uri("http://a.example:80/").header("host", "b");
        assert_eq!(of(&absolute.body(Body::empty()).unwrap()).as_deref(), Some("a.example"));
        let none = Request::builder().uri("/").body(Body::empty()).unwrap();
        assert_eq!(of(&none), None);
        let old = Request::builder().uri("/healthz").version(Version::HTTP_10);
        assert_eq!(of(&old.body(Body::empty()).unwrap()).as_deref(), Some(""));
    }

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
