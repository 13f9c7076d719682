//! Who sends a request: the address and the scheme of the client, also behind proxies.
//!
//! What a header says counts only as far as trusted proxies wrote it: from the right to the first
//! address that is not one of theirs. What may be a forgery is no address at all,
//! which no allowlist has.

use std::net::{IpAddr, Ipv6Addr};

use axum::http::{HeaderMap, HeaderName, header::FORWARDED, request::Parts};
use ipnet::IpNet;

const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");
const X_FORWARDED_PROTO: HeaderName = HeaderName::from_static("x-forwarded-proto");

/// The client of a request. Every request that arrives has one, among its extensions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ClientAddress {
    /// Its address; `None` if a trusted proxy does not say, or contradicts itself.
    pub(crate) address: Option<IpAddr>,
    /// Whether it speaks HTTPS, with this process or a proxy that is trusted.
    pub(crate) is_https: bool,
    /// Whether a trusted proxy stands between.
    pub(crate) is_proxied: bool,
}

impl ClientAddress {
    /// The client of a request.
    pub(crate) fn of(parts: &Parts) -> Self {
        let unknown = Self { address: None, is_https: false, is_proxied: false };
        parts.extensions.get().copied().unwrap_or(unknown)
    }

    /// The scheme of the address that it asked for.
    pub(crate) const fn scheme(self) -> &'static str {
        if self.is_https { "https" } else { "http" }
    }
}

/// What one client has for sure: its address, or in IPv6 the network that a household gets.
pub(crate) fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(address) => address.into(),
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() & (u128::MAX << 64)).into(),
    }
}

/// Proxies whose word counts.
#[derive(Debug, Clone, Default)]
pub(crate) struct TrustedProxies(Vec<IpNet>);

/// What a proxy says of whoever it got a request from.
#[derive(Debug, Default)]
struct Hop {
    address: Option<IpAddr>,
    is_https: bool,
}

impl TrustedProxies {
    /// Proxies at addresses of these networks.
    pub(crate) const fn new(networks: Vec<IpNet>) -> Self {
        Self(networks)
    }

    /// Whether the address is one of theirs.
    pub(crate) fn contain(&self, address: IpAddr) -> bool {
        self.0.iter().any(|network| network.contains(&address.to_canonical()))
    }

    /// The client of a request that came from `peer`.
    pub(crate) fn client(&self, peer: IpAddr, headers: &HeaderMap) -> ClientAddress {
        let peer = peer.to_canonical();
        if self.0.is_empty() || !self.contain(peer) {
            return ClientAddress { address: Some(peer), is_https: false, is_proxied: false };
        }
        let is_proxied = true;
        match (forwarded(headers), x_forwarded(headers)) {
            (Some(hops), None) | (None, Some(hops)) => self.walk(peer, &hops),
            // A proxy that writes one of the two may pass on the other as the client sent it.
            (Some(one), Some(other)) => {
                let (one, other) = (self.walk(peer, &one), self.walk(peer, &other));
                if one.address == other.address {
                    return ClientAddress { is_https: one.is_https || other.is_https, ..one };
                }
                ClientAddress { address: None, is_https: false, is_proxied }
            }
            (None, None) => {
                let is_https = list(headers, &X_FORWARDED_PROTO).last().is_some_and(is_https);
                ClientAddress { address: Some(peer), is_https, is_proxied }
            }
        }
    }

    /// From the right to the first address that is no proxy's.
    fn walk(&self, peer: IpAddr, hops: &[Hop]) -> ClientAddress {
        let is_proxied = true;
        let mut client = ClientAddress { address: Some(peer), is_https: false, is_proxied };
        for hop in hops.iter().rev() {
            client = ClientAddress { address: hop.address, is_https: hop.is_https, is_proxied };
            if !hop.address.is_some_and(|address| self.contain(address)) {
                break;
            }
        }
        client
    }
}

