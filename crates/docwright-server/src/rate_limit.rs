//! How a client learns of a limit before it meets it, and when it does.
//!
//! The headers are those of <https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/>.

use axum::http::{HeaderMap, HeaderName, HeaderValue};
use docwright_domain::{
    agent_job::PROMPTS_AN_HOUR,
    timestamp::{SECOND, Timestamp},
};
use docwright_storage::database::Allowance;

const RATE_LIMIT: HeaderName = HeaderName::from_static("ratelimit");
const RATE_LIMIT_POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");

/// Whole seconds, rounded up: a client that waits for them has waited long enough.
pub(crate) fn seconds(time: Timestamp) -> i64 {
    (time.max(1) + SECOND - 1) / SECOND
}

/// The policy of prompts, and what is left of it.
pub(crate) fn headers(allowance: Allowance) -> HeaderMap {
    let policy = format!("\"prompts\";q={PROMPTS_AN_HOUR};w=3600");
    let left = format!("\"prompts\";r={};t={}", allowance.remaining, seconds(allowance.reset));
    let mut headers = HeaderMap::new();
    for (name, value) in [(RATE_LIMIT_POLICY, policy), (RATE_LIMIT, left)] {
        if let Ok(value) = HeaderValue::try_from(value) {
            headers.insert(name, value);
        }
    }
    headers
}
