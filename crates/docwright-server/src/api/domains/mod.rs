//! Domains: the addresses of sites, and showing whose they are.

pub(super) mod create;
pub(super) mod delete;
pub(super) mod list;
pub(super) mod show;
pub(super) mod update;
pub(super) mod verify;

use docwright_domain::{domain_address::DomainAddress, timestamp::iso};
use docwright_storage::database::{self, CertificateState, DomainClaim};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::{IntoParams, ToSchema};

use super::domain::SiteDomain;
use docwright_operations::ownership::Record;

use crate::{authorize::Caller, error::ApiError, state::AppState};

/// A domain, as a path names it.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct DomainPath {
    /// The domain: its host, and its base path if it has one, percent-encoded.
    #[param(inline)]
    domain: SiteDomain,
}

/// An address of a site.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DomainDetails {
    /// The host, and the base path if there is one.
    #[schema(example = "docs.example.com")]
    domain: String,
    /// Where readers reach it; null in a shell before the service has started.
    #[schema(format = "uri", example = "https://docs.example.com")]
    address: Option<String>,
    /// The project whose site it serves.
    #[schema(example = "prj_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    project_id: String,
    /// Name of the project.
    #[schema(example = "Docs")]
    project_name: String,
    /// Its organisation.
    #[schema(example = "org_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    organization_id: String,
    /// Name of the organisation.
    #[schema(example = "Acme")]
    organization_name: String,
    /// The branch that it shows; null for the repository's default branch.
    branch: Option<String>,
    /// The release that it serves.
    release_id: Option<String>,
    /// `pending` until a record of DNS shows that the host is yours; a pending domain serves nothing.
    state: State,
    /// What is to be set in DNS.
    records: Vec<DnsRecord>,
    /// What was wrong when the record was last looked for.
    problem: Option<String>,
    /// The certificate of the host, where this service takes care of one.
    certificate: Option<Certificate>,
    /// When it was added.
    #[schema(format = DateTime)]
    created_at: String,
}

/// Whether a domain is shown to be yours.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[schema(as = DomainState)]
#[serde(rename_all = "lowercase")]
pub(crate) enum State {
    Pending,
    Verified,
}

/// A record of DNS.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct DnsRecord {
    /// Its type, such as `TXT`.
    #[serde(rename = "type")]
    #[schema(example = "TXT")]
    kind: &'static str,
    /// Its name.
    #[schema(example = "_docwright.docs.example.com")]
    name: String,
    /// What it holds.
    #[schema(example = "docwright-verification=0123456789abcdef0123456789abcdef")]
    value: String,
}

/// The certificate of a host.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Certificate {
    /// `pending` before the first one is there, `valid`, `expired`, or `failed` if the last order failed
    /// and there is none.
    state: CertificateStanding,
    /// When it ends.
    #[schema(format = DateTime)]
    expires_at: Option<String>,
    /// Why the last order failed; it is tried again by itself.
    error: Option<String>,
}

/// How a certificate stands.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum CertificateStanding {
    Pending,
    Valid,
    Expired,
    Failed,
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
}

impl DomainDetails {
    /// A domain that is not shown to be anybody's yet.
    fn claimed(app: &AppState, claim: DomainClaim) -> Self {
        let Record { kind, name, value } = Record::of(&claim);
        Self {
            address: app.site_address(&claim.name),
            domain: claim.name,
            project_id: claim.project_id,
            project_name: claim.project,
            organization_id: claim.organization_id,
            organization_name: claim.organization,
            branch: claim.branch,
            release_id: None,
            state: State::Pending,
            records: vec![DnsRecord { kind, name, value }],
            problem: claim.problem,
            certificate: None,
            created_at: iso(claim.created_at),
        }
    }

    /// A domain whose site is served.
    fn verified(app: &AppState, domain: database::Domain) -> Self {
        Self {
            address: app.site_address(&domain.name),
            domain: domain.name,
            project_id: domain.project_id,
            project_name: domain.project,
            organization_id: domain.organization_id,
            organization_name: domain.organization,
            branch: domain.branch,
            release_id: domain.release_id,
            state: State::Verified,
            records: Vec::new(),
            problem: None,
            certificate: None,
            created_at: iso(domain.created_at),
        }
    }

    /// The host of the domain, without its base path.
    fn host(&self) -> &str {
        self.domain.split('/').next().unwrap_or_default()
    }
}

/// A domain that the caller reaches, or a claim to one. Another answers like one that does not exist.
async fn find(
    app: &AppState,
    caller: &Caller,
    name: &DomainAddress,
) -> Result<Result<database::Domain, DomainClaim>, ApiError> {
    let domain = app.database.domain(name).await?;
    let own = |own: &database::Domain| caller.reaches(&own.organization_id, &own.project_id);
    if let Some(domain) = domain.filter(own) {
        return Ok(Ok(domain));
    }
    let mut claims = app.database.domain_claims_to(name).await?.into_iter();
    let own = |claim: &DomainClaim| caller.reaches(&claim.organization_id, &claim.project_id);
    claims.find(own).map(Err).ok_or_else(|| missing(name))
}

/// What the audit log says of a domain.
fn entry(domain: &Result<database::Domain, DomainClaim>) -> (String, Value) {
    match domain {
        Ok(domain) => (
            domain.organization_id.clone(),
            json!({ "projectId": domain.project_id, "branch": domain.branch }),
        ),
        Err(claim) => (
            claim.organization_id.clone(),
            json!({ "projectId": claim.project_id, "branch": claim.branch, "state": "pending" }),
        ),
    }
}

/// A domain with all that is known of it.
async fn whole(
    app: &AppState,
    caller: &Caller,
    name: &DomainAddress,
) -> Result<DomainDetails, ApiError> {
    let mut domain = match find(app, caller, name).await? {
        Ok(domain) => DomainDetails::verified(app, domain),
        Err(claim) => DomainDetails::claimed(app, claim),
    };
    add_certificates(app, std::slice::from_mut(&mut domain)).await?;
    // Where the host has to lead, if it has nothing else there.
    let service = app.public_url.as_deref().and_then(|url| url::Url::parse(url).ok());
    let service = service.as_ref().and_then(url::Url::domain);
    if let Some(service) = service.filter(|_| !domain.domain.contains('/')) {
        let (name, value) = (domain.domain.clone(), service.to_owned());
        domain.records.push(DnsRecord { kind: "CNAME", name, value });
    }
    Ok(domain)
}

/// Adds how the certificates of domains stand, to those that are verified.
async fn add_certificates(app: &AppState, domains: &mut [DomainDetails]) -> Result<(), ApiError> {
    let mut verified: Vec<_> =
        domains.iter_mut().filter(|domain| matches!(domain.state, State::Verified)).collect();
    let hosts: Vec<_> = verified.iter().map(|domain| domain.host()).collect();
    let states = app.database.certificate_states(Some(&hosts)).await?;
    for domain in &mut verified {
        let state = states.iter().find(|state| state.host == domain.host());
        domain.certificate = state.map(|state| Certificate::of(state.clone(), app.now()));
    }
    Ok(())
}

/// The answer to whoever asks for a domain of others, or none.
fn missing(name: &DomainAddress) -> ApiError {
    ApiError::NotFound(format!("Domain {name} not found."))
}
