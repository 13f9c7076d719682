//! What is known of a domain: its site, verification, DNS, and certificate.

use docwright_storage::database::{self, CertificateState, DomainCheck, DomainClaim};
use docwright_types::{
    domain_address::DomainAddress,
    domain_check::{DnsState, FoundDns, TlsState},
    timestamp::iso,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{find, records};
use crate::{
    Caller, OperationError, Operations, listed::Item, ownership::Record, pages::DraftHosts,
};

/// A domain of a site.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DomainDetails {
    /// Hostname, then base path if there is one.
    #[schema(example = "docs.example.com")]
    pub domain: String,
    /// URL of the site; null if `docwright admin` runs before the first start of the service.
    #[schema(format = "uri", example = "https://docs.example.com")]
    pub address: Option<String>,
    /// ID of the project.
    #[schema(example = "prj_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    pub project_id: String,
    /// Name of the project.
    #[schema(example = "Docs")]
    pub project_name: String,
    /// ID of the organization.
    #[schema(example = "org_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    pub organization_id: String,
    /// Name of the organization.
    #[schema(example = "Acme")]
    pub organization_name: String,
    /// Branch of the site; null for the repository's default branch.
    pub branch: Option<String>,
    /// ID of the active release.
    pub release_id: Option<String>,
    /// Whether this is the default domain of the project, which the instance gave it. It can't be deleted.
    pub is_default: bool,
    /// The domain that a default domain redirects to: the project's first other domain whose site is
    /// published.
    #[schema(example = "docs.example.com")]
    pub redirects_to: Option<String>,
    /// `pending` until you verify the hostname with a DNS record, then `verified`. A pending domain
    /// serves nothing.
    pub state: DomainState,
    /// DNS records to add. Lists contain only those that verify domains.
    pub records: Vec<DnsRecord>,
    /// Reason why `records` has none that leads to the service; null if it has one, if none is needed, and in lists.
    #[schema(example = json!(null))]
    pub records_problem: Option<String>,
    /// Problem found by the last check of the DNS record.
    pub problem: Option<String>,
    /// Where the name leads; null while the domain is pending, and before the first check.
    pub dns: Option<DomainDns>,
    /// Certificate of the hostname: the one that docwright manages, or the one that was found at the hostname. Null if
    /// there was no check, or the sites of the instance don't use HTTPS.
    pub certificate: Option<Certificate>,
    /// URL that shows the active release on a host of the instance, before the name leads here. Search engines
    /// are excluded. Null while the domain is pending, in lists, and if the instance has no previews.
    #[schema(
        format = "uri",
        example = "https://0123456789abcdef0123456789abcdef01234567.previews.example.net"
    )]
    pub preview_address: Option<String>,
    /// Former names of the domain that redirect to it, in order. Empty in lists.
    #[schema(example = json!(["help.example.com"]))]
    pub redirects_from: Vec<String>,
    /// The domain that gets this name once it is verified; null for other domains.
    #[schema(example = json!(null))]
    pub renames: Option<String>,
    /// Time when the domain was added.
    #[schema(format = DateTime)]
    pub created_at: String,
    /// Revision of the object, which each update increments. An update can name it. Null while the domain is pending.
    #[schema(minimum = 1, example = 1)]
    pub revision: Option<i64>,
}

/// Verification state of a domain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum DomainState {
    /// Not verified yet.
    Pending,
    /// Yours.
    Verified,
}

/// A DNS record.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct DnsRecord {
    /// Type of the record, such as `TXT`.
    #[serde(rename = "type")]
    #[schema(example = "TXT")]
    pub kind: String,
    /// Name of the record.
    #[schema(example = "_docwright.docs.example.com")]
    pub name: String,
    /// Value of the record.
    #[schema(example = "docwright-verification=0123456789abcdef0123456789abcdef")]
    pub value: String,
}

