//! The golden questions of a pull request: they are asked of the preview, and of the release that it is compared
//! with. Errors fail no build: the questions are then asked of the preview alone.

use std::path::PathBuf;

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
    let before = before(publisher, preview, bundle).await;
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
    bundle: &Growing,
) -> Result<Option<PathBuf>, JobError> {
    let database = &publisher.database;
    let Some(compared) = database.base_of_preview(&preview.id).await? else { return Ok(None) };
    match database.release(&compared).await?.and_then(|release| release.bundle) {
        Some(stored) => fetch(publisher, &stored, bundle).await,
        None => Ok(None),
    }
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
