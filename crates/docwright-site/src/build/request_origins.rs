//! The origins that a server sends requests of the playground to. They are in the manifest, so that every server of
//! the bundle knows them without a database, and readers don't get them as a file.

use std::collections::BTreeSet;

use docwright_types::deployment::{Playground, PlaygroundMode};

use super::rendered_page::RenderedPage;
use crate::openapi::origin;

/// Largest number of origins of a site. Beyond it, the rest is left out.
const MOST: usize = 1000;

/// The sorted origins of a site's API, and of the deployment's settings; `None` if no server sends requests.
pub(super) fn of_site(settings: &Playground, pages: &[RenderedPage<'_>]) -> Option<Vec<String>> {
    if settings.mode != PlaygroundMode::Proxy {
        return None;
    }
    let mut pages = pages.iter().filter(|page| page.facts.has_playground).peekable();
    pages.peek()?;
    let set = settings.base_url.iter().chain(&settings.hosts).filter_map(|url| origin(url));
    let named = pages.flat_map(|page| page.facts.request_origins.iter().cloned());
    // Those of the settings come first, so that the limit leaves out none of them.
    let mut origins = BTreeSet::new();
    for origin in set.chain(named) {
        if origins.len() < MOST {
            origins.insert(origin);
        }
    }
    Some(origins.into_iter().collect())
}
