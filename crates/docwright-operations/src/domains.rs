//! Domains: the addresses of sites, and their verification.

use docwright_jobs::deletion::Report;
use docwright_storage::{
    StorageError,
    database::{self, CLAIMS, CertificateState, Claimed, DomainClaim, Position},
};
use docwright_types::{domain_address::DomainAddress, timestamp::iso};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::{IntoParams, ToSchema};

use crate::{
    Allowed, Caller, Listed, OperationError, Operations,
    audit::Change,
    can,
    deletion::{Deleted, deletion},
    fields::{Revision, SiteDomain, Text, require_current},
    listed::Item,
    lists::{Page, Search},
    ownership::Record,
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
    /// DNS records to add.
    pub records: Vec<DnsRecord>,
    /// Problem found by the last check of the DNS record.
    pub problem: Option<String>,
    /// Certificate of the hostname, if docwright manages one.
    pub certificate: Option<Certificate>,
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

/// The certificate of a hostname.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Certificate {
    /// `pending` until the first certificate is issued, `valid`, `expired`, or `failed` if the last
    /// order failed and there is no certificate.
    pub state: CertificateStanding,
    /// Time when the certificate expires.
    #[schema(format = DateTime)]
    pub expires_at: Option<String>,
    /// Reason why the last order failed. docwright retries automatically.
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
}

impl CertificateStanding {
    /// Its name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Valid => "valid",
            Self::Expired => "expired",
            Self::Failed => "failed",
        }
    }
}

/// Which domains to list.
#[derive(Debug, Default, Deserialize, Serialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct ListDomains {
    /// Return only domains of this project.
    #[param(value_type = String, required = false, pattern = r"^[^\x00]*$")]
    pub project_id: Option<String>,
    /// Return only domains of this organization. Only operator keys need it: other keys belong to
    /// one organization.
    #[param(value_type = String, required = false, pattern = r"^[^\x00]*$")]
    pub organization_id: Option<String>,
    /// Return only domains whose name starts with this text. The case of ASCII letters is ignored.
    #[param(value_type = String, required = false, max_length = 200, pattern = r"^[^\x00]*$", example = "docs.")]
    pub search: Option<Search>,
}

/// A domain to add.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewDomain {
    /// Hostname, then base path if the site is below one.
    pub domain: SiteDomain,
    /// ID of the project.
    #[schema(
        value_type = String,
        min_length = 1,
        max_length = 200,
        pattern = r"^[^\x00]*[^\s\x00-\x1f\x7f-\x9f][^\x00]*$",
        example = "prj_0199a1b2c3d4e5f60718293a4b5c6d7e"
    )]
    pub project_id: Text<200>,
    /// Branch of the site, if not the repository's default branch.
    #[schema(
        value_type = Option<String>,
        min_length = 1,
        max_length = 250,
        pattern = r"^[^\x00]*[^\s\x00-\x1f\x7f-\x9f][^\x00]*$",
        example = "next"
    )]
    pub branch: Option<Text<250>>,
}

/// Settings to change in a domain.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct DomainChange {
    /// Branch of the site; null for the repository's default branch.
    #[schema(
        value_type = Option<String>,
        min_length = 1,
        max_length = 250,
        pattern = r"^[^\x00]*[^\s\x00-\x1f\x7f-\x9f][^\x00]*$",
        example = "next"
    )]
    pub branch: Option<Text<250>>,
    /// Revision that the update is based on. If the object has another one by then, the update returns a conflict.
    #[schema(value_type = Option<i64>, minimum = 1)]
    pub revision: Option<Revision>,
}

/// A page of domains, ordered by name.
pub type DomainList = Listed<DomainDetails>;

impl Item for DomainDetails {
    const LIST: &'static str = "DomainList";
    const FIELD: &'static str = "domains";
    const PAGE: &'static str = "A page of domains, ordered by name.";
}

/// Lists domains by name.
pub async fn list(
    operations: &Operations,
    caller: &Allowed<can::ListDomains>,
    filter: &ListDomains,
    page: &Page,
) -> Result<DomainList, OperationError> {
    let page = page.of(("domains", filter))?;
    let organization = if let Some(id) = &filter.project_id {
        Some(caller.project(operations, id).await?.organization_id)
    } else {
        let named = filter.organization_id.as_deref();
        caller.whole_organization(operations, named).await?.map(|own| own.id)
    };
    let of = (organization.as_deref(), filter.project_id.as_deref());
    let wanted = page.searched(filter.search.as_ref());
    let verified = operations.database.domains_page(of, wanted).await?;
    let pending = operations.database.pending_domains(of, wanted).await?;
    let mut domains: Vec<_> =
        verified.into_iter().map(|domain| DomainDetails::verified(operations, domain)).collect();
    domains.extend(pending.into_iter().map(|claim| DomainDetails::pending(operations, claim)));
    domains.sort_by(|one, other| one.domain.cmp(&other.domain));
    let mut list = page.cut(domains, |domain| Position::of_id(&domain.domain), |domain| domain);
    add_certificates(operations, &mut list.items).await?;
    add_redirects(operations, &mut list.items).await?;
    Ok(list)
}

