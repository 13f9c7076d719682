//! The client of a request: its address and scheme, also behind proxies, and the host that a proxy was asked for.
//!
//! Headers count only as far as trusted proxies wrote them: from the right to the first address that is not a
//! proxy's. If that part of a header is invalid, the client is the proxy itself. If a header hides the address or
//! contradicts another, there is no address, which no allowlist contains.

mod forwarded;
#[cfg(test)]
mod tests;

use std::net::{IpAddr, Ipv6Addr};

use axum::http::{HeaderMap, HeaderName, header::FORWARDED, request::Parts};
use ipnet::IpNet;

use crate::authority::{Authority, ForwardedHost};
use forwarded::{Elements, read_node};

const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");
const X_FORWARDED_PROTO: HeaderName = HeaderName::from_static("x-forwarded-proto");
const X_FORWARDED_HOST: HeaderName = HeaderName::from_static("x-forwarded-host");

/// The client of a request. Every request that arrives has one, among its extensions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClientAddress {
    /// Its address; `None` if a trusted proxy hides it, or contradicts itself.
    pub address: Option<IpAddr>,
    /// Whether it speaks HTTPS, with this process or with a trusted proxy.
    pub is_https: bool,
    /// Whether the request came through a trusted proxy.
    pub is_proxied: bool,
}

impl ClientAddress {
    /// The client of a request.
    pub fn of(parts: &Parts) -> Self {
        let unknown = Self { address: None, is_https: false, is_proxied: false };
        parts.extensions.get().copied().unwrap_or(unknown)
    }

    /// The scheme of the requested address.
    pub const fn scheme(self) -> &'static str {
        if self.is_https { "https" } else { "http" }
    }
}

/// Trusted proxies.
#[derive(Debug, Clone, Default)]
pub struct TrustedProxies(Vec<IpNet>);

/// A proxy's description of its client.
#[derive(Debug, Default, PartialEq, Eq)]
struct Hop {
    address: Option<IpAddr>,
    is_https: bool,
    host: Option<Authority>,
}

/// The header is invalid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Malformed;

impl TrustedProxies {
    /// Proxies with addresses in these networks.
    pub const fn new(networks: Vec<IpNet>) -> Self {
        Self(networks)
    }

    /// Whether an address belongs to a proxy.
    pub fn contain(&self, address: IpAddr) -> bool {
        self.0.iter().any(|network| network.contains(&address.to_canonical()))
    }

    /// The client of a request from `peer`, and the host that the proxies were asked for.
    pub fn client(
        &self,
        peer: IpAddr,
        headers: &HeaderMap,
    ) -> (ClientAddress, Option<ForwardedHost>) {
        let peer = peer.to_canonical();
        if self.0.is_empty() || !self.contain(peer) {
            let client = ClientAddress { address: Some(peer), is_https: false, is_proxied: false };
            return (client, None);
        }
        let Hop { address, is_https, host } = match (forwarded(headers), x_forwarded(headers)) {
            (Some(hops), None) => self.walk(peer, hops),
            (None, Some(hops)) => self.walk(peer, hops),
            // A proxy that writes one of the two headers can pass on the other unchecked.
            (Some(one), Some(other)) => agreed(self.walk(peer, one), self.walk(peer, other)),
            (None, None) => Hop {
                address: Some(peer),
                is_https: entries(headers, &X_FORWARDED_PROTO).last().is_some_and(is_https),
                host: entries(headers, &X_FORWARDED_HOST)
                    .last()
                    .and_then(|it| Authority::parse(it)),
            },
        };
        let client = ClientAddress { address, is_https, is_proxied: true };
        (client, host.map(ForwardedHost))
    }

    /// Walks from the nearest hop to the first address that is not a proxy's.
    fn walk(&self, peer: IpAddr, hops: impl Iterator<Item = Result<Hop, Malformed>>) -> Hop {
        let mut client = Hop { address: Some(peer), ..Hop::default() };
        for hop in hops {
            let Ok(hop) = hop else {
                return Hop { address: Some(peer), ..Hop::default() };
            };
            client = hop;
            if !client.address.is_some_and(|address| self.contain(address)) {
                break;
            }
        }
        client
    }
}

/// Combines two headers, unless they contradict each other.
fn agreed(one: Hop, other: Hop) -> Hop {
    if one.address != other.address {
        return Hop::default();
    }
    let is_https = one.is_https || other.is_https;
    let host = match (one.host, other.host) {
        (Some(one), Some(other)) => Some(one).filter(|one| *one == other),
        (one, other) => one.or(other),
    };
    Hop { address: one.address, is_https, host }
}

/// The hops of `Forwarded`, the nearest first; `None` if the header is missing.
fn forwarded(headers: &HeaderMap) -> Option<impl Iterator<Item = Result<Hop, Malformed>>> {
    let lines = headers.get_all(FORWARDED).iter().rev();
    let hops = lines.flat_map(|line| Elements::of(line.as_bytes()));
    headers.contains_key(FORWARDED).then_some(hops)
}

/// The hops of `X-Forwarded-For`, the nearest first, with the schemes and hosts of the related headers; `None` if
/// the header is missing.
fn x_forwarded(headers: &HeaderMap) -> Option<impl Iterator<Item = Result<Hop, Malformed>>> {
    let addresses = entries(headers, &X_FORWARDED_FOR);
    let [schemes, hosts] =
        [X_FORWARDED_PROTO, X_FORWARDED_HOST].map(|name| entries(headers, &name));
    let count = addresses.len();
    let hops = addresses.into_iter().enumerate().rev().map(move |(place, address)| {
        // One for each hop, or one that the last proxy vouches for.
        let beside = |list: &[&'_ str]| -> Option<String> {
            let entry = if list.len() == count { list.get(place) } else { list.last() };
            entry.map(|entry| (*entry).to_owned())
        };
        Ok(Hop {
            address: read_address(address)?,
            is_https: beside(&schemes).is_some_and(is_https),
            host: beside(&hosts).and_then(|host| Authority::parse(&host)),
        })
    });
    headers.contains_key(&X_FORWARDED_FOR).then_some(hops)
}

/// The entries of a list header, in order. Invalid text becomes an empty entry.
fn entries<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Vec<&'a str> {
    let lines = headers.get_all(name).iter();
    let entries = lines.flat_map(|line| line.as_bytes().split(|byte| *byte == b','));
    let entries = entries.map(<[u8]>::trim_ascii).filter(|entry| !entry.is_empty());
    entries.map(|entry| std::str::from_utf8(entry).unwrap_or_default()).collect()
}

fn is_https(scheme: impl AsRef<str>) -> bool {
    scheme.as_ref().eq_ignore_ascii_case("https")
}

/// An address of `X-Forwarded-For`: in the form of `Forwarded`, or an IPv6 address without brackets.
fn read_address(text: &str) -> Result<Option<IpAddr>, Malformed> {
    match text.parse::<Ipv6Addr>() {
        Ok(address) => Ok(Some(address.to_canonical())),
        Err(_) => read_node(text),
    }
}
