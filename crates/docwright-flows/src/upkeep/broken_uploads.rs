//! Removes what uploads left that never ended: their process was killed. Others clean up themselves.

use std::time::Duration;

use docwright_domain::timestamp::{DAY, Timestamp};
use docwright_storage::Objects;
use tokio_util::sync::CancellationToken;

use crate::clock::Clock;

/// How often they are looked for.
const EVERY: Duration = Duration::from_hours(1);
/// No upload takes this long.
const BROKEN_AFTER: Timestamp = DAY;

/// Removes broken uploads until `stop`.
pub async fn remove_broken_uploads(objects: Objects, clock: Clock, stop: CancellationToken) {
    while !stop.is_cancelled() {
        match objects.remove_broken_uploads(clock.now() - BROKEN_AFTER).await {
            Ok(0) => {}
            Ok(count) => tracing::info!(count, "removed what broken uploads left"),
            Err(error) => tracing::warn!(%error, "broken uploads can't be removed; trying again"),
        }
        tokio::select! {
            () = tokio::time::sleep(EVERY) => {}
            () = stop.cancelled() => {}
        }
    }
}
