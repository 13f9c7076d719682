//! What is deleted together with a domain.

use docwright_storage::database::DomainContents as Counts;

pub use docwright_storage::database::CONTENTS_COUNTED;

use super::find;
use crate::{Allowed, OperationError, Operations, can, fields::SiteDomain};

/// What is deleted together with a domain, in numbers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DomainContents {
    /// The numbers, each up to [`CONTENTS_COUNTED`].
    pub counts: Counts,
    /// Names that redirect to the domain, and then lead nowhere.
    pub redirects: Vec<String>,
}

/// Counts what is deleted together with a domain. A pending one has nothing.
pub async fn contents(
    operations: &Operations,
    caller: &Allowed<can::DeleteDomain>,
    SiteDomain(domain): &SiteDomain,
) -> Result<DomainContents, OperationError> {
    if find(operations, caller, domain).await?.is_err() {
        return Ok(DomainContents::default());
    }
    let former = operations.database.former_domains(&[domain.as_str()]).await?;
    let former = former.into_iter().filter(|former| former.redirects);
    Ok(DomainContents {
        counts: operations.database.domain_contents(domain).await?,
        redirects: former.map(|former| former.name).collect(),
    })
}
