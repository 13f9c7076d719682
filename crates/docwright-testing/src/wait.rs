//! Waiting until something is so. This is the one place where a test sleeps: a test that waits for a
//! thing passes on a slow machine, one that waits for a time doesn't.

use std::{fmt::Display, panic::Location, time::Duration};

use tokio::time::{Instant, sleep, timeout_at};

/// How long [`eventually`] waits: far longer than anything takes, even beside a build.
pub const LIMIT: Duration = Duration::from_mins(2);
/// Between two checks.
const INTERVAL: Duration = Duration::from_millis(20);

/// What a check finds: that something is so, or not yet.
pub trait Outcome {
    /// What is given once it is so.
    type Value;

    /// The value, or what is seen instead; that ends the message of a wait that takes too long.
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

/// Checks again and again until something is so, and gives what the check found: `true`, `Some`, or
/// `Ok`. An `Err` says what is seen instead.
///
/// # Panics
///
/// After [`LIMIT`], with `what`, and what the last check found.
#[track_caller]
pub fn eventually<O: Outcome>(
    what: &str,
    check: impl AsyncFnMut() -> O,
) -> impl Future<Output = O::Value> {
    eventually_with(what, LIMIT, check)
}

/// The same with a limit of its own, for what would be wrong if it took longer.
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
        loop {
            let seen = match timeout_at(began + limit, check()).await.map(Outcome::into_result) {
                Ok(Ok(value)) => return value,
                Ok(Err(seen)) => seen,
                Err(_) => "; the last check did not end".to_owned(),
            };
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
        let panic = AssertUnwindSafe(wait).catch_unwind().await.expect_err("it takes too long");
        *panic.downcast::<String>().expect("it says something")
    }

    #[tokio::test(start_paused = true)]
    async fn wait_gives_what_its_check_finds() {
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
    async fn wait_says_what_it_waited_for_and_saw() {
        let said = message(eventually("pigs fly", async || false)).await;
        assert!(said.contains("wait.rs:"), "{said}");
        assert!(said.ends_with(": after 120 seconds it is still not so: pigs fly"), "{said}");
        let walk = eventually("pigs fly", async || Err::<(), _>("they walk"));
        let said = message(walk).await;
        assert!(said.ends_with("pigs fly; seen last: they walk"), "{said}");
    }

    #[tokio::test(start_paused = true)]
    async fn check_that_hangs_is_cut_off_at_the_limit() {
        let limit = Duration::from_secs(3);
        let wait =
            eventually_with("it answers", limit, async || std::future::pending::<bool>().await);
        let said = message(wait).await;
        assert!(said.contains("after 3 seconds"), "{said}");
        assert!(said.ends_with("it answers; the last check did not end"), "{said}");
    }
}
