//! Checks out the files of a release whose bundle was lost: those of its own commit, not the newest.

use docwright_repository::checkout::{CheckoutError, Revision};

use super::{
    PublishTarget, Publisher,
    check_out::{Files, repository_of},
};
use crate::{
    queue::{HeldLease, JobError, Step},
    repositories::docs_root_at,
};

/// Checks out the release's commit. The recorded data of the commit stays unchanged.
pub(super) async fn begin_again(
    publisher: &Publisher,
    held: &HeldLease,
    wanted: &PublishTarget,
) -> Result<Files, JobError> {
    let options = &wanted.options;
    publisher.database.record_options(held.lease(), &options.text()).await?;
    let Some(commit) = wanted.release.commit.sha.as_deref() else {
        return Err(lost("the release is of a folder without a commit"));
    };
    tracing::Span::current().record("commit", commit);
    let preview = wanted.preview.as_ref();
    let repository = repository_of(&publisher.repositories, &wanted.project, preview).await?;
    let revision = Revision::Commit(commit);
    let checkout =
        publisher.repositories.check_out(&repository, &options.docs_path, revision).await;
    let checkout = checkout.map_err(|error| gone(commit, &error))?;
    if checkout.commit() != Some(commit) {
        // A folder has the files of one commit only.
        return Err(lost(&format!("the repository's folder isn't at commit {commit} any more")));
    }
    held.reached(Step::CheckedOut);
    let (root, docs) = docs_root_at(&checkout, &options.docs_path)?;
    let branch = wanted.release.commit.branch.clone();
    Ok(Files { repository, checkout, root, docs, branch, no_root: None })
}

fn gone(commit: &str, error: &CheckoutError) -> JobError {
    if error.is_transient() {
        return JobError::Transient(format!("the repository can't be read: {error}"));
    }
    lost(&format!("commit {commit} can't be read: {error}"))
}

/// The bundle stays lost; the sentence gives the reason.
fn lost(why: &str) -> JobError {
    JobError::Permanent(format!(
        "the bundle is gone from the object store and can't be rebuilt: {why}"
    ))
}
