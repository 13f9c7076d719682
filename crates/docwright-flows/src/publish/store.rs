//! From a bundle on disk to an object, and to a release that is ready.

use std::{
    fs::File,
    io::{self, Read},
    path::Path,
};

use docwright_domain::export_job::StoredBundle;
use docwright_storage::database::BuildResult;
use sha2::{Digest, Sha256};

use super::{Publisher, build::Bundle, check_out::Files};
use crate::queue::{HeldLease, JobError};

/// Puts a bundle into storage. Each claim of a release has a key of its own, so that the bytes of a
/// key never change, whatever a worker does that lost its lease.
pub(super) async fn store(
    publisher: &Publisher,
    held: &HeldLease,
    bundle: &Bundle,
    files: &Files,
) -> Result<StoredBundle, JobError> {
    held.confirm().await?;
    let key = format!("{}/{}/bundle.tar.gz", held.id(), held.lease().number);
    let (path, objects, stored) = (bundle.path.clone(), publisher.objects.clone(), key.clone());
    let put = move || -> Result<(i64, String), JobError> {
        let measured = measure(&path)?;
        objects.store(&path, &stored)?;
        Ok(measured)
    };
    let measured = tokio::task::spawn_blocking(put).await;
    let (size, sha256) = measured.map_err(|error| JobError::Permanent(error.to_string()))??;
    Ok(StoredBundle { key, size, sha256, commit: files.checkout.commit().map(str::to_owned) })
}

/// Makes the release ready. The bundle of a worker that lost its lease is removed.
pub(super) async fn complete(
    publisher: &Publisher,
    held: &HeldLease,
    bundle: &Bundle,
    stored: &StoredBundle,
) -> Result<(), JobError> {
    let result = BuildResult {
        page_count: bundle.page_count,
        warnings: &bundle.warnings,
        warning_count: bundle.warning_count,
        bundle: stored,
    };
    let now = publisher.clock.now();
    if publisher.database.complete_build(held.lease(), result, now).await? {
        tracing::info!(release = held.id(), pages = bundle.page_count, "release is ready");
        return Ok(());
    }
    publisher.objects.remove(&stored.key)?;
    Err(JobError::Lost)
}

/// Length in bytes and SHA-256 in hex.
fn measure(path: &Path) -> io::Result<(i64, String)> {
    let mut file = File::open(path)?;
    let mut hash = Sha256::new();
    let mut size: i64 = 0;
    let mut buffer = vec![0; 64 * 1024];
    loop {
        let read = file.read(&mut buffer)?;
        if read == 0 {
            return Ok((size, hex::encode(hash.finalize())));
        }
        hash.update(&buffer[..read]);
        size += i64::try_from(read).unwrap_or(0);
    }
}
