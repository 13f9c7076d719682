//! Counts the refused webhooks of a client: clients that guess must wait. A correctly signed webhook is never
//! counted, nor refused because of others from the same address.
//!
//! Many projects get their webhooks from the same addresses, those of their host. So a wrong signature counts only
//! for its own project, and a client as a whole has a much higher limit.

use std::{
    collections::HashMap,
    net::IpAddr,
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

/// Refusals of a client for one project in a minute, and for all of them.
const OF_A_PROJECT: u32 = 30;
const IN_ALL: u32 = 600;
const MINUTE: Duration = Duration::from_mins(1);
/// Clients and projects that are remembered. Beyond this number the minute ends early.
const MAXIMUM: usize = 100_000;

/// Refusals within a minute.
#[derive(Debug)]
pub(crate) struct Refusals(Mutex<Minute>);

#[derive(Debug)]
struct Minute {
    began: Instant,
    counts: HashMap<(Option<IpAddr>, Option<String>), u32>,
}

impl Default for Refusals {
    fn default() -> Self {
        Self(Mutex::new(Minute { began: Instant::now(), counts: HashMap::new() }))
    }
}

impl Refusals {
    /// Whether a client can still send webhooks for a project.
    pub(crate) fn allow(&self, client: Option<IpAddr>, project: &str) -> bool {
        let minute = self.minute();
        let count = |key| minute.counts.get(&key).copied().unwrap_or_default();
        count((client, Some(project.to_owned()))) < OF_A_PROJECT && count((client, None)) < IN_ALL
    }

    /// Counts a refusal.
    pub(crate) fn count(&self, client: Option<IpAddr>, project: &str) {
        let mut minute = self.minute();
        if minute.counts.len() >= MAXIMUM {
            minute.counts.clear();
        }
        for key in [(client, Some(project.to_owned())), (client, None)] {
            *minute.counts.entry(key).or_default() += 1;
        }
    }

    fn minute(&self) -> MutexGuard<'_, Minute> {
        let mut minute = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if minute.began.elapsed() >= MINUTE {
            *minute = Minute { began: Instant::now(), counts: HashMap::new() };
        }
        minute
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn client_that_guesses_is_refused_and_others_are_not() {
        let refusals = Refusals::default();
        let (one, other) = (Some(IpAddr::from([192, 0, 2, 1])), Some(IpAddr::from([192, 0, 2, 2])));
        for _ in 0..OF_A_PROJECT {
            assert!(refusals.allow(one, "prj_1"));
            refusals.count(one, "prj_1");
        }
        assert!(!refusals.allow(one, "prj_1"));
        assert!(refusals.allow(one, "prj_2") && refusals.allow(other, "prj_1"));
        for number in OF_A_PROJECT..IN_ALL {
            refusals.count(one, &format!("prj_{number}"));
        }
        assert!(!refusals.allow(one, "prj_2") && refusals.allow(other, "prj_2"));
        let before = Instant::now().checked_sub(MINUTE).unwrap();
        refusals.0.lock().unwrap().began = before;
        assert!(refusals.allow(one, "prj_1"), "a minute is over");
    }
}
