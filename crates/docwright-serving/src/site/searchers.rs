//! The engines of searched sites, kept for their next query: loading an index again would take most of the time
//! of a query.

use std::sync::{Arc, Mutex, PoisonError};

use docwright_site::search::{SearchError, Searcher};

use super::open_site::OpenSite;

/// Engines that wait for a query. Each has a thread, and megabytes of its index.
const MOST: usize = 16;

/// The engines by the number of their site, the one that was used last at the end.
static READY: Mutex<Vec<(u64, Arc<Searcher>)>> = Mutex::new(Vec::new());

/// The engine of a site.
pub(super) fn of(site: &Arc<OpenSite>) -> Result<Arc<Searcher>, SearchError> {
    let mut ready = READY.lock().unwrap_or_else(PoisonError::into_inner);
    let known = ready.iter().position(|(number, _)| *number == site.number);
    let searcher = match known {
        Some(place) => ready.remove(place).1,
        None => Arc::new(start(site)?),
    };
    ready.push((site.number, Arc::clone(&searcher)));
    if ready.len() > MOST {
        ready.remove(0);
    }
    Ok(searcher)
}

/// Starts an engine. It doesn't keep the bundle of a closed site open.
fn start(site: &Arc<OpenSite>) -> Result<Searcher, SearchError> {
    let bundle = Arc::downgrade(&site.bundle);
    Searcher::new(move |path| bundle.upgrade()?.read_text(path))
        .map_err(|error| SearchError::Failed(error.to_string()))
}
