//! API keys of requests.

use axum::http::request::Parts;
use docwright_operations::callers::UncheckedKey;
use docwright_types::key::PresentedKey;

use crate::{client::ClientAddress, request::id_of};

/// The key of a request, and how it was authenticated.
pub fn unchecked(key: PresentedKey, parts: &Parts) -> UncheckedKey {
    let (address, request_id) =
        (ClientAddress::of(parts).address, id_of(&parts.headers).to_owned());
    UncheckedKey { key, address, request_id }
}
