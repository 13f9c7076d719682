//! Where the name of a domain leads: to this service, nowhere, or to another server; and whether browsers trust the
//! certificate there.
//!
//! A name with the addresses of the service's own name leads here. Any other is asked: behind it can be a proxy that
//! passes requests on. A node answers with a proof that only nodes of the instance can make, so a copy of the site
//! elsewhere isn't taken for the service. Hosts with private addresses aren't contacted, unless the operator allows it.

use std::{net::IpAddr, time::Duration};

use docwright_repository::network::{Network, NetworkError};
use docwright_storage::Keyring;
use docwright_types::{
    domain_address::DomainAddress,
    domain_check::{DnsState, FoundDns, TlsState},
    site_origin::SiteOrigin,
};
use tokio::time::timeout;
use url::{Host, Url};

use super::dns::Dns;

/// Path below the base path of a domain, where a node proves that the name leads to it.
pub const PATH: &str = "/.well-known/docwright-domain";
/// Time limit of all look-ups, and of a request.
const TIME: Duration = Duration::from_secs(10);
/// Bytes of an answer that are read.
const MAXIMUM_ANSWER: usize = 256;

/// Asks names where they lead.
#[derive(Debug, Clone)]
pub struct Leads {
    /// Makes and checks proofs.
    pub keyring: Keyring,
    /// Decides which hosts can be contacted.
    pub network: Network,
    /// Public URL of the service, if it is known.
    pub service: Option<Url>,
    /// Origin of sites.
    pub origin: SiteOrigin,
    /// Whether docwright orders certificates. It knows their states then.
    pub orders_certificates: bool,
}

/// What answers at a name.
enum Answer {
    /// This service.
    Proof,
    /// Something else.
    Other,
    /// Nothing that browsers trust, and why.
    Untrusted(String),
    /// Nothing.
    Silence,
    /// It isn't contacted.
    Private,
}

impl Leads {
    /// The proof that a domain leads to a node.
    pub fn proof(keyring: &Keyring, domain: &str) -> String {
        keyring.sign_access(&message(domain))
    }

    /// Where a domain leads.
    pub(super) async fn find(&self, dns: &Dns, domain: &DomainAddress) -> (DnsState, FoundDns) {
        let host = domain.host().as_str();
        if host.ends_with(".localhost") {
            return (DnsState::Correct, FoundDns::default());
        }
        let looked_up = timeout(TIME, async {
            tokio::join!(dns.addresses(host), self.service_addresses(dns), dns.is_zone(host))
        });
        let (addresses, service_addresses, is_zone) = match looked_up.await {
            Ok((Ok(addresses), service, is_zone)) => (addresses, service, is_zone),
            Ok((Err(error), ..)) => {
                tracing::debug!(host, error, "addresses not read");
                return unknown(format!("The DNS servers of {host} didn't respond."));
            }
            Err(_) => return unknown(format!("The DNS servers of {host} didn't respond in time.")),
        };
        let mut found = FoundDns { addresses, service_addresses, is_zone, ..FoundDns::default() };
        if found.addresses.is_empty() {
            found.problem = Some(format!("DNS has no address for {host}."));
            return (DnsState::Missing, found);
        }
        let state = self.ask(domain, &mut found).await;
        (state, found)
    }

    /// Addresses of the service; empty if they are unknown.
    async fn service_addresses(&self, dns: &Dns) -> Vec<IpAddr> {
        match self.service.as_ref().and_then(Url::host) {
            Some(Host::Domain(name)) => {
                dns.addresses(name.trim_end_matches('.')).await.unwrap_or_default()
            }
            Some(Host::Ipv4(address)) => vec![address.into()],
            Some(Host::Ipv6(address)) => vec![address.into()],
            None => Vec::new(),
        }
    }

    /// Asks what answers at the addresses of a domain.
    async fn ask(&self, domain: &DomainAddress, found: &mut FoundDns) -> DnsState {
        let host = domain.host().as_str();
        let is_own = found.addresses.iter().all(|own| found.service_addresses.contains(own));
        let mut network = self.network.with_addresses(found.addresses.clone());
        if is_own {
            network = network.allowing(host);
        }
        let secure = self.origin.scheme() == "https";
        let mut answer = request(&network, &self.keyring, self.origin, domain).await;
        if secure && !self.orders_certificates {
            found.tls = match &answer {
                Answer::Proof | Answer::Other => Some(TlsState::Valid),
                Answer::Untrusted(reason) if reason.contains("Expired") => Some(TlsState::Expired),
                Answer::Untrusted(_) => Some(TlsState::Missing),
                Answer::Silence | Answer::Private => None,
            };
        }
        if let Answer::Untrusted(reason) = &answer {
            if !self.orders_certificates {
                found.tls_problem = Some(format!("TLS failed: {reason}."));
            }
            // Without a certificate yet, the name can still lead here.
            let plain = SiteOrigin::new("http", None);
            answer = request(&network, &self.keyring, plain, domain).await;
        }
        let addresses = found.addresses.iter().map(ToString::to_string).collect::<Vec<_>>();
        let addresses = addresses.join(", ");
        let (state, problem) = match answer {
            Answer::Proof => (DnsState::Correct, None),
            Answer::Silence if is_own => (
                DnsState::Correct,
                Some(format!("{host} leads to this service, which doesn't answer there.")),
            ),
            _ if is_own => (DnsState::Correct, None),
            Answer::Private => (
                DnsState::Unknown,
                Some(format!(
                    "{host} leads to {addresses}, a private address that docwright doesn't contact."
                )),
            ),
            Answer::Other | Answer::Untrusted(_) => (
                DnsState::Elsewhere,
                Some(format!("{host} leads to {addresses}, where another server answers.")),
            ),
            Answer::Silence => (
                DnsState::Elsewhere,
                Some(format!("{host} leads to {addresses}, where nothing answers.")),
            ),
        };
        found.problem = problem;
        state
    }
}

/// What a node signs.
fn message(domain: &str) -> String {
    format!("domain leads here\n{domain}")
}

fn unknown(problem: String) -> (DnsState, FoundDns) {
    (DnsState::Unknown, FoundDns { problem: Some(problem), ..FoundDns::default() })
}

/// Asks a domain for the proof.
async fn request(
    network: &Network,
    keyring: &Keyring,
    origin: SiteOrigin,
    domain: &DomainAddress,
) -> Answer {
    let Ok(url) = Url::parse(&format!("{}{PATH}", origin.address(domain.as_str()))) else {
        return Answer::Silence;
    };
    let mut response = match network.get(&url, TIME, None).await {
        Ok(response) => response,
        Err(NetworkError::Certificate { reason, .. }) => return Answer::Untrusted(reason),
        Err(NetworkError::Private { .. }) => return Answer::Private,
        Err(NetworkError::Redirect { .. } | NetworkError::Address(_)) => return Answer::Other,
        Err(NetworkError::Unreachable { .. } | NetworkError::UnknownName { .. }) => {
            return Answer::Silence;
        }
    };
    let mut text = Vec::new();
    while let Ok(Some(chunk)) = response.chunk().await {
        text.extend_from_slice(&chunk);
        if text.len() > MAXIMUM_ANSWER {
            return Answer::Other;
        }
    }
    let text = String::from_utf8_lossy(&text);
    if keyring.is_signed_access(&message(domain.as_str()), text.trim()) {
        Answer::Proof
    } else {
        Answer::Other
    }
}
