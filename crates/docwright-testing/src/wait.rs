//! Waits for conditions. Only here do tests sleep: a test that waits for a condition passes on a slow machine, one
//! that waits for a fixed time doesn't.

use std::{fmt::Display, panic::Location, time::Duration};

use tokio::time::{Instant, sleep, timeout_at};

/// How long [`eventually`] waits: far longer than anything takes, even during a build.
pub const LIMIT: Duration = Duration::from_mins(2);
/// Time between two checks.
const INTERVAL: Duration = Duration::from_millis(20);

/// Result of a check: the condition holds, or not yet.
pub trait Outcome {
    /// The value once the condition holds.
    type Value;

    /// The value, or the state instead, which ends the message of a wait that takes too long.
    fn into_result(self) -> Result<Self::Value, String>;
}

impl Outcome for bool {
    type Value = ();

    fn into_result(self) -> Result<(), String> {
        self.then_some(()).into_result()
    }
}

impl<T> Outcome for Option<T> {
    type Value = T;

    fn into_result(self) -> Result<T, String> {
        self.ok_or_else(String::new)
    }
}

impl<T, E: Display> Outcome for Result<T, E> {
    type Value = T;

    fn into_result(self) -> Result<T, String> {
        self.map_err(|seen| format!("; seen last: {seen}"))
    }
}

/// Checks repeatedly until a condition holds, and returns the result of the check: `true`, `Some`, or `Ok`. An
/// `Err` describes the state instead.
///
/// # Panics
///
/// After [`LIMIT`], with `what`, and the last result.
#[track_caller]
pub fn eventually<O: Outcome>(
    what: &str,
    check: impl AsyncFnMut() -> O,
) -> impl Future<Output = O::Value> {
    eventually_with(what, LIMIT, check)
}

/// The same with another limit, if taking longer would be wrong.
///
/// # Panics
///
/// After `limit`, also if a check does not end by then.
#[track_caller]
pub fn eventually_with<O: Outcome>(
    what: &str,
    limit: Duration,
    mut check: impl AsyncFnMut() -> O,
) -> impl Future<Output = O::Value> {
    let caller = Location::caller();
    async move {
        let began = Instant::now();
        let mut seen = String::new();
        loop {
            match timeout_at(began + limit, check()).await.map(Outcome::into_result) {
                Ok(Ok(value)) => return value,
                Ok(Err(now)) => seen = now,
                Err(_) => seen.push_str("; the last check did not end"),
            }
            let waited = began.elapsed();
            assert!(
                waited < limit,
                "{caller}: after {} seconds it is still not so: {what}{seen}",
                waited.as_secs()
            );
            sleep(INTERVAL).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::panic::AssertUnwindSafe;

    use futures::FutureExt;

    use super::*;

    async fn message(wait: impl Future<Output = ()>) -> String {
        let panic = AssertUnwindSafe(wait).catch_unwind().await.expect_err("the wait must fail");
        *panic.downcast::<String>().expect("the panic has a message")
    }

    #[tokio::test(start_paused = true)]
    async fn wait_returns_result_of_its_check() {
        let mut checks = 0;
        let found = eventually("there are three", async || {
            checks += 1;
            (checks == 3).then_some(checks)
        });
        assert_eq!(found.await, 3);
        eventually("it is so", async || true).await;
        let read = eventually("it is a number", async || "7".parse::<u8>());
        assert_eq!(read.await, 7);
    }

    #[tokio::test(start_paused = true)]
    async fn failed_wait_reports_its_condition_and_last_result() {
        let said = message(eventually("pigs fly", async || false)).await;
        assert!(said.contains("wait.rs:"), "{said}");
        assert!(said.ends_with(": after 120 seconds it is still not so: pigs fly"), "{said}");
        let walk = eventually("pigs fly", async || Err::<(), _>("they walk"));
        let said = message(walk).await;
        assert!(said.ends_with("pigs fly; seen last: they walk"), "{said}");
    }

    #[tokio::test(start_paused = true)]
    async fn hanging_check_is_stopped_at_limit() {
        let limit = Duration::from_secs(3);
        let wait =
            eventually_with("it answers", limit, async || std::future::pending::<bool>().await);
        let said = message(wait).await;
        assert!(said.contains("after 3 seconds"), "{said}");
        assert!(said.ends_with("it answers; the last check did not end"), "{said}");
    }
}
