//! Renames domains. A name that the organization hasn't verified is pending first, like that of a new domain.

use docwright_storage::database::{CLAIMS, Claimed, DomainRename, Renamed};
use docwright_types::domain_address::DomainAddress;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::{DomainDetails, find, missing, taken, whole};
use crate::{
    Allowed, Caller, OperationError, Operations,
    audit::Change,
    can,
    fields::{Revision, SiteDomain, require_current},
};

/// A new name of a domain.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RenameDomain {
    /// New name: hostname, then base path if there is one.
    pub domain: SiteDomain,
    /// Whether the former name redirects to the new one (308), with the rest of the path. True if omitted.
    #[serde(default = "redirects")]
    #[schema(default = true)]
    pub redirect: bool,
    /// Revision that the update is based on. If the object has another one by then, the update returns a conflict.
    #[schema(value_type = Option<i64>, minimum = 1)]
    pub revision: Option<Revision>,
}

const fn redirects() -> bool {
    true
}

/// Renames a domain. Its site, releases, exports, feedback, questions, keys, and analytics go on under the new name.
/// Returns the domain with its new name: verified, or pending until the DNS record of the name is found.
pub async fn rename(
    operations: &Operations,
    caller: &Allowed<can::RenameDomain>,
    SiteDomain(domain): &SiteDomain,
    input: RenameDomain,
) -> Result<DomainDetails, OperationError> {
    let RenameDomain { domain: SiteDomain(name), redirect, revision } = input;
    let Ok(current) = find(operations, caller, domain).await? else {
        let sentence = format!("The domain {domain} is pending. Delete it, and add {name}.");
        return Err(OperationError::Conflict(sentence));
    };
    if current.is_default {
        let sentence =
            format!("{domain} is the default domain of the project, which keeps its name.");
        return Err(OperationError::Conflict(sentence));
    }
    let revision = require_current("domain", current.revision, revision)?;
    refuse(operations, domain, &name).await?;
    let host = name.host().as_str();
    let rename = DomainRename {
        name: &name,
        redirects: redirect,
        needs_proof: !caller.is_operator() && !operations.ownership.is_approved(host),
        revision,
    };
    let organization = Some(current.organization_id.as_str());
    let change = |state: &str| {
        let described = |name: &DomainAddress| json!({ "projectId": current.project_id, "domain": name.as_str() });
        let mut after = described(&name);
        after["redirect"] = Value::Bool(redirect);
        after["state"] = Value::from(state);
        let change = Change::of("domain.rename", organization);
        caller.recording(operations, change.before(described(domain)).after(after))
    };
    match change("verified").rename_domain(domain, rename, operations.now()).await? {
        Renamed::Done => {
            operations.wakes.releases.notify_one();
            return whole(operations, caller, &name).await;
        }
        Renamed::Missing => return Err(missing(domain)),
        Renamed::Taken => return Err(taken(&name)),
        Renamed::Unverified => {}
    }
    let (database, renames) = (change("pending"), (domain, redirect));
    let claimed =
        database.claim_domain_rename(&name, &current.project_id, renames, operations.now());
    match claimed.await? {
        Claimed::Claim | Claimed::Domain => whole(operations, caller, &name).await,
        Claimed::Again => Err(OperationError::Conflict(format!(
            "The project has {name} as a pending domain already. Delete that first."
        ))),
        Claimed::Taken => Err(taken(&name)),
        Claimed::TooMany => Err(OperationError::Conflict(format!(
            "{CLAIMS} domains are pending, the limit. Verify or delete some first."
        ))),
    }
}

/// Fails if a domain can't have a name.
async fn refuse(
    operations: &Operations,
    domain: &DomainAddress,
    name: &DomainAddress,
) -> Result<(), OperationError> {
    if name == domain {
        let sentence = format!("`domain`: {name} is the name of the domain already.");
        return Err(OperationError::Invalid(sentence));
    }
    let refused = operations.ownership.service_hosts().refuse(name.host());
    refused.map_err(|error| OperationError::Invalid(format!("`domain`: {error}.")))?;
    if operations.database.has_preview_host(name.host().as_str()).await? {
        return Err(taken(name));
    }
    Ok(())
}

/// Fails if a name redirects to a domain that the caller can access, and says which.
pub(super) async fn refuse_redirecting(
    operations: &Operations,
    caller: &Caller,
    name: &DomainAddress,
) -> Result<(), OperationError> {
    let former = operations.database.former_domain(name.as_str()).await?;
    let Some(former) = former.filter(|former| former.redirects) else { return Ok(()) };
    let Ok(target) = DomainAddress::parse(&former.domain) else { return Ok(()) };
    match find(operations, caller, &target).await {
        Ok(_) => Err(OperationError::Conflict(format!(
            "{name} redirects to {target}. Remove that redirect first."
        ))),
        Err(OperationError::NotFound(_)) => Ok(()),
        Err(other) => Err(other),
    }
}

/// Ends the redirect of a former name to a domain.
pub async fn end_redirect(
    operations: &Operations,
    caller: &Allowed<can::DeleteDomainRedirect>,
    SiteDomain(domain): &SiteDomain,
    SiteDomain(former): &SiteDomain,
) -> Result<DomainDetails, OperationError> {
    let Ok(current) = find(operations, caller, domain).await? else {
        return Err(no_redirect(former));
    };
    let change = Change::of("domain.end_redirect", Some(&current.organization_id))
        .before(json!({ "projectId": current.project_id, "redirectsFrom": former.as_str() }));
    let database = caller.recording(operations, change);
    if !database.end_domain_redirect(former.as_str(), domain.as_str()).await? {
        return Err(no_redirect(former));
    }
    whole(operations, caller, domain).await
}

fn no_redirect(former: &DomainAddress) -> OperationError {
    OperationError::NotFound(format!("No redirect from {former} to this domain found."))
}
