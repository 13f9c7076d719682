//! Synchronizes the previews of a project with the pull requests that its host reports.

use std::collections::HashMap;

use docwright_types::{
    preview::{Preview, PreviewAddresses, PreviewEnd, PreviewSource, PreviewState},
    timestamp::Timestamp,
};
use sqlx::{Any, AssertSqlSafe, Transaction};

use super::{COLUMNS, NewPreview, end::close, open, read, refresh, request_release};
use crate::{
    StorageError,
    database::{Database, sites::lock_project},
};

/// Open previews of pull requests that a project can have, and the same number of branches. The newest win.
pub(super) const MAXIMUM_PREVIEWS: usize = 100;

/// A pull request that is open.
#[derive(Debug, Clone)]
pub struct WantedPreview {
    /// Its number.
    pub pull_request: i64,
    /// Its title.
    pub title: String,
    /// The branch of the pull request, as people write it.
    pub branch: String,
    /// The base branch.
    pub base: String,
    /// The newest commit.
    pub head: String,
    /// The git ref of that commit.
    pub source: PreviewSource,
}

/// What was done, in numbers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PreviewSync {
    /// Previews that were opened.
    pub opened: usize,
    /// Previews that are rebuilt.
    pub rebuilt: usize,
    /// Previews that were closed.
    pub closed: usize,
}

impl WantedPreview {
    fn as_new<'a>(&'a self, project_id: &'a str) -> NewPreview<'a> {
        NewPreview {
            project_id,
            pull_request: Some(self.pull_request),
            title: Some(&self.title),
            branch: &self.branch,
            base: &self.base,
            source: &self.source,
            head: Some(&self.head),
        }
    }
}

impl Database {
    /// Opens a preview for each open pull request without one, requests a release of each with a new head, and
    /// closes those whose pull request is no longer listed. It is idempotent. A preview that was closed by someone
    /// or for inactivity stays closed until the next push.
    ///
    /// `listed_at` is when the pull requests were listed: a preview created since then stays open.
    pub async fn sync_previews(
        &self,
        project_id: &str,
        mut wanted: Vec<WantedPreview>,
        addresses: &PreviewAddresses,
        (listed_at, now): (Timestamp, Timestamp),
    ) -> Result<PreviewSync, StorageError> {
        let mut transaction = self.begin().await?;
        lock_project(&mut transaction, project_id).await?;
        let mut known = known(&mut transaction, project_id).await?;
        wanted.sort_by_key(|each| std::cmp::Reverse(each.pull_request));
        let beyond = wanted.split_off(wanted.len().min(MAXIMUM_PREVIEWS));
        let mut done = PreviewSync::default();
        for wanted in wanted {
            let before = known.remove(&wanted.pull_request);
            let site_id = match before {
                None => {
                    done.opened += 1;
                    open(&mut transaction, &wanted.as_new(project_id), addresses, now).await?
                }
                Some(before) => {
                    let has_moved = before.head.as_deref() != Some(&wanted.head)
                        || before.source != wanted.source;
                    let opens =
                        before.state == PreviewState::Closed && (has_moved || reopens(&before));
                    if !has_moved && !opens {
                        rename(&mut transaction, &before, &wanted).await?;
                        continue;
                    }
                    let count = if opens { &mut done.opened } else { &mut done.rebuilt };
                    *count += 1;
                    refresh(&mut transaction, &before.site_id, &wanted.as_new(project_id), now)
                        .await?;
                    before.site_id
                }
            };
            request_release(&mut transaction, (&site_id, None), now).await?;
        }
        for (number, before) in known {
            if before.created_at >= listed_at {
                continue;
            }
            let end = if beyond.iter().any(|each| each.pull_request == number) {
                PreviewEnd::Newer
            } else {
                PreviewEnd::PullRequest
            };
            done.closed += usize::from(close(&mut transaction, &before.id, end, now).await?);
        }
        self.commit_serving(transaction, done != PreviewSync::default()).await?;
        Ok(done)
    }
}

/// Whether a closed preview opens again without a push, such as when its pull request is reopened.
fn reopens(preview: &Preview) -> bool {
    matches!(preview.end, Some(PreviewEnd::PullRequest | PreviewEnd::Newer))
}

/// A new title or another base needs no release.
async fn rename(
    transaction: &mut Transaction<'_, Any>,
    before: &Preview,
    wanted: &WantedPreview,
) -> Result<(), StorageError> {
    if before.title.as_deref() == Some(&wanted.title) && before.base == wanted.base {
        return Ok(());
    }
    let query = sqlx::query("UPDATE previews SET title = $1, base = $2 WHERE id = $3");
    let query = query.bind(&wanted.title).bind(&wanted.base).bind(&before.id);
    query.execute(&mut **transaction).await?;
    Ok(())
}

/// The previews of pull requests that a project has, by number.
async fn known(
    transaction: &mut Transaction<'_, Any>,
    project_id: &str,
) -> Result<HashMap<i64, Preview>, StorageError> {
    let sql = format!(
        "SELECT {COLUMNS} FROM previews WHERE project_id = $1 AND pull_request IS NOT NULL"
    );
    let rows = sqlx::query(AssertSqlSafe(sql)).bind(project_id).fetch_all(&mut **transaction);
    let mut known = HashMap::new();
    for row in rows.await? {
        let preview = read(&row)?;
        if let Some(number) = preview.pull_request {
            known.insert(number, preview);
        }
    }
    Ok(known)
}
