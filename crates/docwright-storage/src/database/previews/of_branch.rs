//! Previews of branches, requested through the API.

use docwright_types::{
    preview::{Preview, PreviewAddresses, PreviewEnd, PreviewSource},
    timestamp::Timestamp,
};
use sqlx::{Any, AssertSqlSafe, Row, Transaction};

use super::{
    COLUMNS, NewPreview, end::close, open, read, refresh, request_release, sync::MAXIMUM_PREVIEWS,
};
use crate::{
    StorageError,
    database::{
        Database, Limited, RequestLimit,
        sites::{Requested, UpdateStart},
    },
};

/// A branch to preview.
#[derive(Debug, Clone, Copy)]
pub struct PreviewOfBranch<'a> {
    /// The project.
    pub project_id: &'a str,
    /// The branch.
    pub branch: &'a str,
    /// The requesting organization, its idempotency key, and a fingerprint of the request.
    pub idempotency: Option<(&'a str, &'a str, &'a str)>,
}

/// Result of requesting a preview.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StartedPreview {
    /// A release of it is queued: the id of the update, and the preview.
    Started(String, Box<Preview>),
    /// The idempotency key was used for another request.
    Conflict,
}

impl Database {
    /// Requests a release of a branch's preview, which is opened if there is none. [`RequestLimit::PREVIEWS`]
    /// limits the requests. Refused and repeated requests use nothing up.
    pub async fn start_preview(
        &self,
        asked: PreviewOfBranch<'_>,
        addresses: &PreviewAddresses,
        now: Timestamp,
    ) -> Result<Limited<StartedPreview>, StorageError> {
        let PreviewOfBranch { project_id, branch, idempotency } = asked;
        let limit = RequestLimit::PREVIEWS;
        let started = self.begin_update(project_id, idempotency, now).await?;
        let (mut transaction, update) = match started {
            UpdateStart::Anew(transaction, update) => (transaction, update),
            UpdateStart::Before(requested) => {
                let mut transaction = self.begin().await?;
                let allowance = self.allowance(&mut transaction, project_id, limit).await?;
                let started = before(&mut transaction, requested).await?;
                return Ok(Limited::Taken(started, allowance));
            }
        };
        self.require_preview_storage_in(&mut *transaction, project_id).await?;
        let allowance = match self.count_request(&mut transaction, project_id, limit).await? {
            Limited::Taken((), allowance) => allowance,
            Limited::Refused(allowance) => return Ok(Limited::Refused(allowance)),
        };
        let source = PreviewSource { git_ref: branch.to_owned(), fork: None, is_fork: false };
        let new = NewPreview {
            project_id,
            pull_request: None,
            title: None,
            branch,
            base: "",
            source: &source,
            head: None,
        };
        let sql = "SELECT site_id FROM previews WHERE project_id = $1 AND pull_request IS NULL AND branch = $2";
        let known = sqlx::query(sql).bind(project_id).bind(branch);
        let site_id = match known.fetch_optional(&mut *transaction).await? {
            Some(row) => {
                let site_id: String = row.try_get("site_id")?;
                refresh(&mut transaction, &site_id, &new, now).await?;
                site_id
            }
            None => open(&mut transaction, &new, addresses, now).await?,
        };
        request_release(&mut transaction, (&site_id, Some(&update)), now).await?;
        close_oldest(&mut transaction, project_id, now).await?;
        let preview = of_update(&mut transaction, &update).await?;
        let preview = preview.ok_or_else(|| StorageError::Value("a preview is gone".to_owned()))?;
        self.record_change(&mut transaction, &preview.id).await?;
        self.commit_serving(transaction, true).await?;
        Ok(Limited::Taken(StartedPreview::Started(update, Box::new(preview)), allowance))
    }
}

/// The answer to an earlier request.
async fn before(
    transaction: &mut Transaction<'_, Any>,
    requested: Requested,
) -> Result<StartedPreview, StorageError> {
    let Requested::Update(update) = requested else { return Ok(StartedPreview::Conflict) };
    // A preview that was removed since can't be returned again.
    let preview = of_update(transaction, &update).await?;
    Ok(preview.map_or(StartedPreview::Conflict, |preview| {
        StartedPreview::Started(update, Box::new(preview))
    }))
}

async fn of_update(
    transaction: &mut Transaction<'_, Any>,
    update: &str,
) -> Result<Option<Preview>, StorageError> {
    let sql = format!(
        "SELECT {COLUMNS} FROM previews WHERE site_id = (SELECT site_id FROM releases WHERE update_id = $1 LIMIT 1)"
    );
    let row =
        sqlx::query(AssertSqlSafe(sql)).bind(update).fetch_optional(&mut **transaction).await?;
    row.as_ref().map(read).transpose()
}

/// Closes the previews of branches over the limit of a project.
async fn close_oldest(
    transaction: &mut Transaction<'_, Any>,
    project_id: &str,
    now: Timestamp,
) -> Result<(), StorageError> {
    let sql = format!(
        "SELECT id FROM previews WHERE project_id = $1 AND pull_request IS NULL AND state = 'open' \
         ORDER BY changed_at DESC, id DESC LIMIT 100 OFFSET {MAXIMUM_PREVIEWS}"
    );
    let rows = sqlx::query(AssertSqlSafe(sql)).bind(project_id).fetch_all(&mut **transaction);
    for row in rows.await? {
        let id: String = row.try_get("id")?;
        close(transaction, &id, PreviewEnd::Newer, now).await?;
    }
    Ok(())
}
