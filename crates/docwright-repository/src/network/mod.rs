//! Decides which hosts can be contacted: none with a private address, unless the operator allows it.
//!
//! A host is resolved once, each of its addresses is checked, and the connection uses only those addresses: later
//! changes of its DNS have no effect. Owns the rule and the client that enforces it. [`crate::remote`] enforces it
//! for git.

mod addresses;
mod client;
mod probe;

use std::{
    collections::BTreeSet,
    fmt, io,
    net::{IpAddr, SocketAddr},
    str::FromStr,
    sync::Arc,
};

use futures::future::BoxFuture;
use url::{Host, Url};

pub use addresses::is_public;
pub use client::failure;
pub use probe::{Probe, Verdict};

/// Redirects that are followed.
const MAXIMUM_REDIRECTS: usize = 5;

/// Hosts that can have private addresses, as set by the operator.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AllowedHosts {
    /// Names, and names with ports, in lower case.
    hosts: BTreeSet<String>,
}

impl AllowedHosts {
    /// Adds a host: `name` for all of its ports, or `name:port`.
    pub fn allow(&mut self, host: &str) {
        self.hosts.insert(host.trim().to_ascii_lowercase());
    }

    fn contains(&self, host: &str, port: u16) -> bool {
        let host = host.to_ascii_lowercase();
        self.hosts.contains(&host) || self.hosts.contains(&format!("{host}:{port}"))
    }
}

impl FromStr for AllowedHosts {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut allowed = Self::default();
        for host in text.split(',').filter(|host| !host.trim().is_empty()) {
            allowed.allow(host);
        }
        Ok(allowed)
    }
}

/// Resolves hostnames.
pub trait Resolver: fmt::Debug + Send + Sync {
    /// The addresses of a host.
    fn resolve<'a>(&'a self, host: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>>;
}

/// The resolver of the machine.
#[derive(Debug)]
struct SystemResolver;

impl Resolver for SystemResolver {
    fn resolve<'a>(&'a self, host: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>> {
        Box::pin(async move {
            let found = tokio::net::lookup_host((host, 0)).await?;
            Ok(found.map(|address| address.ip()).collect())
        })
    }
}

/// The addresses of every name.
#[derive(Debug)]
struct KnownAddresses(Vec<IpAddr>);

impl Resolver for KnownAddresses {
    fn resolve<'a>(&'a self, _host: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>> {
        Box::pin(async move { Ok(self.0.clone()) })
    }
}

/// Why a host is not contacted.
#[derive(Debug, thiserror::Error)]
pub enum NetworkError {
    /// It has a private address.
    #[error(
        "{host} has a private address, which is refused; the operator can allow this host with --private-hosts {host}"
    )]
    Private {
        /// The host, with its port if that is unusual.
        host: String,
    },
    /// It has no address, or can't be contacted now.
    #[error("{host} can't be reached: {reason}")]
    Unreachable {
        /// The host.
        host: String,
        /// Why.
        reason: String,
    },
    /// Its name is unknown.
    #[error("{host} can't be reached: its name is unknown")]
    UnknownName {
        /// The host.
        host: String,
    },
    /// TLS failed, or its certificate is invalid.
    #[error("{host} can't be reached: TLS failed ({reason})")]
    Certificate {
        /// The host.
        host: String,
        /// Why.
        reason: String,
    },
    /// It redirects to a target that is not followed.
    #[error("{host} {reason}")]
    Redirect {
        /// The host.
        host: String,
        /// Its response.
        reason: String,
    },
    /// The address can't be used.
    #[error("`{0}` isn't an http:// or https:// address")]
    Address(String),
}

impl NetworkError {
    /// Whether a retry can help.
    pub const fn is_transient(&self) -> bool {
        matches!(
            self,
            Self::Unreachable { .. } | Self::UnknownName { .. } | Self::Certificate { .. }
        )
    }
}

/// Access to other hosts.
#[derive(Debug, Clone)]
pub struct Network {
    allowed: AllowedHosts,
    resolver: Arc<dyn Resolver>,
}

impl Network {
    /// A network without private addresses, except some hosts.
    pub fn new(allowed: AllowedHosts) -> Self {
        Self::with_resolver(allowed, Arc::new(SystemResolver))
    }

    /// The same, with another resolver than that of the machine.
    pub fn with_resolver(allowed: AllowedHosts, resolver: Arc<dyn Resolver>) -> Self {
        Self { allowed, resolver }
    }

    /// The same network, in which every name has these addresses.
    #[must_use]
    pub fn with_addresses(&self, addresses: Vec<IpAddr>) -> Self {
        Self { allowed: self.allowed.clone(), resolver: Arc::new(KnownAddresses(addresses)) }
    }

    /// The same network, in which a host can have a private address.
    #[must_use]
    pub fn allowing(mut self, host: &str) -> Self {
        self.allowed.allow(host);
        self
    }