/// Where the name of a domain leads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DomainDns {
    /// `correct` if the name leads to this service, `missing` if DNS has no address for it, `elsewhere` if another
    /// server or nothing answers there, or `unknown` if that couldn't be found out.
    pub state: DnsState,
    /// Addresses of the name.
    #[schema(example = json!(["192.0.2.10"]))]
    pub addresses: Vec<String>,
    /// What is wrong; null if nothing is.
    pub problem: Option<String>,
    /// Time of the check; null for a name below `localhost`, which needs none.
    #[schema(format = DateTime)]
    pub checked_at: Option<String>,
}

/// The certificate of a hostname.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Certificate {
    /// `pending` until the first certificate is issued, `valid`, `expired`, `missing` if a server without a trusted
    /// certificate answers at the hostname, or `failed` if the last order failed and there is no certificate.
    pub state: CertificateStanding,
    /// Time when the certificate expires; null if docwright doesn't manage it.
    #[schema(format = DateTime)]
    pub expires_at: Option<String>,
    /// Reason why the last order failed, or why browsers don't trust the certificate. docwright retries automatically.
    pub error: Option<String>,
}

/// State of a certificate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum CertificateStanding {
    /// Not there yet.
    Pending,
    /// It can be used.
    Valid,
    /// It has ended.
    Expired,
    /// The last order failed.
    Failed,
    /// The host has no certificate that browsers trust.
    Missing,
}

impl CertificateStanding {
    /// Its name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Valid => "valid",
            Self::Expired => "expired",
            Self::Failed => "failed",
            Self::Missing => "missing",
        }
    }
}

impl Item for DomainDetails {
    const LIST: &'static str = "DomainList";
    const FIELD: &'static str = "domains";
    const PAGE: &'static str = "A page of domains, ordered by name.";
}

impl Certificate {
    fn of(state: CertificateState, now: i64) -> Self {
        let standing = match state.expires_at {
            Some(end) if end > now => CertificateStanding::Valid,
            Some(_) => CertificateStanding::Expired,
            None if state.problem.is_some() => CertificateStanding::Failed,
            None => CertificateStanding::Pending,
        };
        Self { state: standing, expires_at: state.expires_at.map(iso), error: state.problem }
    }

    /// The certificate that a check found, if it found out.
    fn found(found: &FoundDns) -> Option<Self> {
        let state = match found.tls? {
            TlsState::Valid => CertificateStanding::Valid,
            TlsState::Expired => CertificateStanding::Expired,
            TlsState::Missing => CertificateStanding::Missing,
        };
        Some(Self { state, expires_at: None, error: found.tls_problem.clone() })
    }
}

impl DomainDns {
    fn of(check: &DomainCheck) -> Self {
        let DomainCheck { state, found, checked_at } = check;
        Self {
            state: *state,
            addresses: found.addresses.iter().map(ToString::to_string).collect(),
            problem: found.problem.clone(),
            checked_at: Some(*checked_at).filter(|at| *at > 0).map(iso),
        }
    }
}

impl DomainDetails {
    /// A pending domain.
    pub(super) fn pending(operations: &Operations, claim: DomainClaim) -> Self {
        let Record { kind, name, value } = Record::of(&claim);
        Self {
            address: operations.site_address(&claim.name),
            domain: claim.name,
            project_id: claim.project_id,
            project_name: claim.project,
            organization_id: claim.organization_id,
            organization_name: claim.organization,
            branch: claim.branch,
            release_id: None,
            is_default: false,
            redirects_to: None,
            state: DomainState::Pending,
            records: vec![DnsRecord { kind: kind.to_owned(), name, value }],
            records_problem: None,
            problem: claim.problem,
            dns: None,
            certificate: None,
            preview_address: None,
            redirects_from: Vec::new(),
            renames: claim.renames.map(|(before, _)| before),
            created_at: iso(claim.created_at),
            revision: None,
        }
    }

