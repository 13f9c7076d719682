//! Metrics of the disk of the data folder.

use std::{
    io,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use docwright_jobs::disk::{Space, space};
use prometheus_client::{
    metrics::{family::Family, gauge::Gauge},
    registry::Registry,
};

use super::exposition::Part;

/// A disk that does not respond within this time is left out.
const PATIENCE: Duration = Duration::from_secs(1);

/// Reads the free space on the disk of a folder.
#[derive(Debug)]
pub(super) struct Disk {
    folder: PathBuf,
    /// Families with one gauge, since a gauge alone can't be left out.
    free: Family<[(&'static str, &'static str); 0], Gauge>,
    total: Family<[(&'static str, &'static str); 0], Gauge>,
    /// A read is under way. A hanging disk blocks only one thread.
    busy: Arc<AtomicBool>,
}

impl Disk {
    pub(super) fn new(folder: &Path) -> Self {
        Self {
            folder: folder.to_owned(),
            free: Family::default(),
            total: Family::default(),
            busy: Arc::default(),
        }
    }

    /// Reads the free space again.
    pub(super) async fn read(&self) {
        let found = match self.space().await {
            Some(Ok(space)) => Some(space),
            Some(Err(error)) => {
                tracing::debug!(%error, "free disk space not read");
                None
            }
            None => None,
        };
        for (family, bytes) in [
            (&self.free, found.map(|space| space.free)),
            (&self.total, found.map(|space| space.total)),
        ] {
            match bytes {
                Some(bytes) => {
                    family.get_or_create(&[]).set(i64::try_from(bytes).unwrap_or(i64::MAX));
                }
                None => family.clear(),
            }
        }
    }

    async fn space(&self) -> Option<io::Result<Space>> {
        if self.busy.swap(true, Ordering::AcqRel) {
            return None;
        }
        let (folder, busy) = (self.folder.clone(), Arc::clone(&self.busy));
        let reading = tokio::task::spawn_blocking(move || {
            let space = space(&folder);
            busy.store(false, Ordering::Release);
            space
        });
        tokio::time::timeout(PATIENCE, reading).await.ok()?.ok()
    }
}

impl Part for Disk {
    fn register(&self, registry: &mut Registry) {
        let gauges = [
            ("docwright_disk_free_bytes", "Free bytes on the disk of the data folder", &self.free),
            (
                "docwright_disk_total_bytes",
                "Size in bytes of the disk of the data folder",
                &self.total,
            ),
        ];
        for (name, help, family) in gauges {
            registry.register(name, help, family.clone());
        }
    }
}
