//! Where the name of a domain leads, as DNS and TLS tell.

use std::{net::IpAddr, str::FromStr};

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Where a name leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum DnsState {
    /// To this service.
    Correct,
    /// Nowhere: DNS has no address for it.
    Missing,
    /// To another server.
    Elsewhere,
    /// DNS servers didn't respond, or the address can't be contacted.
    Unknown,
}

impl DnsState {
    /// Its name in the database and the API.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Correct => "correct",
            Self::Missing => "missing",
            Self::Elsewhere => "elsewhere",
            Self::Unknown => "unknown",
        }
    }
}

impl FromStr for DnsState {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let all = [Self::Correct, Self::Missing, Self::Elsewhere, Self::Unknown];
        let found = all.into_iter().find(|state| state.name() == text);
        found.ok_or_else(|| format!("`{text}` isn't a state of DNS"))
    }
}

/// What a browser makes of the certificate of a host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TlsState {
    /// It trusts it.
    Valid,
    /// It has expired.
    Expired,
    /// The host has no certificate, or none that docwright trusts.
    Missing,
}

/// What a check of a name found.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct FoundDns {
    /// Addresses of the name.
    pub addresses: Vec<IpAddr>,
    /// Addresses of the service's own name at that time.
    pub service_addresses: Vec<IpAddr>,
    /// Whether the name is the root of a DNS zone, which can't have a CNAME record.
    pub is_zone: bool,
    /// Why the name doesn't lead to the service, or nothing answers there, in a sentence.
    pub problem: Option<String>,
    /// What is known of its certificate, if sites use HTTPS.
    pub tls: Option<TlsState>,
    /// Why the certificate isn't valid, in a sentence.
    pub tls_problem: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_stored_by_their_name_in_the_api() {
        for state in [DnsState::Correct, DnsState::Missing, DnsState::Elsewhere, DnsState::Unknown]
        {
            assert_eq!(state.name().parse(), Ok(state));
            assert_eq!(serde_json::json!(state), state.name());
        }
        assert!("else".parse::<DnsState>().is_err());
    }

    #[test]
    fn checks_of_other_versions_are_read() {
        let found: FoundDns = serde_json::from_str(r#"{"addresses":["192.0.2.1"],"x":1}"#).unwrap();
        assert_eq!(found.addresses, ["192.0.2.1".parse::<IpAddr>().unwrap()]);
    }
}
