//! How a client learns of a limit before it meets it, and when it does.
//!
//! The headers are those of <https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/>.

use axum::http::{HeaderMap, HeaderName, HeaderValue};
use docwright_domain::timestamp::{HOUR, SECOND, Timestamp};
use docwright_storage::database::{Allowance, RequestLimit};

const RATE_LIMIT: HeaderName = HeaderName::from_static("ratelimit");
const RATE_LIMIT_POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");

/// What is limited, and for whom.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Policy {
    limit: RequestLimit,
    whose: &'static str,
}

impl Policy {
    /// Prompts of agent jobs: as many as the plan of the organisation allows.
    pub(crate) const PROMPTS: Self =
        Self { limit: RequestLimit { name: "prompts", quota: 0, window: HOUR }, whose: "project" };
    /// Updates.
    pub(crate) const UPDATES: Self = Self { limit: RequestLimit::UPDATES, whose: "organization" };
    /// Previews.
    pub(crate) const PREVIEWS: Self = Self { limit: RequestLimit::PREVIEWS, whose: "organization" };
    /// Invitations.
    pub(crate) const INVITATIONS: Self =
        Self { limit: RequestLimit::INVITATIONS, whose: "organization" };

    /// That the limit of so many is reached, without a full stop.
    pub(crate) fn sentence(self, quota: i64) -> String {
        let Self { limit: RequestLimit { name, window, .. }, whose } = self;
        let time = match seconds(window) {
            3600 => "an hour".to_owned(),
            60 => "a minute".to_owned(),
            seconds => format!("{seconds} seconds"),
        };
        format!("This {whose} has sent {quota} {name} within {time}, the limit")
    }
}

/// Whole seconds, rounded up: a client that waits for them has waited long enough.
pub(crate) fn seconds(time: Timestamp) -> i64 {
    (time.max(1) + SECOND - 1) / SECOND
}

/// A policy, and what is left of it.
pub(crate) fn headers(Policy { limit, .. }: Policy, allowance: Allowance) -> HeaderMap {
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
