//! The engines of searched sites, kept for their next query: loading an index again would take most of the time
//! of a query. The vectors of their sections are kept with them.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

use docwright_site::{
    embedding::SectionVectors,
    search::{SearchError, Searcher},
};

use super::open_site::OpenSite;

/// Engines that wait for a query. Each has a thread, and megabytes of its index.
const MOST: usize = 16;

/// Longest file of vectors that is read, in bytes: that of the most sections with 2,000 numbers each.
const MAXIMUM_VECTORS: u64 = 100_600_000;

/// The engine of a site, and the vectors of its sections by language, as far as they were needed.
#[derive(Debug, Clone)]
struct Ready {
    searcher: Arc<Searcher>,
    vectors: BTreeMap<String, Option<Arc<SectionVectors>>>,
}

/// The engines by the number of their site, the one that was used last at the end.
static READY: Mutex<Vec<(u64, Ready)>> = Mutex::new(Vec::new());

/// The engine of a site.
pub(super) fn of(site: &Arc<OpenSite>) -> Result<Arc<Searcher>, SearchError> {
    let mut ready = READY.lock().unwrap_or_else(PoisonError::into_inner);
    let known = ready.iter().position(|(number, _)| *number == site.number);
    let used = match known {
        Some(place) => ready.remove(place).1,
        None => Ready { searcher: Arc::new(start(site)?), vectors: BTreeMap::new() },
    };
    let searcher = Arc::clone(&used.searcher);
    ready.push((site.number, used));
    if ready.len() > MOST {
        ready.remove(0);
    }
    Ok(searcher)
}

/// The vectors of a site in a language, if it has some.
pub(super) fn vectors(site: &Arc<OpenSite>, language: &str) -> Option<Arc<SectionVectors>> {
    let path = SectionVectors::path(language);
    site.find(&path)?;
    of(site).ok()?;
    let known = |ready: &mut Vec<(u64, Ready)>, read: Option<Option<Arc<SectionVectors>>>| {
        let (_, ready) = ready.iter_mut().find(|(number, _)| *number == site.number)?;
        if let Some(read) = read {
            ready.vectors.insert(language.to_owned(), read);
        }
        ready.vectors.get(language).cloned()
    };
    let lock = || READY.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(vectors) = known(&mut lock(), None) {
        return vectors;
    }
    // Reading takes a while, and other sites don't wait for it.
    let file = site.bundle.get(&path).filter(|file| file.size <= MAXIMUM_VECTORS);
    let read = file.and_then(|file| site.bundle.read(file).ok());
    let read = read.and_then(|bytes| SectionVectors::read(&bytes)).map(Arc::new);
    known(&mut lock(), Some(read.clone()));
    read
}

/// Ends the engine of a closed site.
pub(super) fn forget(site: u64) {
    let mut ready = READY.lock().unwrap_or_else(PoisonError::into_inner);
    ready.retain(|(number, _)| *number != site);
}

/// Starts an engine. It doesn't keep the bundle of a closed site open.
fn start(site: &Arc<OpenSite>) -> Result<Searcher, SearchError> {
    let bundle = Arc::downgrade(&site.bundle);
    Searcher::new(move |path| bundle.upgrade()?.read_text(path))
        .map_err(|error| SearchError::Failed(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::{
        super::{members::Members, open_site::tests::open},
        *,
    };

    #[test]
    fn engine_ends_with_its_site() {
        let folder = tempfile::tempdir().unwrap();
        let site = open(&folder.path().join("site"), &Members::default());
        let engine = Arc::downgrade(&of(&site).unwrap());
        assert!(engine.upgrade().is_some(), "it waits for the next query");
        drop(site);
        assert!(engine.upgrade().is_none());
    }
}
