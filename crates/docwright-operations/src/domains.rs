//! Domains: the addresses of sites, and their verification.

mod contents;
mod details;
mod records;
mod rename;

use docwright_jobs::deletion::Report;
use docwright_storage::{
    StorageError,
    database::{self, CLAIMS, Claimed, DomainClaim, Position},
};
use docwright_types::domain_address::DomainAddress;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::{IntoParams, ToSchema};

use crate::{
    Allowed, Caller, Listed, OperationError, Operations,
    audit::Change,
    can,
    deletion::{Deleted, deletion},
    fields::{Revision, SiteDomain, Text, require_current},
    lists::{Page, Search},
};
use details::{add_certificates, add_redirects, whole};

pub use contents::{CONTENTS_COUNTED, DomainContents, contents};
pub use details::{
    Certificate, CertificateStanding, DnsRecord, DomainDetails, DomainDns, DomainState,
};
pub use rename::{RenameDomain, end_redirect, rename};

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
    /// Return only domains whose name contains this text. The case of ASCII letters is ignored.
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
    let taken = || taken(&domain);
    rename::refuse_redirecting(operations, caller, &domain).await?;
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
    operations.wakes.releases.notify_one();
    whole(operations, caller, domain).await
}

/// Checks the DNS record of a pending domain, or where the name of a verified one leads, unless that was done within
/// the last seconds.
pub async fn verify(
    operations: &Operations,
    caller: &Allowed<can::VerifyDomain>,
    SiteDomain(domain): &SiteDomain,
) -> Result<DomainDetails, OperationError> {
    let found = find(operations, caller, domain).await?;
    let (organization, before) = entry(&found);
    let is_verified = match found {
        Ok(_) => true,
        Err(claim) => {
            let change = Change::of("domain.verify", Some(&organization)).before(before);
            let database = caller.recording(operations, change);
            operations.ownership.check(&database, &claim, operations.now()).await?
        }
    };
    if is_verified {
        operations.ownership.find_lead(domain, operations.now()).await?;
    }
    whole(operations, caller, domain).await
}

/// Permanently deletes a domain with its releases, exports, feedback, analytics, questions, and assistant keys.
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

/// The error for a name that someone else has. It doesn't say who.
fn taken(domain: &DomainAddress) -> OperationError {
    OperationError::Conflict(format!("The domain {domain} is taken. Use another one."))
}

fn taken_by(error: StorageError) -> OperationError {
    match error {
        StorageError::Exists(project) => OperationError::Conflict(format!(
            "{project}. To give it to another project, delete it there first."
        )),
        other => other.into(),
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

/// The error for a domain that doesn't exist, or that the caller can't access.
fn missing(name: &DomainAddress) -> OperationError {
    OperationError::NotFound(format!("Domain {name} not found."))
}
