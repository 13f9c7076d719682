//! Duties that nobody asks for.

use std::time::Duration;

use docwright_domain::timestamp::Timestamp;
use docwright_storage::Database;
use tokio::sync::watch;

use crate::clock::Clock;

/// How often duties are done.
const EVERY: Duration = Duration::from_mins(10);

/// Archives agent jobs that ended some time ago, until `stop` becomes true.
pub async fn archive_old_jobs(
    database: Database,
    clock: Clock,
    after: Timestamp,
    mut stop: watch::Receiver<bool>,
) {
    while !*stop.borrow() {
        let now = clock.now();
        match database.archive_agent_jobs(now - after, now).await {
            Ok(0) => {}
            Ok(count) => tracing::info!(count, "archived old agent jobs"),
            Err(error) => tracing::error!(%error, "old agent jobs can't be archived; trying again"),
        }
        tokio::select! {
            () = tokio::time::sleep(EVERY) => {}
            _ = stop.changed() => {}
        }
    }
}