/// Adds a domain to a project: verified, or pending until its DNS record is found.
pub async fn create(
    operations: &Operations,
    caller: &Allowed<can::CreateDomain>,
    input: NewDomain,
) -> Result<DomainDetails, OperationError> {
    let NewDomain { domain: SiteDomain(domain), project_id, branch } = input;
    let project = caller.project(operations, &String::from(project_id)).await?;
    let refused = operations.ownership.service_hosts().refuse(domain.host());
    refused.map_err(|error| OperationError::Invalid(format!("`domain`: {error}.")))?;
    let taken =
        || OperationError::Conflict(format!("The domain {domain} is taken. Use another one."));
    if operations.database.has_preview_host(domain.host().as_str()).await? {
        return Err(taken());
    }
    let branch = branch.map(String::from);
    let change = Change::of("domain.create", Some(&project.organization_id))
        .after(json!({ "projectId": project.id, "branch": branch }));
    let database = caller.recording(operations, change);
    let (site, now) = ((project.id.as_str(), branch.as_deref()), operations.now());
    let added = if caller.is_operator() {
        // Operators need no verification, and can see the owner of a domain.
        let added = database.add_domain(&domain, site.0, site.1, now).await;
        added.map(|()| Claimed::Domain).map_err(taken_by)?
    } else {
        operations.ownership.add(&database, &domain, site, now).await?
    };
    match added {
        Claimed::Domain | Claimed::Claim => whole(operations, caller, &domain).await,
        Claimed::Again => Err(OperationError::Conflict(format!(
            "The project has the domain {domain} already. Verify it."
        ))),
        Claimed::Taken => Err(taken()),
        Claimed::TooMany => Err(OperationError::Conflict(format!(
            "{CLAIMS} domains are pending, the limit. Verify or delete some first."
        ))),
    }
}

/// Returns a domain.
pub async fn get(
    operations: &Operations,
    caller: &Allowed<can::GetDomain>,
    SiteDomain(domain): &SiteDomain,
) -> Result<DomainDetails, OperationError> {
    whole(operations, caller, domain).await
}

/// Changes the branch that a domain shows.
pub async fn update(
    operations: &Operations,
    caller: &Allowed<can::UpdateDomain>,
    SiteDomain(domain): &SiteDomain,
    input: DomainChange,
) -> Result<DomainDetails, OperationError> {
    let found = find(operations, caller, domain).await?;
    let Ok(current) = &found else {
        let sentence = format!("The domain {domain} is pending. Verify it first.");
        return Err(OperationError::Conflict(sentence));
    };
    let revision = require_current("domain", current.revision, input.revision)?;
    let branch = input.branch.map(String::from);
    let (organization, before) = entry(&found);
    let change = Change::of("domain.update", Some(&organization))
        .before(before)
        .after(json!({ "branch": branch }));
    let database = caller.recording(operations, change);
    if !database.set_branch(domain, branch.as_deref(), revision, operations.now()).await? {
        return Err(missing(domain));
    }
    operations.release_wake.notify_one();
    whole(operations, caller, domain).await
}

/// Checks the DNS record of a pending domain now, unless that was done within the last seconds.
pub async fn verify(
    operations: &Operations,
    caller: &Allowed<can::VerifyDomain>,
    SiteDomain(domain): &SiteDomain,
) -> Result<DomainDetails, OperationError> {
    let found = find(operations, caller, domain).await?;
    let (organization, before) = entry(&found);
    if let Err(claim) = found {
        let change = Change::of("domain.verify", Some(&organization)).before(before);
        let database = caller.recording(operations, change);
        operations.ownership.check(&database, &claim, operations.now()).await?;
    }
    whole(operations, caller, domain).await
}