/// The hops of `Forwarded` (RFC 7239); `None` without that header.
fn forwarded(headers: &HeaderMap) -> Option<Vec<Hop>> {
    if !headers.contains_key(FORWARDED) {
        return None;
    }
    let text = joined(headers, &FORWARDED);
    let elements = split_unquoted(&text, ',').into_iter().filter(|each| !each.trim().is_empty());
    let hop = |element: &str| {
        let mut hop = Hop::default();
        for pair in split_unquoted(element, ';') {
            let Some((name, value)) = pair.split_once('=') else { continue };
            let value = value.trim().trim_matches('"');
            match name.trim().to_ascii_lowercase().as_str() {
                "for" => hop.address = address(value),
                "proto" => hop.is_https = is_https(value),
                _ => {}
            }
        }
        hop
    };
    Some(elements.map(hop).collect())
}

/// The hops of `X-Forwarded-For`, with the schemes beside it; `None` without that header.
fn x_forwarded(headers: &HeaderMap) -> Option<Vec<Hop>> {
    if !headers.contains_key(&X_FORWARDED_FOR) {
        return None;
    }
    let addresses = list(headers, &X_FORWARDED_FOR);
    let schemes = list(headers, &X_FORWARDED_PROTO);
    let hops = addresses.iter().enumerate().map(|(place, text)| {
        // A scheme for each hop, or one that the last proxy vouches for.
        let is_paired = schemes.len() == addresses.len();
        let scheme = if is_paired { schemes.get(place) } else { schemes.last() };
        Hop { address: address(text), is_https: scheme.is_some_and(is_https) }
    });
    Some(hops.collect())
}

/// The entries of a list header, in order.
fn list(headers: &HeaderMap, name: &HeaderName) -> Vec<String> {
    let text = joined(headers, name);
    let entries = text.split(',').map(str::trim).filter(|entry| !entry.is_empty());
    entries.map(str::to_owned).collect()
}

/// All lines of a header as one.
fn joined(headers: &HeaderMap, name: &HeaderName) -> String {
    let lines = headers.get_all(name).iter();
    let lines: Vec<_> = lines.map(|line| String::from_utf8_lossy(line.as_bytes())).collect();
    lines.join(",")
}

/// Parts of a text between separators that stand in no quotes.
fn split_unquoted(text: &str, separator: char) -> Vec<&str> {
    let mut is_quoted = false;
    let between = |character: char| {
        is_quoted ^= character == '"';
        character == separator && !is_quoted
    };
    text.split(between).collect()
}

fn is_https(scheme: impl AsRef<str>) -> bool {
    scheme.as_ref().eq_ignore_ascii_case("https")
}

