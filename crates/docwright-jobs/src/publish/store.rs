//! From a bundle that is being written to an object, and to a release that is ready.

use docwright_storage::{ObjectError, database::BuildResult};
use docwright_types::{export_job::StoredBundle, release::Release};
use serde_json::json;
use sha2::{Digest, Sha256};

use super::{Publisher, build::Site, check_out::Files, growing::Reading};
use crate::{
    lost_bundles::change_of,
    queue::{HeldLease, JobError},
};

/// Puts a bundle into storage while it is written. Each claim of a release has a key of its own, so
/// that the bytes of a key never change, whatever a worker does that lost its lease. The object is
/// there when the bundle is complete and the release is still this worker's.
pub(super) async fn store(
    publisher: &Publisher,
    held: &HeldLease,
    mut bundle: Reading,
    files: &Files,
) -> Result<StoredBundle, JobError> {
    let key = format!("{}/{}/bundle.tar.gz", held.id(), held.lease().number);
    let mut upload = publisher.objects.upload(&key).await?;
    let mut hash = Sha256::new();
    let mut size: i64 = 0;
    while let Some(piece) = bundle.next().await? {
        hash.update(piece);
        size += i64::try_from(piece.len()).unwrap_or(0);
        upload.write(piece).await?;
    }
    if size == 0 {
        return Err(JobError::Permanent("the build wrote no bundle".to_owned()));
    }
    held.confirm().await?;
    upload.finish().await?;
    let sha256 = hex::encode(hash.finalize());
    Ok(StoredBundle { key, size, sha256, commit: files.checkout.commit().map(str::to_owned) })
}

/// Makes the release ready. The bundle of a worker that lost its lease is removed.
pub(super) async fn complete(
    publisher: &Publisher,
    held: &HeldLease,
    (release, site): (&Release, &Site),
    stored: &StoredBundle,
) -> Result<(), JobError> {
    let result = BuildResult {
        page_count: site.page_count,
        warnings: &site.warnings,
        warning_count: site.warning_count,
        bundle: stored,
    };
    let now = publisher.clock.now();
    // Under the same lease; before the release is ready, so that its report has them.
    publisher.database.record_diagnostics(held.lease(), &site.diagnostics).await?;
    if let Some(configuration) = &site.configuration {
        publisher.database.record_configuration(held.lease(), configuration).await?;
    }
    let database = match release.bundle_lost_at {
        Some(_) => {
            let after = json!({ "sizeBytes": stored.size, "sha256": stored.sha256 });
            let change = change_of(release, "release.rebuild", Some(after), now);
            publisher.database.recording(change)
        }
        None => publisher.database.clone(),
    };
    if database.complete_build(held.lease(), result, now).await? {
        tracing::info!(pages = site.page_count, "release ready");
        if held.lease().number > 1
            && let Err(error) = remove_others(publisher, held, stored).await
        {
            tracing::warn!(%error, "bundles of earlier claims kept");
        }
        return Ok(());
    }
    publisher.objects.remove(&stored.key).await?;
    Err(JobError::Lost)
}

/// Removes what earlier claims stored before their workers were killed.
async fn remove_others(
    publisher: &Publisher,
    held: &HeldLease,
    stored: &StoredBundle,
) -> Result<(), ObjectError> {
    for key in publisher.objects.list(held.id()).await? {
        if key != stored.key {
            publisher.objects.remove(&key).await?;
        }
    }
    Ok(())
}
