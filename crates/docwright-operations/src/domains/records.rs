//! The DNS records that lead a hostname to the service.

use std::net::IpAddr;

use docwright_repository::network::is_public;
use docwright_types::{domain_check::FoundDns, domain_name::DomainName};
use url::{Host, Url};

use super::details::DnsRecord;

/// The records that lead a host to the service, or why there are none. The root of a DNS zone can't have a CNAME record,
/// so it gets the addresses of the service, as the last check found them.
pub(super) fn leading_here(
    public_url: Option<&str>,
    host: &DomainName,
    found: &FoundDns,
) -> Result<Vec<DnsRecord>, String> {
    let Some(url) = public_url.and_then(|url| Url::parse(url).ok()) else {
        return Err(
            "The instance has no public URL, so there is no record to show. Ask the operator for the address of this service."
                .to_owned(),
        );
    };
    let record = |kind: &str, value: String| DnsRecord {
        kind: kind.to_owned(),
        name: host.as_str().to_owned(),
        value,
    };
    let of_address = |address: &IpAddr| {
        record(if address.is_ipv4() { "A" } else { "AAAA" }, address.to_string())
    };
    let local = |own: &str| {
        Err(format!(
            "The public URL of the instance, {own}, leads to one machine or network only, so no record can lead to it. The operator must set a public URL that others can open."
        ))
    };
    let own = url.as_str().trim_end_matches('/');
    match url.host() {
        Some(Host::Ipv4(address)) if is_public(address.into()) => {
            Ok(vec![of_address(&address.into())])
        }
        Some(Host::Ipv6(address)) if is_public(address.into()) => {
            Ok(vec![of_address(&address.into())])
        }
        Some(Host::Domain(name)) if !is_local(name) => {
            let name = name.trim_end_matches('.');
            if found.is_zone && !found.service_addresses.is_empty() {
                return Ok(found.service_addresses.iter().map(of_address).collect());
            }
            Ok(vec![record("CNAME", name.to_owned())])
        }
        _ => local(own),
    }
}

fn is_local(name: &str) -> bool {
    let name = name.trim_end_matches('.');
    name == "localhost" || name.ends_with(".localhost")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn records(
        public_url: Option<&str>,
        found: &FoundDns,
    ) -> Result<Vec<(String, String)>, String> {
        let host = DomainName::parse("docs.acme.example").unwrap();
        let found = leading_here(public_url, &host, found)?;
        Ok(found
            .into_iter()
            .map(|record| {
                assert_eq!(record.name, "docs.acme.example");
                (record.kind, record.value)
            })
            .collect())
    }

    #[test]
    fn host_is_led_to_the_public_url() {
        let none = FoundDns::default();
        for (url, kind, value) in [
            ("https://admin.example.com", "CNAME", "admin.example.com"),
            ("https://admin.example.com.:8443", "CNAME", "admin.example.com"),
            ("http://8.8.8.8:8080", "A", "8.8.8.8"),
            ("http://[2606:2800:220:1::1]", "AAAA", "2606:2800:220:1::1"),
        ] {
            let expected = vec![(kind.to_owned(), value.to_owned())];
            assert_eq!(records(Some(url), &none), Ok(expected), "{url}");
        }
    }

    #[test]
    fn root_of_zone_gets_addresses() {
        let found = FoundDns {
            is_zone: true,
            service_addresses: vec!["192.0.2.1".parse().unwrap(), "2001:db8::1".parse().unwrap()],
            ..FoundDns::default()
        };
        let expected = [("A", "192.0.2.1"), ("AAAA", "2001:db8::1")];
        let expected = expected.map(|(kind, value)| (kind.to_owned(), value.to_owned()));
        assert_eq!(records(Some("https://a.example"), &found), Ok(expected.to_vec()));
    }

    #[test]
    fn local_service_has_no_record() {
        for url in [
            "http://localhost:8080",
            "http://docs.localhost",
            "http://127.0.0.1:8080",
            "http://10.0.0.5",
            "http://[::1]:8080",
        ] {
            let problem = records(Some(url), &FoundDns::default()).unwrap_err();
            assert!(
                problem.contains(url) && problem.contains("The operator must set"),
                "{problem}"
            );
        }
        let unknown = records(None, &FoundDns::default()).unwrap_err();
        assert!(unknown.contains("has no public URL"), "{unknown}");
    }
}
