//! The authority of a request: the host and port that its client requested. All code that depends on the host uses
//! this, so `Host`, `:authority`, and proxy headers are handled in one place.

use std::fmt;

use axum::http::{Extensions, Request, Version, header};

/// A host with its port, as clients name it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Authority {
    /// In lower case, without brackets or a trailing dot.
    host: Box<str>,
    /// `None` means the default port of the scheme.
    port: Option<u16>,
}

/// The host that a trusted proxy received, in the extensions of a request.
#[derive(Debug, Clone)]
pub struct ForwardedHost(pub Authority);

/// Why the authority of a request is unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unaddressed {
    /// The request has no host.
    Missing,
    /// It has several.
    Several,
    /// The host is invalid.
    Malformed,
    /// The target and the header disagree.
    Contradictory,
}

impl Authority {
    /// Reads `host`, `host:port`, or `[address]:port`.
    pub fn parse(text: &str) -> Option<Self> {
        let (host, rest) = match text.strip_prefix('[') {
            Some(rest) => rest.split_once(']').filter(|(host, _)| host.contains(':'))?,
            None => text.split_at(text.find(':').unwrap_or(text.len())),
        };
        let port = match rest.strip_prefix(':') {
            None if rest.is_empty() => None,
            Some("") => None,
            Some(port) if port.bytes().all(|byte| byte.is_ascii_digit()) => {
                Some(port.parse().ok()?)
            }
            _ => return None,
        };
        let host = host.trim_end_matches('.');
        let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~:%".contains(&byte);
        if host.is_empty() || !host.bytes().all(is_name) {
            return None;
        }
        Some(Self { host: host.to_ascii_lowercase().into(), port })
    }

    /// The host in lower case, an IPv6 address without brackets.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// Whether both are equal for clients that speak a scheme.
    pub fn is_same(&self, other: &Self, scheme: &str) -> bool {
        let usual = match scheme {
            "http" => Some(80),
            "https" => Some(443),
            _ => None,
        };
        self.host == other.host && self.port.or(usual) == other.port.or(usual)
    }

    /// The authority of the request with these extensions. `None` for requests within the process.
    pub fn of(extensions: &Extensions) -> Option<&Self> {
        extensions.get()
    }
}

impl fmt::Display for Authority {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.host.contains(':') {
            write!(formatter, "[{}]", self.host)?;
        } else {
            formatter.write_str(&self.host)?;
        }
        self.port.map_or(Ok(()), |port| write!(formatter, ":{port}"))
    }
}

impl Unaddressed {
    /// The error for the client.
    pub const fn sentence(self) -> &'static str {
        match self {
            Self::Missing => "The request names no host. Send a `Host` header.",
            Self::Several => "The request has several `Host` headers. Send one.",
            Self::Malformed => {
                "The host of the request is malformed. Send a name such as docs.example.com."
            }
            Self::Contradictory => {
                "`Host` and the address of the request name different hosts. Send the same host in both."
            }
        }
    }
}

/// Finds the authority of a request. Returns `None` only for HTTP/1.0 without a host, which some load balancers
/// still use for health checks.
///
/// The host that the request names counts if it is served here. If a trusted proxy put its own name for this
/// server there, the host that the proxy received counts. In this order, a proxy that passes on `X-Forwarded-Host`
/// unchecked can't redirect a client to another host.
pub fn addressed<B>(
    request: &Request<B>,
    is_served: impl FnOnce(&str) -> bool,
) -> Result<Option<Authority>, Unaddressed> {
    let named = named(request)?;
    match request.extensions().get() {
        Some(ForwardedHost(forwarded))
            if !named.as_ref().is_some_and(|it| is_served(it.host())) =>
        {
            Ok(Some(forwarded.clone()))
        }
        _ => Ok(named),
    }
}

