//! Headers that tell a client about a limit before and when it reaches it.
//!
//! The headers are those of <https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/>.

use axum::http::{HeaderMap, HeaderName, HeaderValue};
use docwright_operations::rate_limit::{RateLimit, seconds};
use docwright_storage::database::{Allowance, RequestLimit};

const RATE_LIMIT: HeaderName = HeaderName::from_static("ratelimit");
const RATE_LIMIT_POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");

/// A limit, and the rest of it.
pub fn headers(RateLimit { limit, .. }: RateLimit, allowance: Allowance) -> HeaderMap {
    let RequestLimit { name, window, .. } = limit;
    let policy = format!("\"{name}\";q={};w={}", allowance.quota, seconds(window));
    let left = format!("\"{name}\";r={};t={}", allowance.remaining, seconds(allowance.reset));
    let mut headers = HeaderMap::new();
    for (name, value) in [(RATE_LIMIT_POLICY, policy), (RATE_LIMIT, left)] {
        if let Ok(value) = HeaderValue::try_from(value) {
            headers.insert(name, value);
        }
    }
    headers
}
