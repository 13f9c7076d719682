//! Bundles whose objects are gone: noticing them, and having them built again.
//!
//! Owns when an object counts as lost: a store that works says that it doesn't have the object, and a row
//! still names it. Rows go before their objects, so such an object is always damage. A store that doesn't
//! answer, or refuses, says nothing.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use docwright_storage::{
    Database, ObjectError, Objects, StorageError,
    database::{Actor, ActorKind, Change},
};
use docwright_types::release::Release;
use serde_json::{Value, json};
use tokio::{sync::Notify, time::timeout};

use crate::clock::Clock;

/// A store that doesn't answer within this time isn't waited for.
const PATIENCE: Duration = Duration::from_secs(5);
/// What readers ask for is looked for in the store this often at most.
const PAUSE: Duration = Duration::from_secs(10);
/// Keys that are remembered for that.
const REMEMBERED: usize = 1_000;
/// Releases that a round of upkeep goes through.
const CHECKED: i64 = 200;
/// Why an export fails whose bundle nothing can build again.
const NO_RELEASE: &str =
    "the bundle is gone from the object store, and its release was removed; start a new export";

/// Looks for objects of bundles, and has those built again that are gone.
#[derive(Debug, Clone)]
pub struct LostBundles {
    database: Database,
    /// `None` where the store isn't open, as in a command.
    objects: Option<Objects>,
    clock: Clock,
    /// Wakes workers of releases.
    wake: Arc<Notify>,
    noticed: Arc<Mutex<HashMap<String, Instant>>>,
}

impl LostBundles {
    /// The bundles of a database in a store; without one, none is lost. `wake` wakes the workers that
    /// build releases.
    pub fn new(
        database: Database,
        objects: Option<Objects>,
        clock: Clock,
        wake: Arc<Notify>,
    ) -> Self {
        Self { database, objects, clock, wake, noticed: Arc::default() }
    }

    /// Whether the object of a bundle is lost. If it is, its release is queued to be built again. Where the
    /// store can't tell, it isn't.
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

    /// Looks for a bundle that a reader could not be served from, in a task of its own. What was looked for
    /// just now is left alone, whoever asks for it.
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

    /// Looks for the next bundles of all. Returns the number of lost ones. Ends early where the store can't
    /// tell: the next round goes on.
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

/// A change that the service makes to a release whose bundle was lost, as the audit log has it.
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
        actor: Actor { kind: ActorKind::Service, id: "docwright".to_owned(), name: String::new() },
        action,
        address: None,
        request_id: release.id.clone(),
        before,
        after,
        at: now,
    }
}
