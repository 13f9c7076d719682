//! Changes made by this process, and which of them are served: everyone who knows of a change sees it.

use std::time::Duration;

use tokio::{sync::watch, time::timeout};

/// A request waits at most this long for a change that was just made, and later changes for one whose bundle is on
/// this host. A busy machine takes a while to read it.
pub(super) const SOON: Duration = Duration::from_secs(5);

/// Numbers of the last change made, and of the last one served.
#[derive(Debug)]
pub(super) struct OwnChanges {
    made: watch::Receiver<u64>,
    served: watch::Sender<u64>,
}

impl OwnChanges {
    /// Changes that are announced by their number.
    pub(super) fn new(made: watch::Receiver<u64>) -> Self {
        Self { made, served: watch::channel(0).0 }
    }

    /// A receiver of the numbers of changes.
    pub(super) fn made(&self) -> watch::Receiver<u64> {
        self.made.clone()
    }

    /// Lets requests that wait for a change, and for those before it, go on.
    pub(super) fn serve(&self, change: u64) {
        self.served.send_replace(change);
    }

    /// Waits until the changes made so far are served. After a wait in vain, such as for a database that hangs, no
    /// other request waits for the same changes.
    pub(super) async fn wait(&self) {
        let made = *self.made.borrow();
        if *self.served.borrow() >= made {
            return;
        }
        let mut served = self.served.subscribe();
        if timeout(SOON, served.wait_for(|served| *served >= made)).await.is_err() {
            self.served.send_if_modified(|served| {
                let is_earlier = *served < made;
                *served = made.max(*served);
                is_earlier
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use futures::{FutureExt, future::join};
    use tokio::time::{Instant, advance};

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn requests_wait_for_changes_made_before_them() {
        let (make, made) = watch::channel(0);
        let changes = OwnChanges::new(made);
        assert!(changes.wait().now_or_never().is_some(), "nothing was changed");
        make.send_replace(2);
        let start = Instant::now();
        let serve = async {
            advance(SOON / 2).await;
            changes.serve(1);
            advance(SOON / 4).await;
            changes.serve(2);
        };
        join(changes.wait(), serve).await;
        assert_eq!(start.elapsed(), SOON / 2 + SOON / 4);
        assert!(changes.wait().now_or_never().is_some(), "all are served");
    }

    #[tokio::test(start_paused = true)]
    async fn change_that_is_never_served_delays_requests_once() {
        let (make, made) = watch::channel(0);
        let changes = OwnChanges::new(made);
        make.send_replace(1);
        let start = Instant::now();
        join(changes.wait(), changes.wait()).await;
        assert_eq!(start.elapsed(), SOON);
        assert!(changes.wait().now_or_never().is_some(), "later requests don't wait");
        make.send_replace(2);
        assert!(changes.wait().now_or_never().is_none(), "a later change is another one");
    }
}
