//! Redirects of a site, prepared for look-ups.

use std::collections::HashMap;

use axum::http::{HeaderValue, StatusCode};
use docwright_site::{
    bundle::Bundle,
    content::redirects::prepared::{Prepared, RedirectTarget},
};

use super::open_site::find;

/// The target of a redirect, and whether it is permanent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Elsewhere {
    pub(super) status: StatusCode,
    pub(super) location: HeaderValue,
}

/// The redirects of a site.
#[derive(Debug, Default)]
pub(super) struct Redirects {
    /// Redirects of single addresses, by their path without slashes around it.
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

    /// The target of a path that is only a redirect. The path is decoded.
    pub(super) fn exact(&self, path: &str) -> Option<&Elsewhere> {
        if self.exact.is_empty() {
            return None;
        }
        self.exact.get(path.trim_matches('/'))
    }

    /// The target of a path without a file. The path is decoded.
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
