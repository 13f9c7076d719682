//! Checks the records of pending domains in the background, at growing intervals.

use std::{sync::Arc, time::Duration};

use docwright_jobs::clock::Clock;
use docwright_storage::StorageError;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use super::Ownership;

/// Time between two rounds.
const EVERY: Duration = Duration::from_secs(10);
/// Pending domains that are checked in one round.
const ROUND: i64 = 50;

/// Checks pending domains until the service stops.
pub async fn follow(ownership: Arc<Ownership>, clock: Clock, stop: CancellationToken) {
    let mut is_away = false;
    loop {
        match round(&ownership, &clock).await {
            Ok(()) => is_away = false,
            Err(error) if !is_away => {
                tracing::warn!(%error, "pending domains not checked; retrying");
                is_away = true;
            }
            Err(_) => {}
        }
        tokio::select! {
            () = sleep(EVERY) => {}
            () = stop.cancelled() => return,
        }
    }
}

async fn round(ownership: &Ownership, clock: &Clock) -> Result<(), StorageError> {
    let now = clock.now();
    for claim in ownership.database.due_domain_claims(now, ROUND).await? {
        ownership.check(&ownership.database, &claim, clock.now()).await?;
    }
    Ok(())
}
