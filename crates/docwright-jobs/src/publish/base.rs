//! The release that a preview is compared with.
//!
//! That is the newest published release that the commit of the preview is based on, so that later changes of the
//! target branch don't count as the pull request's own. It is found anew for each commit, and stays until the next
//! one. Errors fail no build: the preview is then compared with the active release.

use std::collections::BTreeSet;

use docwright_types::preview::Preview;

use super::{PublishTarget, Publisher, check_out::Files};
use crate::queue::{HeldLease, JobError};

/// Records the release that the files of a preview are based on.
pub(super) async fn record_base(
    publisher: &Publisher,
    held: &HeldLease,
    wanted: &PublishTarget,
    files: &Files,
) -> Result<(), JobError> {
    let Some(preview) = &wanted.preview else { return Ok(()) };
    let base = find_base(publisher, preview, files).await.unwrap_or_else(|error| {
        tracing::warn!(%error, preview = %preview.id, "base of a pull request not found");
        None
    });
    Ok(publisher.database.record_base_of_preview(held.lease(), base.as_deref()).await?)
}

async fn find_base(
    publisher: &Publisher,
    preview: &Preview,
    files: &Files,
) -> Result<Option<String>, JobError> {
    let releases = publisher.database.bases_of_preview(&preview.id).await?;
    let commits: BTreeSet<String> = releases.iter().map(|(commit, _)| commit.clone()).collect();
    if commits.is_empty() {
        return Ok(None);
    }
    let checkouts = &publisher.repositories.checkouts;
    let commit = checkouts.newest_ancestor(&files.checkout, &commits).await?;
    let is_base = |release: &(String, String)| commit.as_ref() == Some(&release.0);
    Ok(releases.into_iter().find(is_base).map(|(_, id)| id))
}