    /// A domain whose site is served.
    pub(super) fn verified(operations: &Operations, domain: database::Domain) -> Self {
        Self {
            address: operations.site_address(&domain.name),
            domain: domain.name,
            project_id: domain.project_id,
            project_name: domain.project,
            organization_id: domain.organization_id,
            organization_name: domain.organization,
            branch: domain.branch,
            release_id: domain.release_id,
            is_default: domain.is_default,
            redirects_to: None,
            state: DomainState::Verified,
            records: Vec::new(),
            records_problem: None,
            problem: None,
            dns: domain.check.as_ref().map(DomainDns::of),
            // What docwright manages replaces it.
            certificate: domain.check.and_then(|check| Certificate::found(&check.found)),
            preview_address: None,
            redirects_from: Vec::new(),
            renames: None,
            created_at: iso(domain.created_at),
            revision: Some(domain.revision),
        }
    }

    /// Whether the name leads to this service.
    pub fn leads_here(&self) -> bool {
        self.dns.as_ref().is_some_and(|dns| dns.state == DnsState::Correct)
    }

    /// The host of the domain, without its base path.
    fn host(&self) -> &str {
        self.domain.split('/').next().unwrap_or_default()
    }
}

/// A domain with all its details.
pub(super) async fn whole(
    operations: &Operations,
    caller: &Caller,
    name: &DomainAddress,
) -> Result<DomainDetails, OperationError> {
    let found = find(operations, caller, name).await?;
    let check = found.as_ref().ok().and_then(|domain| domain.check.clone());
    let mut domain = match found {
        Ok(domain) => DomainDetails::verified(operations, domain),
        Err(claim) => DomainDetails::pending(operations, claim),
    };
    add_certificates(operations, std::slice::from_mut(&mut domain)).await?;
    add_redirects(operations, std::slice::from_mut(&mut domain)).await?;
    if !domain.is_default && name.base().is_empty() && !is_local(name.host().as_str()) {
        let check = check.map(|check| check.found).unwrap_or_default();
        match records::leading_here(operations.public_url.as_deref(), name.host(), &check) {
            Ok(records) => domain.records.extend(records),
            Err(problem) => domain.records_problem = Some(problem),
        }
    }
    if domain.state == DomainState::Verified {
        let former = operations.database.former_domains(&[name.as_str()]).await?;
        let former = former.into_iter().filter(|former| former.redirects);
        domain.redirects_from = former.map(|former| former.name).collect();
        domain.preview_address =
            DraftHosts::of(operations).map(|hosts| hosts.address(name.as_str()));
    }
    Ok(domain)
}

/// Whether a host is one of the machine that asks.
fn is_local(host: &str) -> bool {
    host.ends_with(".localhost")
}

/// Adds the states of certificates to verified domains.
pub(super) async fn add_certificates(
    operations: &Operations,
    domains: &mut [DomainDetails],
) -> Result<(), OperationError> {
    let mut verified: Vec<_> =
        domains.iter_mut().filter(|domain| matches!(domain.state, DomainState::Verified)).collect();
    let hosts: Vec<_> = verified.iter().map(|domain| domain.host()).collect();
    let states = operations.database.certificate_states(Some(&hosts)).await?;
    for domain in &mut verified {
        let state = states.iter().find(|state| state.host == domain.host());
        if let Some(state) = state {
            domain.certificate = Some(Certificate::of(state.clone(), operations.now()));
        }
    }
    Ok(())
}

/// Adds the targets of default domains.
pub(super) async fn add_redirects(
    operations: &Operations,
    domains: &mut [DomainDetails],
) -> Result<(), OperationError> {
    let defaults = domains.iter().filter(|domain| domain.is_default);
    let projects: Vec<_> = defaults.map(|domain| domain.project_id.as_str()).collect();
    let redirects = operations.database.domain_redirects_of(&projects).await?;
    for (from, to) in redirects {
        if let Some(domain) = domains.iter_mut().find(|domain| domain.domain == from) {
            domain.redirects_to = Some(to);
        }
    }
    Ok(())
}
