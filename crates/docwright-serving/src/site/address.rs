//! Resolves addresses of a site.
//!
//! A page has one address, without `.html` and without a trailing slash. With `.html` it works too; with a slash
//! it redirects.

use std::borrow::Cow;

use axum::http::{HeaderValue, StatusCode, Uri};
use docwright_site::{embedding, source::is_safe_path};
use percent_encoding::percent_decode_str;

use super::{open_site::OpenSite, redirects::Elsewhere};

/// Result of resolving an address.
#[derive(Debug)]
pub(super) enum AddressTarget {
    /// The home page, which is the file at an index.
    Home(usize),
    /// The file at an index.
    File(usize),
    /// A redirect.
    Elsewhere(Elsewhere),
    /// Nothing.
    Nothing,
}

/// Looks up an address.
pub(super) fn find(site: &OpenSite, uri: &Uri) -> AddressTarget {
    let Some(path) = decode(uri.path()) else { return AddressTarget::Nothing };
    if let Some(elsewhere) = site.redirects.exact(&path) {
        return AddressTarget::Elsewhere(elsewhere.clone());
    }
    if path == "/" {
        return site.find("index.html").map_or(AddressTarget::Nothing, AddressTarget::Home);
    }
    let name = path.strip_prefix('/').unwrap_or_default();
    if let Some(file) = file(site, name.trim_end_matches('/')) {
        // Links of a page are relative to its address, so another address would break them.
        return match name.ends_with('/').then(|| without_slash(uri)) {
            None => AddressTarget::File(file),
            Some(elsewhere) => elsewhere.map_or(AddressTarget::Nothing, AddressTarget::Elsewhere),
        };
    }
    site.redirects.pattern(&path).map_or(AddressTarget::Nothing, AddressTarget::Elsewhere)
}

/// The path as text; `None` if it isn't valid text.
fn decode(path: &str) -> Option<Cow<'_, str>> {
    percent_decode_str(path).decode_utf8().ok()
}

/// The file with a name, or the page.
fn file(site: &OpenSite, name: &str) -> Option<usize> {
    // The vectors of sections are for the server.
    if !is_safe_path(name) || name.strip_prefix(embedding::FOLDER).is_some_and(is_below) {
        return None;
    }
    site.find(name).or_else(|| site.find(&format!("{name}.html")))
}

/// Whether the rest of a path after a folder is something in it.
fn is_below(rest: &str) -> bool {
    rest.starts_with('/')
}

/// The address without its trailing slash. It starts with one slash: names don't.
fn without_slash(uri: &Uri) -> Option<Elsewhere> {
    let path = uri.path().trim_end_matches('/');
    let location = match uri.query() {
        Some(query) => format!("{path}?{query}"),
        None => path.to_owned(),
    };
    let location = HeaderValue::try_from(location).ok()?;
    Some(Elsewhere { status: StatusCode::PERMANENT_REDIRECT, location })
}
