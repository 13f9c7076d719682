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
    let (client, _) = proxies.client(peer.parse().unwrap(), &headers);
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
fn proxy_chain_is_read_from_the_right() {
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
    for chain in [
        "for=\"[2001:db8:2::1]:4711\"",
        "for=\"[2001:db8:2::1]\"",
        "FOR=\"\\[2001:db8:2::1\\]:_port\"",
        "for=unknown,, for=\"[2001:db8:2::1]\" , ,for=10.0.0.2;;",
    ] {
        assert_eq!(ask("10.0.0.1", &[(RFC, chain)]), known("2001:db8:2::1", false), "{chain}");
    }
    let lines = [(RFC, "for=\""), (RFC, "for=192.0.2.7"), (RFC, "for=\"10.0.0.2:80\"")];
    assert_eq!(ask("10.0.0.1", &lines), known("192.0.2.7", false));
}

#[test]
fn scheme_is_taken_from_hop_of_client() {
    let chain = (FOR, "192.0.2.7, 10.0.0.2");
    assert_eq!(ask("10.0.0.1", &[chain, (PROTO, "https, http")]), known("192.0.2.7", true));
    assert_eq!(ask("10.0.0.1", &[chain, (PROTO, "https")]), known("192.0.2.7", true));
    assert_eq!(ask("10.0.0.1", &[chain, (PROTO, "https, https, http")]), known("192.0.2.7", false));
    assert_eq!(ask("10.0.0.1", &[chain, (PROTO, "javascript")]), known("192.0.2.7", false));
}

#[test]
fn hostile_values_widen_nothing() {
    let long = "10.0.0.9,".repeat(5_000);
    for value in ["unknown", "_hidden", "192.0.2.7, unknown", "192.0.2.7, _x:_y"] {
        assert_eq!(ask("10.0.0.1", &[(FOR, value)]).0, None, "{value}");
    }
    for value in ["for=unknown", "for=_x", "for=\"_x:80\"", "by=10.0.0.2", "proto=https"] {
        assert_eq!(ask("10.0.0.1", &[(RFC, value)]).0, None, "{value}");
    }
    // An invalid header is ignored, so the proxy itself is the client.
    for value in [
        "1.1.1.1, 999.1.1.1",
        "10.0.0.1.evil",
        "[",
        "[10.0.0.1",
        "[10.0.0.1]",
        "1.1.1.1 10.0.0.1",
        "1.1.1.1:123456",
        "1.1.1.1:",
        "fe80::1%eth0",
        "\"192.0.2.7\"",
        "ü",
    ] {
        assert_eq!(ask("10.0.0.1", &[(FOR, value)]), known("10.0.0.1", false), "{value}");
    }
    for value in [
        "for=\"",
        "for",
        "for=",
        "for==",
        "=192.0.2.7",
        "\"\"\"",
        "for=192.0.2.7;for=192.0.2.8",
        "for=192.0.2.7 proto=https",
        "for=192.0.2.7;proto=\"https",
        "for=\"192.0.2.7\\\"",
        "for=192.0.2.7:80",
        "for=[2001:db8:2::1]",
        "for=\"2001:db8:2::1\"",
        "for=\"[192.0.2.7]\"",
        "f or=192.0.2.7",
        "for = 192.0.2.7",
    ] {
        assert_eq!(ask("10.0.0.1", &[(RFC, value)]), known("10.0.0.1", false), "{value}");
    }
    // If all are proxies, the first of them is the client.
    assert_eq!(ask("10.0.0.1", &[(FOR, &long)]), known("10.0.0.9", false));
    assert_eq!(ask("10.0.0.1", &[(FOR, " , ,")]), known("10.0.0.1", false));
    // A proxy that writes one header and passes on a forged other header.
    let forged = [(FOR, "192.0.2.7"), (RFC, "for=10.0.0.5")];
    assert_eq!(ask("10.0.0.1", &forged), (None, false));
}

/// A generator of bits that are the same in each run.
struct Bits(u64);