/// The authority named by the request itself: `:authority` in HTTP/2, else its target or `Host`. In HTTP/1.1 a
/// target with a host replaces `Host` (RFC 9112, 3.2.2); in HTTP/2 the two must agree (RFC 9113, 8.3.1).
fn named<B>(request: &Request<B>) -> Result<Option<Authority>, Unaddressed> {
    let mut fields = request.headers().get_all(header::HOST).iter();
    let field = fields.next();
    if fields.next().is_some() {
        return Err(Unaddressed::Several);
    }
    let read = |text: &str| Authority::parse(text).ok_or(Unaddressed::Malformed);
    let field = field.map(|field| read(field.to_str().map_err(|_| Unaddressed::Malformed)?));
    let target = request.uri().authority().map(|authority| read(authority.as_str()));
    let scheme = request.uri().scheme_str().unwrap_or_default();
    match (target.transpose()?, field.transpose()?) {
        // An earlier server might have checked only one of the two.
        (Some(target), Some(field))
            if request.version() >= Version::HTTP_2 && !target.is_same(&field, scheme) =>
        {
            Err(Unaddressed::Contradictory)
        }
        (Some(authority), _) | (None, Some(authority)) => Ok(Some(authority)),
        (None, None) if request.version() == Version::HTTP_10 => Ok(None),
        (None, None) => Err(Unaddressed::Missing),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Option<String> {
        Authority::parse(text).map(|authority| authority.to_string())
    }

    #[test]
    fn authority_is_read_as_clients_write_it() {
        for (text, expected) in [
            ("docs.example.com", "docs.example.com"),
            ("Docs.Example.COM:8080", "docs.example.com:8080"),
            ("docs.example.com.:80", "docs.example.com:80"),
            ("127.0.0.1:", "127.0.0.1"),
            ("[::1]:8080", "[::1]:8080"),
            ("[FE80::1]", "[fe80::1]"),
        ] {
            assert_eq!(parse(text).as_deref(), Some(expected), "{text}");
        }
        assert_eq!(Authority::parse("[::1]:80").unwrap().host(), "::1");
        for text in [
            "", ":80", "a b", "a@b", "a,b", "a:80:90", "a:x", "a:+1", "a:65536", "[::1", "[a]",
            "[::1]x", "a/b", ".",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    #[test]
    fn usual_port_equals_no_port() {
        let same = |one: &str, other: &str, scheme: &str| {
            Authority::parse(one).unwrap().is_same(&Authority::parse(other).unwrap(), scheme)
        };
        assert!(same("a", "a:443", "https") && same("a:80", "a", "http") && same("a", "a", ""));
        assert!(!same("a", "a:80", "https") && !same("a", "a:443", "") && !same("a", "b", "http"));
    }

    /// The authority of a request with these headers, while `docs.example.com` is served.
    fn ask(
        version: Version,
        target: &str,
        hosts: &[&str],
        forwarded: Option<&str>,
    ) -> Result<Option<String>, Unaddressed> {
        let mut request = Request::builder().version(version).uri(target);
        for host in hosts {
            request = request.header(header::HOST, *host);
        }
        let mut request = request.body(()).unwrap();
        if let Some(forwarded) = forwarded {
            request.extensions_mut().insert(ForwardedHost(Authority::parse(forwarded).unwrap()));
        }
        let found = addressed(&request, |host| host == "docs.example.com")?;
        Ok(found.map(|authority| authority.to_string()))
    }

    #[test]
    fn request_names_one_host() {
        let named = |name: &str| Ok(Some(name.to_owned()));
        let (one, two) = (Version::HTTP_11, Version::HTTP_2);
        assert_eq!(ask(one, "/", &["A.example:81"], None), named("a.example:81"));
        assert_eq!(ask(two, "https://a.example:81/", &[], None), named("a.example:81"));
        assert_eq!(ask(two, "https://a.example/", &["A.example:443"], None), named("a.example"));
        assert_eq!(ask(one, "http://a.example:80/", &["a.example"], None), named("a.example:80"));
        assert_eq!(ask(one, "http://a.example/", &["b.example"], None), named("a.example"));
        assert_eq!(ask(Version::HTTP_10, "/healthz", &[], None), Ok(None));
        for (version, target, hosts, why) in [
            (one, "/", &[][..], Unaddressed::Missing),
            (one, "/", &["a", "b"], Unaddressed::Several),
            (one, "/", &["a", "a"], Unaddressed::Several),
            (one, "/", &["a<script>"], Unaddressed::Malformed),
            (two, "https://a.example/", &["b.example"], Unaddressed::Contradictory),
            (two, "https://a.example/", &["a.example:8443"], Unaddressed::Contradictory),
            (two, "https://x@a.example/", &[], Unaddressed::Malformed),
        ] {
            assert_eq!(ask(version, target, hosts, None), Err(why), "{target} {hosts:?}");
        }
    }

    #[test]
    fn forwarded_host_is_used_if_named_host_is_not_served() {
        let ask = |host: &str| ask(Version::HTTP_11, "/", &[host], Some("Next.example.com:8443"));
        for inner in ["127.0.0.1:8080", "backend", "docwright.default.svc.cluster.local"] {
            assert_eq!(ask(inner), Ok(Some("next.example.com:8443".to_owned())), "{inner}");
        }
        // A proxy that passes on the header unchecked leads no client from one site to another.
        assert_eq!(ask("docs.example.com"), Ok(Some("docs.example.com".to_owned())));
        assert_eq!(ask("a<script>"), Err(Unaddressed::Malformed));
    }
}
