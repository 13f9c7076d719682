//! Stores a bundle while it is written, and makes its release ready.

use docwright_storage::{ObjectError, database::BuildResult};
use docwright_types::{export_job::StoredBundle, release::Release};
use serde_json::json;
use sha2::{Digest, Sha256};

use super::{Publisher, build::Site, check_out::Files, growing::Reading};
use crate::{
    lost_bundles::change_of,
    queue::{HeldLease, JobError},
};

/// Stores a bundle while it is written. Each claim of a release has its own key, so the bytes of a key never
/// change, whatever a worker without a lease does. The object exists once the bundle is complete and the release
/// still belongs to this worker.
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

/// Makes the release ready. Removes the bundle if the worker lost its lease.
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
    // Under the same lease, before the release is ready, so that its report has them.
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

/// Removes bundles of earlier claims whose workers were killed.
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
