//! What was said of a preview on its pull request last, so that each change is said once.
//!
//! Whoever is about to say something takes the row for a minute, by the database's clock. Who is killed
//! meanwhile has said it or has not; it is said again, in the same comment.

use docwright_domain::{preview::Preview, timestamp::MINUTE};
use sqlx::{AssertSqlSafe, Row};

use super::{COLUMNS, read};
use crate::{StorageError, database::Database};

/// A preview of which something is to be said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreviewReport {
    /// The preview.
    pub preview: Preview,
    /// Id of its newest release.
    pub release_id: Option<String>,
    /// What stands for its present state. Two that are equal need one comment.
    pub state: String,
}

/// What is to be said of a preview: that it is closed, or how its newest release stands.
const STATE: &str = "CASE WHEN previews.state = 'closed' THEN 'closed' \
     WHEN newest.status IN ('queued', 'building') THEN newest.id || ' building' \
     ELSE newest.id || ' ' || newest.status END";

impl Database {
    /// A preview of whose state nothing was said yet, for the caller to say within a minute.
    pub async fn take_preview_report(&self) -> Result<Option<PreviewReport>, StorageError> {
        let clock = self.clock();
        let sql = format!(
            "SELECT {COLUMNS}, newest.id AS newest_id, {STATE} AS report FROM previews \
             LEFT JOIN releases AS newest ON newest.id = (SELECT MAX(each.id) FROM releases AS each \
             WHERE each.site_id = previews.site_id) \
             WHERE pull_request IS NOT NULL AND report_after <= {clock} AND {STATE} <> reported \
             AND (previews.state = 'open' OR comment_id IS NOT NULL) ORDER BY report_after, previews.id LIMIT 1"
        );
        let Some(row) = sqlx::query(AssertSqlSafe(sql)).fetch_optional(&self.pool).await? else {
            return Ok(None);
        };
        let preview = read(&row)?;
        let sql = format!(
            "UPDATE previews SET report_after = {clock} + {MINUTE} WHERE id = $1 AND report_after <= {clock}"
        );
        let taken = sqlx::query(AssertSqlSafe(sql)).bind(&preview.id).execute(&self.pool).await?;
        if taken.rows_affected() == 0 {
            return Ok(None);
        }
        Ok(Some(PreviewReport {
            release_id: row.try_get("newest_id")?,
            state: row.try_get("report")?,
            preview,
        }))
    }

    /// Records what was said of a preview, and in which comment.
    pub async fn record_preview_report(
        &self,
        report: &PreviewReport,
        comment_id: Option<&str>,
    ) -> Result<(), StorageError> {
        let query = sqlx::query(
            "UPDATE previews SET reported = $1, comment_id = COALESCE($2, comment_id), report_after = 0 WHERE id = $3",
        );
        let query = query.bind(&report.state).bind(comment_id).bind(&report.preview.id);
        query.execute(&self.pool).await?;
        Ok(())
    }
}