/// An address as proxies write it, with or without a port.
fn address(text: &str) -> Option<IpAddr> {
    let bare = match text.strip_prefix('[') {
        Some(rest) => rest.split_once(']')?.0,
        None if text.matches(':').count() == 1 => text.split_once(':')?.0,
        None => text,
    };
    bare.parse().ok().map(|address: IpAddr| address.to_canonical())
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    const FOR: &str = "x-forwarded-for";
    const PROTO: &str = "x-forwarded-proto";
    const RFC: &str = "forwarded";

    fn ask(peer: &str, lines: &[(&'static str, &str)]) -> (Option<String>, bool) {
        let networks = ["10.0.0.0/8", "2001:db8:1::/48"];
        let proxies = TrustedProxies::new(networks.map(|each| each.parse().unwrap()).to_vec());
        let mut headers = HeaderMap::new();
        for (name, value) in lines {
            headers.append(*name, HeaderValue::from_bytes(value.as_bytes()).unwrap());
        }
        let client = proxies.client(peer.parse().unwrap(), &headers);
        (client.address.map(|address| address.to_string()), client.is_https)
    }

    fn known(address: &str, is_https: bool) -> (Option<String>, bool) {
        (Some(address.to_owned()), is_https)
    }

    #[test]
    fn only_trusted_proxies_are_believed() {
        let said = [(FOR, "192.0.2.7"), (PROTO, "https"), (RFC, "for=192.0.2.7;proto=https")];
        assert_eq!(ask("203.0.113.9", &said), known("203.0.113.9", false));
        assert_eq!(ask("::ffff:203.0.113.9", &said), known("203.0.113.9", false));
        assert_eq!(ask("10.1.2.3", &said), known("192.0.2.7", true));
        assert_eq!(ask("::ffff:10.1.2.3", &said), known("192.0.2.7", true));
        assert_eq!(ask("10.1.2.3", &[]), known("10.1.2.3", false));
        assert_eq!(ask("10.1.2.3", &[(PROTO, "HTTPS")]), known("10.1.2.3", true));
    }

    #[test]
    fn the_chain_is_walked_from_the_right() {
        for (chain, client) in [
            ("1.1.1.1, 192.0.2.7", "192.0.2.7"),
            ("1.1.1.1, 192.0.2.7, 10.9.9.9", "192.0.2.7"),
            ("192.0.2.7:4711,10.9.9.9:80", "192.0.2.7"),
            ("garbage, 192.0.2.7", "192.0.2.7"),
            ("10.0.0.7, 10.9.9.9", "10.0.0.7"),
            ("2001:db8:2::1, 2001:db8:1::5", "2001:db8:2::1"),
            ("[2001:db8:2::1]:443", "2001:db8:2::1"),
            ("::ffff:192.0.2.7", "192.0.2.7"),
        ] {
            assert_eq!(ask("10.0.0.1", &[(FOR, chain)]), known(client, false), "{chain}");
        }
        // Two lines of a header are one list.
        let lines = [(FOR, "1.1.1.1"), (FOR, "192.0.2.7"), (FOR, "10.0.0.2")];
        assert_eq!(ask("10.0.0.1", &lines), known("192.0.2.7", false));
        for chain in [
            "for=1.1.1.1;proto=http, for=192.0.2.7;proto=https;by=10.0.0.2",
            "For=\"192.0.2.7:80\" ; Proto=https,for=10.0.0.9",
            "for=1.1.1.1;host=\"a,b;for=6.6.6.6\", for=192.0.2.7;proto=https",
        ] {
            assert_eq!(ask("10.0.0.1", &[(RFC, chain)]), known("192.0.2.7", true), "{chain}");
        }
        let chain = "for=\"[2001:db8:2::1]:4711\"";
        assert_eq!(ask("10.0.0.1", &[(RFC, chain)]), known("2001:db8:2::1", false));
    }

    #[test]
    fn the_scheme_is_that_of_the_clients_hop() {
        let chain = (FOR, "192.0.2.7, 10.0.0.2");
        assert_eq!(ask("10.0.0.1", &[chain, (PROTO, "https, http")]), known("192.0.2.7", true));
        assert_eq!(ask("10.0.0.1", &[chain, (PROTO, "https")]), known("192.0.2.7", true));
        assert_eq!(
            ask("10.0.0.1", &[chain, (PROTO, "https, https, http")]),
            known("192.0.2.7", false)
        );
        assert_eq!(ask("10.0.0.1", &[chain, (PROTO, "javascript")]), known("192.0.2.7", false));
    }

    #[test]
    fn hostile_values_widen_nothing() {
        let long = "10.0.0.9,".repeat(5_000);
        for value in [
            "unknown",
            "_hidden",
            "192.0.2.7, unknown",
            "1.1.1.1, 999.1.1.1",
            "10.0.0.1.evil",
            "[",
            "[10.0.0.1",
            "10.0.0.1, \u{0}",
            "1.1.1.1 10.0.0.1",
            "ü",
        ] {
            if let Ok(bytes) = HeaderValue::from_bytes(value.as_bytes()) {
                let said = [(FOR, bytes.to_str().unwrap_or("ü"))];
                assert_eq!(ask("10.0.0.1", &said).0, None, "{value}");
            }
        }
        for value in ["for=unknown", "for=_x", "for=\"", "by=10.0.0.2", "for", "for==", "\"\"\""] {
            assert_eq!(ask("10.0.0.1", &[(RFC, value)]).0, None, "{value}");
        }
        // Nothing but proxies: the first of them is the client.
        assert_eq!(ask("10.0.0.1", &[(FOR, &long)]), known("10.0.0.9", false));
        assert_eq!(ask("10.0.0.1", &[(FOR, " , ,")]), known("10.0.0.1", false));
        // A proxy that writes one header and passes on a forged other one.
        let forged = [(FOR, "192.0.2.7"), (RFC, "for=10.0.0.5")];
        assert_eq!(ask("10.0.0.1", &forged), (None, false));
    }

    #[test]
    fn one_household_is_one_client() {
        let network = |text: &str| super::network(text.parse().unwrap()).to_string();
        assert_eq!(network("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::");
        assert_eq!(network("::ffff:192.0.2.7"), "192.0.2.7");
    }
}
