//! Limited requests of each organization or project.

use docwright_storage::database::{Allowance, RequestLimit};
use docwright_types::{
    counted::counted,
    timestamp::{HOUR, SECOND, Timestamp},
};

/// Kinds of limits.
#[derive(Debug, Clone, Copy)]
pub struct RateLimit {
    /// The kind of request, the quota, and the window.
    pub limit: RequestLimit,
    whose: &'static str,
}

impl RateLimit {
    /// Prompts of agent jobs: the limit of the organization's plan.
    pub const PROMPTS: Self =
        Self { limit: RequestLimit { name: "prompts", quota: 0, window: HOUR }, whose: "project" };
    /// Updates.
    pub const UPDATES: Self = Self { limit: RequestLimit::UPDATES, whose: "organization" };
    /// Previews.
    pub const PREVIEWS: Self = Self { limit: RequestLimit::PREVIEWS, whose: "organization" };
    /// Invitations.
    pub const INVITATIONS: Self = Self { limit: RequestLimit::INVITATIONS, whose: "organization" };
    /// Checks of repositories.
    pub const REPOSITORY_CHECKS: Self =
        Self { limit: RequestLimit::REPOSITORY_CHECKS, whose: "organization" };

    /// The error when the limit is reached.
    pub fn exceeded(&self, allowance: &Allowance) -> String {
        let Self { limit: RequestLimit { name, window, .. }, whose } = self;
        let time = match seconds(*window) {
            3600 => "an hour".to_owned(),
            60 => "a minute".to_owned(),
            seconds => format!("{seconds} seconds"),
        };
        let quota = counted(allowance.quota, name.trim_end_matches('s'));
        let wait = counted(seconds(allowance.reset), "second");
        format!("This {whose} reached its limit of {quota} within {time}. Try again in {wait}.")
    }
}

/// Whole seconds, rounded up, so that a client that waits this long can continue.
pub fn seconds(time: Timestamp) -> i64 {
    (time.max(1) + SECOND - 1) / SECOND
}
