//! Liveness and readiness of a service.

use std::{
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use axum::{Router, extract::State, routing::get};
use docwright_jobs::disk::Disk;
use docwright_operations::OperationError;
use docwright_storage::{Database, StorageError, database::LostBundleCount};
use tokio_util::sync::CancellationToken;

use crate::error::ApiError;

/// A database that does not respond within this time counts as down.
const PATIENCE: Duration = Duration::from_secs(2);

/// Dependencies of a service's readiness.
#[derive(Debug, Clone)]
pub struct Readiness {
    /// It responds.
    pub database: Database,
    /// It has room for jobs.
    pub disk: Disk,
    /// The service was not asked to stop.
    pub stopping: CancellationToken,
}

/// `/healthz` and `/readyz`.
pub fn router(readiness: Readiness) -> Router {
    Router::new()
        .route("/healthz", get(|| async { "ok\n" }))
        .route("/readyz", get(readyz))
        .with_state(readiness)
}

/// When readiness was last requested.
static ASKED: Mutex<Option<Instant>> = Mutex::new(None);
/// Probes repeat within this time.
const INTERVAL: Duration = Duration::from_secs(30);

/// Whether a monitor, such as a load balancer, uses the readiness of this process.
pub fn is_watched() -> bool {
    let asked = *ASKED.lock().unwrap_or_else(PoisonError::into_inner);
    asked.is_some_and(|asked| asked.elapsed() < INTERVAL)
}

async fn readyz(State(readiness): State<Readiness>) -> Result<String, ApiError> {
    *ASKED.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    if readiness.stopping.is_cancelled() {
        return Err(OperationError::Unavailable("the service stops".to_owned()).into());
    }
    let checked = async {
        readiness.database.check().await?;
        let lost = readiness.database.lost_bundles().await?;
        Ok::<_, StorageError>((readiness.disk.is_low().await, lost))
    };
    let checked = tokio::time::timeout(PATIENCE, checked).await;
    let (is_low, lost) = checked.map_err(|_| {
        OperationError::Unavailable("the database or the disk does not respond".to_owned())
    })??;
    // Existing data can still be read.
    Ok(said(is_low, lost))
}

/// The answer of a process that is ready, with a line for each problem.
fn said(is_low: bool, lost: LostBundleCount) -> String {
    let mut lines = Vec::new();
    if is_low {
        lines.push("ready, but the disk is nearly full: no new jobs start".to_owned());
    }
    if lost.rebuilding > 0 {
        lines.push(format!("ready, but lost bundles are being rebuilt: {}", lost.rebuilding));
    }
    if lost.failed > 0 {
        lines.push(format!("ready, but lost bundles can't be rebuilt: {}", lost.failed));
    }
    if lines.is_empty() {
        lines.push("ready".to_owned());
    }
    lines.join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readiness_names_each_problem() {
        assert_eq!(said(false, LostBundleCount::default()), "ready\n");
        assert_eq!(
            said(true, LostBundleCount { rebuilding: 2, failed: 1 }),
            "ready, but the disk is nearly full: no new jobs start\n\
             ready, but lost bundles are being rebuilt: 2\n\
             ready, but lost bundles can't be rebuilt: 1\n"
        );
    }
}
