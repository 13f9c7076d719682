//! Stores a bundle while it is written, signs it, and makes its release ready.
//!
//! The process that builds has no key, so this one signs: it holds back the end of the bundle, and replaces it by
//! one with a signature. The same bundle and key give the same bytes.

use std::io;

use docwright_site::bundle::{BundleError, MAXIMUM_END, Signable};
use docwright_storage::{Keyring, ObjectError, database::BuildResult};
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
    let key = key_of(held);
    let mut upload = publisher.objects.upload(&key).await?;
    let mut hash = Sha256::new();
    let (mut size, mut end) = (0, HeldBack::default());
    while bundle.read(&mut end.0).await? > 0 {
        let passed = end.passed();
        hash.update(passed);
        size += passed.len();
        upload.write(passed).await?;
        end.remove_passed();
    }
    if end.0.is_empty() {
        return Err(JobError::Permanent("the build wrote no bundle".to_owned()));
    }
    let (file, keyring) = (bundle.file(), publisher.repositories.keyring.clone());
    let signed = move || end.signed(&file, size as u64, &keyring);
    let end = tokio::task::spawn_blocking(signed).await.map_err(io::Error::other)??;
    hash.update(&end);
    size += end.len();
    upload.write(&end).await?;
    held.confirm().await?;
    upload.finish().await?;
    let sha256 = hex::encode(hash.finalize());
    let size = i64::try_from(size).unwrap_or(i64::MAX);
    Ok(StoredBundle { key, size, sha256, commit: files.checkout.commit().map(str::to_owned) })
}

/// The key of the bundle of a claim.
fn key_of(held: &HeldLease) -> String {
    format!("{}/{}/bundle.tar.gz", held.id(), held.lease().number)
}

/// Removes the bundle of a claim whose worker lost its lease: the worker that has it now writes its own.
pub(super) async fn remove_lost(
    publisher: &Publisher,
    held: &HeldLease,
) -> Result<(), ObjectError> {
    publisher.objects.remove(&key_of(held)).await
}

/// The last bytes of a bundle that grows, and those that were read since.
#[derive(Debug, Default)]
struct HeldBack(Vec<u8>);

impl HeldBack {
    /// The bytes that can't be among the last ones.
    fn passed(&self) -> &[u8] {
        let held = usize::try_from(MAXIMUM_END).unwrap_or(usize::MAX);
        &self.0[..self.0.len().saturating_sub(held)]
    }

    fn remove_passed(&mut self) {
        self.0.drain(..self.passed().len());
    }

    /// The signed end of a bundle: the held bytes, which follow `start` other ones, up to the end of its manifest, then
    /// the signature. The child that wrote the bundle can be hostile, so nothing in it is trusted.
    fn signed(
        mut self,
        bundle: &std::fs::File,
        start: u64,
        keyring: &Keyring,
    ) -> Result<Vec<u8>, JobError> {
        let wrong = |error: BundleError| {
            JobError::Permanent(format!("the build wrote no valid bundle: {error}"))
        };
        let signable = Signable::read(bundle).map_err(wrong)?;
        let kept = signable.end.checked_sub(start).and_then(|kept| usize::try_from(kept).ok());
        let kept = kept.filter(|kept| *kept <= self.0.len()).ok_or_else(|| {
            JobError::Permanent("the build wrote no valid bundle: something follows it".to_owned())
        })?;
        self.0.truncate(kept);
        let signature = keyring.sign_bundle(&signable.manifest.0)?;
        self.0.extend(signable.signed_end(&signature)?);
        Ok(self.0)
    }
}

/// Makes the release ready.
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
    if let Some(check) = &site.questions {
        publisher.database.record_question_check(held.lease(), check).await?;
    }
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
    if !database.complete_build(held.lease(), result, now).await? {
        return Err(JobError::Lost);
    }
    tracing::info!(pages = site.page_count, "release ready");
    if held.lease().number > 1
        && let Err(error) = remove_others(publisher, held, stored).await
    {
        tracing::warn!(%error, "bundles of earlier claims kept");
    }
    Ok(())
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

#[cfg(test)]
mod tests {
    use std::fs::{self, File};

    use docwright_site::{
        bundle::{self, About, BundleWriter, Limits},
        output::Output,
    };
    use docwright_storage::Keyring;

    use super::{HeldBack, JobError};

    fn bundle() -> Vec<u8> {
        let writer = BundleWriter::new(tempfile::tempfile().unwrap());
        let noise: Vec<u8> =
            (0..20_000_u32).flat_map(|n| n.wrapping_pow(5).to_le_bytes()).collect();
        writer.write("a.bin", &noise).unwrap();
        writer.write("index.html", b"<p>Home</p>").unwrap();
        let mut bundle = Vec::new();
        writer.finish(About::default(), &mut bundle).unwrap();
        bundle
    }

    fn sign(bytes: &[u8], piece: usize) -> Result<Vec<u8>, JobError> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bundle");
        fs::write(&path, bytes).unwrap();
        let (mut end, mut signed) = (HeldBack::default(), Vec::new());
        for piece in bytes.chunks(piece) {
            end.0.extend(piece);
            signed.extend(end.passed());
            end.remove_passed();
        }
        let keyring = Keyring::parse(&"0a".repeat(32)).unwrap();
        signed.extend(end.signed(&File::open(&path)?, signed.len() as u64, &keyring)?);
        Ok(signed)
    }

    #[test]
    fn growing_bundle_gets_the_same_signed_end() {
        let bytes = bundle();
        let signed = sign(&bytes, bytes.len()).unwrap();
        for piece in [1, 100, 4096, 5000] {
            assert!(sign(&bytes, piece).unwrap() == signed, "pieces of {piece} bytes");
        }
        // A signature of the child is replaced.
        assert!(sign(&signed, 1000).unwrap() == signed);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bundle");
        fs::write(&path, &signed).unwrap();
        bundle::verify(&path, Limits::default()).unwrap();
        let found = bundle::signature(&File::open(&path).unwrap()).unwrap().unwrap();
        let key = Keyring::parse(&"0a".repeat(32)).unwrap().bundle_key().unwrap();
        assert!(key.has_signed(&found.manifest.0, &found.bytes));
    }

    #[test]
    fn file_that_is_no_bundle_is_not_signed() {
        let bytes = bundle();
        let footer = &bytes[bytes.len() - 42..];
        let filled = [&bytes[..bytes.len() - 42], &[0; 5000], footer].concat();
        for wrong in [&b"short"[..], &bytes[..bytes.len() - 1], &bytes[1..], &filled] {
            assert!(matches!(sign(wrong, 1000), Err(JobError::Permanent(_))));
        }
    }
}
