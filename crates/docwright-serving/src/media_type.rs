//! The media type of a request's body.

use axum::http::{header, request::Parts};

/// Whether the body is JSON. Browsers ask before they send JSON to another site, and get no permission.
pub(crate) fn is_json(parts: &Parts) -> bool {
    let kind = parts.headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    let kind = kind.and_then(|kind| kind.split(';').next());
    kind.is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/json"))
}
