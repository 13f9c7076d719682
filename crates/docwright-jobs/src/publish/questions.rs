//! The golden questions of a pull request: which site they are asked of besides the preview.
//!
//! That is the newest published release that the pull request's commit is based on, so that later changes of the
//! base branch don't count as the pull request's own. Without such a release it is the one that the preview is
//! compared with. Errors fail no build: the questions are then asked of the preview alone.

use std::{collections::BTreeSet, path::PathBuf};

use docwright_site::answer::golden::QUESTIONS_FILE;
use docwright_types::{export_job::StoredBundle, preview::Preview};

use super::{PublishTarget, Publisher, check_out::Files, growing::Growing};
use crate::{child::work::QuestionsToAsk, queue::JobError};

/// Largest bundle that is fetched from another host to be asked. Bytes.
const MAXIMUM_FETCHED: i64 = 1024 * 1024 * 1024;

/// How the golden questions of a build are asked; `None` for a build that isn't a preview's, and without a file.
pub(super) async fn questions(
    publisher: &Publisher,
    wanted: &PublishTarget,
    files: &Files,
    bundle: &Growing,
) -> Option<QuestionsToAsk> {
    let preview = wanted.preview.as_ref()?;
    if !files.root.join(QUESTIONS_FILE).is_file() {
        return None;
    }
    let before = before(publisher, preview, files, bundle).await;
    let before = before.unwrap_or_else(|error| {
        tracing::warn!(%error, "golden questions not compared");
        None
    });
    Some(QuestionsToAsk { before })
}

/// The bundle of the site before the change, on this machine.
async fn before(
    publisher: &Publisher,
    preview: &Preview,
    files: &Files,
    bundle: &Growing,
) -> Result<Option<PathBuf>, JobError> {
    let database = &publisher.database;
    let Some(compared) = database.base_of_preview(&preview.id).await? else { return Ok(None) };
    let Some(compared) = database.release(&compared).await? else { return Ok(None) };
    let based_on = published_ancestor(publisher, &compared.site_id, files).await;
    let release = match based_on {
        Some(id) if id != compared.id => database.release(&id).await?.unwrap_or(compared),
        _ => compared,
    };
    match release.bundle {
        Some(stored) => fetch(publisher, &stored, bundle).await,
        None => Ok(None),
    }
}

/// The newest published release that the files are based on.
async fn published_ancestor(publisher: &Publisher, site: &str, files: &Files) -> Option<String> {
    let releases = publisher.database.comparable_releases(site).await.map_err(log).ok()?;
    let commits: BTreeSet<String> = releases.iter().map(|(commit, _)| commit.clone()).collect();
    let checkouts = &publisher.repositories.checkouts;
    let commit = checkouts.newest_ancestor(&files.checkout, &commits).await.map_err(log).ok()??;
    releases.into_iter().find(|(each, _)| *each == commit).map(|(_, id)| id)
}

fn log(error: impl std::fmt::Display) {
    tracing::warn!(%error, "base of a pull request not found");
}

async fn fetch(
    publisher: &Publisher,
    stored: &StoredBundle,
    bundle: &Growing,
) -> Result<Option<PathBuf>, JobError> {
    if let Some(path) = publisher.objects.local_path(&stored.key) {
        return Ok(Some(path));
    }
    if stored.size > MAXIMUM_FETCHED {
        return Ok(None);
    }
    let path = bundle.folder().join("before.tar.gz");
    publisher.objects.download(&stored.key, &path).await?;
    Ok(Some(path))
}
