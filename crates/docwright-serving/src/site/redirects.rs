//! Redirects of a site, so that an answer is a look-up.

use std::collections::HashMap;

use axum::http::{HeaderValue, StatusCode};
use docwright_site::{
    bundle::Bundle,
    content::redirects::prepared::{Prepared, RedirectTarget},
};

use super::open_site::find;

/// Where an address leads now, and whether permanently.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Elsewhere {
    pub(super) status: StatusCode,
    pub(super) location: HeaderValue,
}

/// The redirects of a site.
#[derive(Debug, Default)]
pub(super) struct Redirects {
    /// Those of one address: its path without slashes around it.
    exact: HashMap<String, Elsewhere>,
    /// The others.
    prepared: Prepared,
}

impl Redirects {
    /// The redirects of a bundle.
    pub(super) fn new(bundle: &Bundle) -> Self {
        let has_file = |path: &str| find(bundle, path).is_some();
        let mut prepared = Prepared::new(&bundle.about().redirects, has_file);
        let exact = std::mem::take(&mut prepared.exact).into_iter();
        let exact = exact.filter_map(|(path, answer)| Some((path, elsewhere(&answer)?))).collect();
        Self { exact, prepared }
    }

    /// Where the address of a path leads that is a redirect and nothing else. The path is decoded.
    pub(super) fn exact(&self, path: &str) -> Option<&Elsewhere> {
        if self.exact.is_empty() {
            return None;
        }
        self.exact.get(path.trim_matches('/'))
    }

    /// Where the address of a path leads that nothing else is at. The path is decoded.
    pub(super) fn pattern(&self, path: &str) -> Option<Elsewhere> {
        elsewhere(&self.prepared.wildcard(path)?)
    }
}

fn elsewhere(answer: &RedirectTarget) -> Option<Elsewhere> {
    let status = if answer.permanent {
        StatusCode::PERMANENT_REDIRECT
    } else {
        StatusCode::TEMPORARY_REDIRECT
    };
    Some(Elsewhere { status, location: HeaderValue::try_from(&answer.location).ok()? })
}
