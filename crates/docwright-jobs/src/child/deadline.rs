//! A time limit that pauses while the child waits for its parent.

use std::time::Duration;

use tokio::{
    sync::watch,
    time::{Instant, sleep_until},
};

/// The deadline; `None` while it is paused.
#[derive(Debug)]
pub(super) struct Deadline(watch::Sender<Option<Instant>>);

impl Deadline {
    /// A deadline this far from now.
    pub(super) fn after(time: Duration) -> Self {
        Self(watch::Sender::new(Some(Instant::now() + time)))
    }

    /// Awaits work that doesn't count as the child's time.
    pub(super) async fn paused<T>(&self, other: impl Future<Output = T>) -> T {
        let left = self.0.send_replace(None).map(|end| end - Instant::now());
        let outcome = other.await;
        self.0.send_replace(left.map(|left| Instant::now() + left));
        outcome
    }

    /// Returns when the deadline has passed.
    pub(super) async fn passed(&self) {
        let mut end = self.0.subscribe();
        loop {
            let time = *end.borrow_and_update();
            let over = async {
                match time {
                    Some(time) => sleep_until(time).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = over => return,
                // The sender is this value, which outlives the call.
                _ = end.changed() => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::{sleep, timeout};

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn deadline_pauses_while_parent_works() {
        let deadline = Deadline::after(Duration::from_secs(10));
        let work = async {
            sleep(Duration::from_secs(6)).await;
            deadline.paused(sleep(Duration::from_mins(10))).await;
            sleep(Duration::from_secs(3)).await;
        };
        tokio::select! {
            () = deadline.passed() => panic!("9 of 10 seconds were used"),
            () = work => {}
        }
        timeout(Duration::from_secs(2), deadline.passed()).await.unwrap();
    }
}
