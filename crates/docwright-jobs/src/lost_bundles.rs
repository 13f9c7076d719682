//! Detects bundles whose objects are gone, and queues them to be rebuilt.
//!
//! Owns when an object counts as lost: a working store reports that it doesn't have the object, and a row still
//! names it. Rows are removed before their objects, so such an object is always damage. A store that doesn't
//! respond, or refuses, proves nothing.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use docwright_storage::{
    Database, ObjectError, Objects, StorageError,
    database::{Actor, Change},
};
use docwright_types::release::Release;
use serde_json::{Value, json};
use tokio::{sync::Notify, time::timeout};

use crate::clock::Clock;

/// Time limit for the store.
const PATIENCE: Duration = Duration::from_secs(5);
/// Shortest time between two checks for a bundle that readers request.
const PAUSE: Duration = Duration::from_secs(10);
/// Keys that are remembered for this limit.
const REMEMBERED: usize = 1_000;
/// Releases that a round of upkeep checks.
const CHECKED: i64 = 200;
/// Error of an export whose bundle can't be rebuilt.
const NO_RELEASE: &str =
    "the bundle is gone from the object store, and its release was removed; start a new export";

/// Checks objects of bundles, and queues missing ones to be rebuilt.
#[derive(Debug, Clone)]
pub struct LostBundles {
    database: Database,
    /// `None` if the store isn't open, as in a command.
    objects: Option<Objects>,
    clock: Clock,
    /// Wakes workers of releases.
    wake: Arc<Notify>,
    noticed: Arc<Mutex<HashMap<String, Instant>>>,
}

impl LostBundles {
    /// The bundles of a database in a store; without a store, none is lost. `wake` wakes the workers that build
    /// releases.
    pub fn new(
        database: Database,
        objects: Option<Objects>,
        clock: Clock,
        wake: Arc<Notify>,
    ) -> Self {
        Self { database, objects, clock, wake, noticed: Arc::default() }
    }

    /// Whether the object of a bundle is lost. If so, its release is queued to be rebuilt. If the store can't
    /// tell, it isn't lost.
    pub async fn is_lost(&self, key: &str) -> Result<bool, StorageError> {
        let Some(objects) = &self.objects else { return Ok(false) };
        match timeout(PATIENCE, objects.is_gone(key)).await {
            Ok(Ok(true)) => self.record(key).await,
            Ok(Ok(false)) => Ok(false),
            Ok(Err(error)) => {
                tracing::warn!(key, %error, "object storage didn't find out if it has a bundle");
                Ok(false)
            }
            Err(_) => {
                tracing::warn!(key, "object storage didn't say if it has a bundle");
                Ok(false)
            }
        }
    }

    /// Checks a bundle that a reader could not be served from, in a separate task. Recently checked bundles are
    /// skipped.
    pub fn notice(&self, key: &str) {
        let mut noticed = self.noticed.lock().unwrap_or_else(PoisonError::into_inner);
        noticed.retain(|_, at| at.elapsed() < PAUSE);
        if noticed.contains_key(key) || noticed.len() >= REMEMBERED {
            return;
        }
        noticed.insert(key.to_owned(), Instant::now());
        drop(noticed);
        let (bundles, key) = (self.clone(), key.to_owned());
        tokio::spawn(async move {
            if let Err(error) = bundles.is_lost(&key).await {
                tracing::warn!(key, %error, "lost bundle not recorded; retrying");
            }
        });
    }

    /// Checks the next bundles of all. Returns the number of lost ones. Ends early if the store can't tell: the
    /// next round continues.
    pub async fn check_next(&self) -> Result<u64, StorageError> {
        let Some(objects) = &self.objects else { return Ok(0) };
        let mut lost = 0;
        for key in self.database.next_bundles_to_check(CHECKED).await? {
            match timeout(PATIENCE, objects.is_gone(&key)).await {
                Ok(Ok(true)) => lost += u64::from(self.record(&key).await?),
                Ok(Ok(false)) => {}
                Ok(Err(error)) => return Err(error.into()),
                Err(_) => {
                    return Err(ObjectError::Unavailable("it is slow".to_owned()).into());
                }
            }
        }
        Ok(lost)
    }

    /// Queues the releases of a lost bundle. Returns whether any row needs it.
    async fn record(&self, key: &str) -> Result<bool, StorageError> {
        let now = self.clock.now();
        for release in self.database.releases_of_bundle(key).await? {
            let change = change_of(&release, "release.bundle_lost", None, now);
            if self.database.recording(change).record_lost_bundle(&release.id, key, now).await? {
                let Release { id, site_id, .. } = &release;
                tracing::error!(
                    release = id,
                    site = site_id,
                    key,
                    "bundle lost from object storage; release queued again"
                );
                self.wake.notify_one();
            }
        }
        let failed = self.database.fail_exports_of_bundle(key, NO_RELEASE, now).await?;
        if failed > 0 {
            tracing::error!(key, failed, "bundle lost from object storage; exports failed");
        }
        Ok(failed > 0 || self.database.is_being_rebuilt(key).await?)
    }
}

/// The audit entry of a change by the service to a release with a lost bundle.
pub(crate) fn change_of(
    release: &Release,
    action: &'static str,
    after: Option<Value>,
    now: docwright_types::timestamp::Timestamp,
) -> Change {
    let bundle = release.bundle.as_ref();
    let before = bundle.map(|bundle| json!({ "sizeBytes": bundle.size, "sha256": bundle.sha256 }));
    Change {
        organization_id: Some(release.organization_id.clone()),
        actor: Actor::service(),
        action,
        address: None,
        request_id: release.id.clone(),
        before,
        after,
        at: now,
    }
}
