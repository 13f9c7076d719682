//! The pages of a project's sites, from the bundles of their active releases.

use std::{collections::BTreeMap, sync::LazyLock, time::Duration};

use docwright_storage::database::Project;

use crate::{OperationError, Operations, fair_limiter::FairLimiter};

/// Simultaneous readers of bundles: in all, and of one organization.
static READERS: LazyLock<FairLimiter<String>> = LazyLock::new(|| FairLimiter::new(2, 1));
/// How long a request waits for its turn.
const PATIENCE: Duration = Duration::from_secs(10);

/// The titles of all pages, by path.
///
/// # Errors
///
/// Fails if others read bundles for too long, or if a bundle can't be read.
pub(super) async fn site_pages(
    operations: &Operations,
    project: &Project,
) -> Result<BTreeMap<String, String>, OperationError> {
    let _turn = READERS.take(&project.organization_id, PATIENCE).await.ok_or_else(|| {
        OperationError::Busy("Other lists of pages are being read. Try again soon.".to_owned())
    })?;
    let mut pages = BTreeMap::new();
    for bundle in operations.database.active_bundles(&project.id).await? {
        let all = operations.comparer.changed_pages(None, &bundle).await;
        let all = all.map_err(|error| OperationError::Unavailable(error.to_string()))?;
        pages.extend(all.into_iter().map(|each| (each.path, each.title)));
    }
    Ok(pages)
}
