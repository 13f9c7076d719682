//! Archives agent jobs that ended some time ago.

use std::time::Duration;

use docwright_domain::timestamp::Timestamp;
use docwright_storage::Database;
use tokio_util::sync::CancellationToken;

use crate::clock::Clock;

/// How often jobs are archived.
const EVERY: Duration = Duration::from_mins(10);

/// Archives jobs that ended more than `after` milliseconds ago, until `stop`.
pub async fn archive_old_jobs(
    database: Database,
    clock: Clock,
    after: Timestamp,
    stop: CancellationToken,
) {
    while !stop.is_cancelled() {
        let now = clock.now();
        match database.archive_agent_jobs(now - after, now).await {
            Ok(0) => {}
            Ok(count) => tracing::info!(count, "archived old agent jobs"),
            Err(error) => tracing::error!(%error, "old agent jobs can't be archived; trying again"),
        }
        tokio::select! {
            () = tokio::time::sleep(EVERY) => {}
            () = stop.cancelled() => {}
        }
    }
}
