//! The outlines of sites, from the bundles of their active releases. A few are kept in memory, since a bundle of many
//! pages takes long to open.

use std::{
    collections::VecDeque,
    sync::{Arc, LazyLock, Mutex, PoisonError},
    time::Duration,
};

use docwright_site::outline::OutlinePage;
use docwright_storage::database::{Domain, Project};
use docwright_types::{export_job::StoredBundle, release::Release};

use crate::{OperationError, Operations, callers::no_domain, fair_limiter::FairLimiter};

/// Most pages of all outlines in memory.
const KEPT_PAGES: usize = 100_000;
/// Simultaneous readers of bundles: in all, and of one organization.
static READERS: LazyLock<FairLimiter<String>> = LazyLock::new(|| FairLimiter::new(2, 1));
/// How long a request waits for its turn.
const PATIENCE: Duration = Duration::from_secs(10);
/// The outlines in memory by the key of their bundle, the last used one first. Bundles never change.
static KEPT: Mutex<VecDeque<(String, Arc<Outline>)>> = Mutex::new(VecDeque::new());

/// The pages of a bundle.
#[derive(Debug, Default)]
pub(crate) struct Outline {
    /// The pages in the order of the navigation.
    pub(super) pages: Vec<OutlinePage>,
    /// Whether the server of the site counts its readers.
    pub(super) has_analytics: bool,
}

impl Outline {
    /// The pages in the order of the navigation.
    pub(crate) fn pages(&self) -> &[OutlinePage] {
        &self.pages
    }
}

/// A site, and the pages of its active release.
#[derive(Debug)]
pub(super) struct SiteOutline {
    /// The domain of the site.
    pub(super) domain: String,
    /// The active release.
    pub(super) release: Release,
    pub(super) outline: Arc<Outline>,
}

/// The outline of a domain's site, or of the first site of a project with an active release, those at a default domain
/// last; `None` if no domain has an active release.
///
/// # Errors
///
/// Fails if the domain isn't one of the project, if others read bundles for too long, or if the bundle can't be read.
pub(super) async fn of_site(
    operations: &Operations,
    project: &Project,
    domain: Option<&str>,
) -> Result<Option<SiteOutline>, OperationError> {
    let mut domains = operations.database.domains(&project.id).await?;
    domains.retain(|each| domain.is_none_or(|own| own == each.name));
    if let Some(unknown) = domain.filter(|_| domains.is_empty()) {
        return Err(no_domain(&unknown));
    }
    domains.sort_by_key(|each| each.is_default);
    for Domain { name, release_id, .. } in domains {
        let Some(active) = release_id else { continue };
        let Some(release) = operations.database.release(&active).await? else { continue };
        let Some(bundle) = &release.bundle else { continue };
        let outline = read(operations, project, bundle).await?;
        return Ok(Some(SiteOutline { domain: name, release, outline }));
    }
    Ok(None)
}

/// The outlines of all bundles that the sites of a project serve.
///
/// # Errors
///
/// Fails if others read bundles for too long, or if a bundle can't be read.
pub(crate) async fn of_project(
    operations: &Operations,
    project: &Project,
) -> Result<Vec<Arc<Outline>>, OperationError> {
    let mut outlines = Vec::new();
    for bundle in operations.database.active_bundles(&project.id).await? {
        outlines.push(read(operations, project, &bundle).await?);
    }
    Ok(outlines)
}

/// The outline of a bundle, from memory or from object storage.
async fn read(
    operations: &Operations,
    project: &Project,
    bundle: &StoredBundle,
) -> Result<Arc<Outline>, OperationError> {
    if let Some(kept) = kept(&bundle.key) {
        return Ok(kept);
    }
    let _turn = READERS.take(&project.organization_id, PATIENCE).await.ok_or_else(|| {
        OperationError::Busy("Other lists of pages are being read. Try again soon.".to_owned())
    })?;
    if let Some(kept) = kept(&bundle.key) {
        return Ok(kept);
    }
    let found = operations.comparer.outline(bundle).await;
    let found = found.map_err(|error| OperationError::Unavailable(error.to_string()))?;
    let (pages, has_analytics) = found.unwrap_or_default();
    let outline = Arc::new(Outline { pages, has_analytics });
    keep(&bundle.key, &outline);
    Ok(outline)
}

fn kept(key: &str) -> Option<Arc<Outline>> {
    let mut all = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    let place = all.iter().position(|(own, _)| own == key)?;
    let found = all.remove(place)?;
    let outline = Arc::clone(&found.1);
    all.push_front(found);
    Some(outline)
}

fn keep(key: &str, outline: &Arc<Outline>) {
    let mut all = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    all.retain(|(own, _)| own != key);
    all.push_front((key.to_owned(), Arc::clone(outline)));
    let mut pages = 0;
    all.retain(|(_, outline)| {
        // An outline without pages takes room, too.
        pages += outline.pages.len() + 1;
        pages <= KEPT_PAGES
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outline(pages: usize) -> Arc<Outline> {
        let page = |number: usize| OutlinePage {
            path: number.to_string(),
            title: "T".to_owned(),
            sections: Vec::new(),
            file: None,
            listed: true,
            last_modified: None,
        };
        Arc::new(Outline { pages: (0..pages).map(page).collect(), has_analytics: false })
    }

    #[test]
    fn outlines_in_memory_have_a_limit() {
        let half = outline(KEPT_PAGES / 2 - 1);
        keep("one", &half);
        keep("two", &half);
        assert!(kept("one").is_some() && kept("two").is_some());
        assert!(kept("one").is_some());
        // The one that was used before is the next to go.
        keep("three", &half);
        assert!(kept("two").is_none() && kept("one").is_some() && kept("three").is_some());
        keep("large", &outline(KEPT_PAGES));
        assert!(kept("large").is_none(), "a larger one isn't kept");
    }
}