    /// The addresses of a host, all of which are allowed.
    pub async fn addresses(&self, host: &str, port: u16) -> Result<Vec<IpAddr>, NetworkError> {
        let literal = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
        let unreachable =
            |reason: String| NetworkError::Unreachable { host: host.to_owned(), reason };
        let addresses = match literal {
            Ok(address) => vec![address],
            Err(_) => self.resolver.resolve(host).await.map_err(|_| {
                // The system's messages differ between machines, and can name its resolver.
                NetworkError::UnknownName { host: host.to_owned() }
            })?,
        };
        if addresses.is_empty() {
            return Err(unreachable("it has no address".to_owned()));
        }
        if !self.allowed.contains(host, port) && !addresses.iter().copied().all(is_public) {
            let shown = if matches!(port, 22 | 80 | 443) {
                host.to_owned()
            } else {
                format!("{host}:{port}")
            };
            return Err(NetworkError::Private { host: shown });
        }
        Ok(addresses)
    }

    /// The addresses of the host of an HTTP address, with their port.
    async fn sockets(&self, url: &Url) -> Result<Vec<SocketAddr>, NetworkError> {
        let wrong = || NetworkError::Address(shown(url));
        if !matches!(url.scheme(), "http" | "https") {
            return Err(wrong());
        }
        let (host, port) = url.host().zip(url.port_or_known_default()).ok_or_else(wrong)?;
        let host = match host {
            Host::Domain(name) => name.to_owned(),
            Host::Ipv4(address) => address.to_string(),
            Host::Ipv6(address) => address.to_string(),
        };
        let addresses = self.addresses(&host, port).await?;
        Ok(addresses.into_iter().map(|address| SocketAddr::new(address, port)).collect())
    }
}

/// An address without parts that can be secret.
fn shown(url: &Url) -> String {
    format!("{}://{}{}", url.scheme(), url.host_str().unwrap_or_default(), url.path())
}

#[cfg(test)]
pub(crate) mod tests {
    use std::{collections::BTreeMap, sync::Mutex};

    use super::*;

    /// Knows some names; a name with several answers returns them one after the other.
    #[derive(Debug, Default)]
    pub(crate) struct Names(Mutex<BTreeMap<&'static str, Vec<Vec<IpAddr>>>>);

    impl Names {
        pub(crate) fn of(names: &[(&'static str, &[&[&str]])]) -> Arc<Self> {
            let addresses = |answer: &&[&str]| {
                answer.iter().map(|address| address.parse().unwrap()).collect::<Vec<_>>()
            };
            let names = names
                .iter()
                .map(|(name, answers)| (*name, answers.iter().map(addresses).collect()));
            Arc::new(Self(Mutex::new(names.collect())))
        }
    }

    impl Resolver for Names {
        fn resolve<'a>(&'a self, host: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>> {
            let mut names = self.0.lock().unwrap();
            let answer = names.get_mut(host).map(|answers| {
                if answers.len() > 1 { answers.remove(0) } else { answers[0].clone() }
            });
            Box::pin(async move { answer.ok_or_else(|| io::Error::other("no such name")) })
        }
    }

    #[tokio::test]
    async fn host_with_one_private_address_is_refused() {
        let names = Names::of(&[
            ("good.example", &[&["93.184.216.34", "2606:2800:220:1::1"]]),
            ("mixed.example", &[&["93.184.216.34", "10.0.0.1"]]),
            ("none.example", &[&[]]),
        ]);
        let network = Network::with_resolver(AllowedHosts::default(), names.clone());
        assert_eq!(network.addresses("good.example", 443).await.unwrap().len(), 2);
        let mixed = network.addresses("mixed.example", 443).await.unwrap_err();
        assert!(matches!(mixed, NetworkError::Private { .. }) && !mixed.is_transient());
        assert!(mixed.to_string().contains("--private-hosts mixed.example"), "{mixed}");
        for host in ["none.example", "unknown.example"] {
            assert!(network.addresses(host, 443).await.unwrap_err().is_transient(), "{host}");
        }
        let allowed: AllowedHosts = "Mixed.example:8443, 127.0.0.1".parse().unwrap();
        let network = Network::with_resolver(allowed, names);
        assert!(network.addresses("mixed.example", 8443).await.is_ok());
        assert!(network.addresses("mixed.example", 443).await.is_err(), "another port");
        assert!(network.addresses("127.0.0.1", 1).await.is_ok());
        assert!(network.addresses("127.0.0.2", 1).await.is_err());
    }

    #[tokio::test]
    async fn odd_spellings_of_private_addresses_are_refused() {
        let network = Network::new(AllowedHosts::default());
        for address in [
            "http://127.1/",
            "http://0x7f000001/",
            "http://2130706433/",
            "http://0177.0.0.1/",
            "http://[::1]/",
            "http://[::ffff:127.0.0.1]/",
            "http://[::ffff:7f00:1]/",
            "http://[64:ff9b::10.0.0.1]/",
            "http://0/",
            "http://[fe80::1]/",
            "http://169.254.169.254/",
        ] {
            let error = network.sockets(&Url::parse(address).unwrap()).await.unwrap_err();
            assert!(matches!(error, NetworkError::Private { .. }), "{address}: {error}");
        }
        for address in ["ftp://e.org/", "file:///etc/passwd", "data:,x"] {
            let error = network.sockets(&Url::parse(address).unwrap()).await.unwrap_err();
            assert!(matches!(error, NetworkError::Address(_)), "{address}: {error}");
        }
    }
}