impl Bits {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % bound as u64).unwrap()
    }

    /// Headers with which a client pretends to be another.
    fn forgery(&mut self) -> String {
        const PARTS: [&str; 20] = [
            "\"",
            "\\",
            ",",
            ";",
            "=",
            " ",
            "\t",
            "for",
            "for=",
            "for=\"",
            "10.0.0.9",
            "6.6.6.6",
            "for=6.6.6.6",
            "[",
            "]",
            ":80",
            "unknown",
            "proto=https",
            "host=evil.example",
            "é",
        ];
        let count = self.below(12);
        (0..count).map(|_| PARTS[self.below(PARTS.len())]).collect()
    }
}

#[test]
fn client_is_last_address_whatever_precedes_it() {
    let mut bits = Bits(0x9e37_79b9_7f4a_7c15);
    for _ in 0..5_000 {
        let (forged, forged_too) = (bits.forgery(), bits.forgery());
        for (name, seen) in [
            (RFC, "for=192.0.2.7"),
            (RFC, "for=\"192.0.2.7:80\";by=_proxy"),
            (RFC, "host=\"a\\\"b\"; for=192.0.2.7"),
            (FOR, "192.0.2.7"),
            (FOR, "192.0.2.7:80"),
        ] {
            let appended = format!("{forged},{seen}");
            let client = ask("10.0.0.1", &[(name, &forged_too), (name, &appended)]);
            assert_eq!(client, known("192.0.2.7", false), "{appended}");
            let client = ask("10.0.0.1", &[(name, &forged), (name, seen)]);
            assert_eq!(
                client,
                known("192.0.2.7", false),
                "{forged} and {seen} on lines of their own"
            );
        }
        // Alone, it is read or refused.
        ask("10.0.0.1", &[(RFC, &forged), (FOR, &forged_too)]);
    }
}

#[test]
fn host_is_taken_from_trusted_proxy() {
    const HOST: &str = "x-forwarded-host";
    let host = |peer: &str, lines: &[(&'static str, &str)]| {
        let proxies = TrustedProxies::new(vec!["10.0.0.0/8".parse().unwrap()]);
        let mut headers = HeaderMap::new();
        for (name, value) in lines {
            headers.append(*name, value.parse().unwrap());
        }
        let (_, host) = proxies.client(peer.parse().unwrap(), &headers);
        host.map(|ForwardedHost(host)| host.to_string())
    };
    let docs = || Some("docs.example.com".to_owned());
    let (named, seen) = ((HOST, "Docs.example.com"), (FOR, "192.0.2.7"));
    assert_eq!(host("192.0.2.1", &[named, seen]), None, "it is no proxy");
    assert_eq!(host("10.0.0.1", &[named]), docs());
    assert_eq!(host("10.0.0.1", &[named, seen]), docs());
    // Each proxy of a chain adds its own name, or one of them names the host for all.
    let chain = (FOR, "192.0.2.7, 10.0.0.2");
    assert_eq!(host("10.0.0.1", &[chain, (HOST, "docs.example.com, inner")]), docs());
    assert_eq!(host("10.0.0.1", &[chain, named]), docs());
    assert_eq!(host("10.0.0.1", &[seen, (HOST, "evil.example, docs.example.com")]), docs());
    for value in [
        "for=192.0.2.7;host=docs.example.com",
        "for=192.0.2.7;host=\"docs.example.com\", for=10.0.0.2;host=inner",
        "host=evil.example, for=192.0.2.7;host=docs.example.com",
    ] {
        assert_eq!(host("10.0.0.1", &[(RFC, value)]), docs(), "{value}");
    }
    // Contradicting headers count for nothing.
    let other = (RFC, "for=192.0.2.7;host=evil.example");
    assert_eq!(host("10.0.0.1", &[named, seen, other]), None);
    assert_eq!(host("10.0.0.1", &[named, seen, (RFC, "for=6.6.6.6")]), None);
    for value in ["a b", "a/b", "a@b", "<script>", "a:x"] {
        assert_eq!(host("10.0.0.1", &[seen, (HOST, value)]), None, "{value}");
    }
}