/// Permanently deletes a domain with its releases, exports, and feedback.
pub async fn delete(
    operations: &Operations,
    caller: &Allowed<can::DeleteDomain>,
    SiteDomain(domain): &SiteDomain,
) -> Result<Deleted, OperationError> {
    let found = find(operations, caller, domain).await?;
    if matches!(&found, Ok(domain) if domain.is_default) {
        return Err(OperationError::Conflict(format!(
            "{domain} is the default domain of the project, and is deleted with the project. To move readers to another domain, add that one: {domain} then redirects there."
        )));
    }
    let (organization, before) = entry(&found);
    let change = Change::of("domain.delete", Some(&organization)).before(before);
    let recording = caller.recording(operations, change);
    let deleted = match found {
        Err(claim) => recording.remove_domain_claim(&claim).await?.then(|| {
            let rows = database::Deleted { domains: 1, ..database::Deleted::default() };
            Report { rows, ..Report::default() }
        }),
        Ok(_) => deletion(operations, recording).domain(domain).await?,
    };
    deleted.map(Deleted::from).ok_or_else(|| missing(domain))
}

fn taken_by(error: StorageError) -> OperationError {
    match error {
        StorageError::Exists(project) => OperationError::Conflict(format!(
            "{project}. To give it to another project, delete it there first."
        )),
        other => other.into(),
    }
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
    /// A pending domain.
    fn pending(operations: &Operations, claim: DomainClaim) -> Self {
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
            problem: claim.problem,
            certificate: None,
            created_at: iso(claim.created_at),
            revision: None,
        }
    }

    /// A domain whose site is served.
    fn verified(operations: &Operations, domain: database::Domain) -> Self {
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
            problem: None,
            certificate: None,
            created_at: iso(domain.created_at),
            revision: Some(domain.revision),
        }
    }

    /// The host of the domain, without its base path.
    fn host(&self) -> &str {
        self.domain.split('/').next().unwrap_or_default()
    }
}

/// A domain or pending domain that the caller can access. Other organizations' domains are reported as missing.
async fn find(
    operations: &Operations,
    caller: &Caller,
    name: &DomainAddress,
) -> Result<Result<database::Domain, DomainClaim>, OperationError> {
    let domain = operations.database.domain(name).await?;
    let own = |own: &database::Domain| caller.reaches(&own.organization_id, &own.project_id);
    if let Some(domain) = domain.filter(own) {
        return Ok(Ok(domain));
    }
    let mut claims = operations.database.domain_claims_to(name).await?.into_iter();
    let own = |claim: &DomainClaim| caller.reaches(&claim.organization_id, &claim.project_id);
    claims.find(own).map(Err).ok_or_else(|| missing(name))
}

/// The subject and state of a domain for the audit log.
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

/// A domain with all its details.
async fn whole(
    operations: &Operations,
    caller: &Caller,
    name: &DomainAddress,
) -> Result<DomainDetails, OperationError> {
    let mut domain = match find(operations, caller, name).await? {
        Ok(domain) => DomainDetails::verified(operations, domain),
        Err(claim) => DomainDetails::pending(operations, claim),
    };
    add_certificates(operations, std::slice::from_mut(&mut domain)).await?;
    add_redirects(operations, std::slice::from_mut(&mut domain)).await?;
    // The target for the host's DNS record.
    let service = operations.public_url.as_deref().and_then(|url| url::Url::parse(url).ok());
    let service = service.as_ref().and_then(url::Url::domain);
    let needs_record = !domain.is_default && !domain.domain.contains('/');
    if let Some(service) = service.filter(|_| needs_record) {
        let (name, value) = (domain.domain.clone(), service.to_owned());
        domain.records.push(DnsRecord { kind: "CNAME".to_owned(), name, value });
    }
    Ok(domain)
}

/// Adds the states of certificates to verified domains.
async fn add_certificates(
    operations: &Operations,
    domains: &mut [DomainDetails],
) -> Result<(), OperationError> {
    let mut verified: Vec<_> =
        domains.iter_mut().filter(|domain| matches!(domain.state, DomainState::Verified)).collect();
    let hosts: Vec<_> = verified.iter().map(|domain| domain.host()).collect();
    let states = operations.database.certificate_states(Some(&hosts)).await?;
    for domain in &mut verified {
        let state = states.iter().find(|state| state.host == domain.host());
        domain.certificate = state.map(|state| Certificate::of(state.clone(), operations.now()));
    }
    Ok(())
}

/// Adds the targets of default domains.
async fn add_redirects(
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

/// The error for a domain that doesn't exist, or that the caller can't access.
fn missing(name: &DomainAddress) -> OperationError {
    OperationError::NotFound(format!("Domain {name} not found."))
}
