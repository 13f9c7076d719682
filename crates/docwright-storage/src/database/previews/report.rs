//! What was said of a preview on its pull request last, so that each change is said once.
//!
//! Whoever is about to say something takes the row for a minute, by the database's clock. Who is killed
//! meanwhile has said it or has not; it is said again, in the same comment. One is under way for each
//! organization, so that a host that is slow keeps no other organization waiting.

use docwright_types::{
    preview::Preview,
    timestamp::{MINUTE, Timestamp},
};
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
    /// A fingerprint of its present state. Two that are equal need one comment.
    pub state: String,
    /// How often it could not be said, in a row.
    pub failures: i64,
}

/// What is to be said of a preview: that it is closed, or how its newest release stands.
const STATE: &str = "CASE WHEN previews.state = 'closed' THEN 'closed' \
     WHEN newest.status IN ('queued', 'building') THEN newest.id || ' building' \
     ELSE newest.id || ' ' || newest.status END";

/// Those among all previews of which something can be to be said: most are closed, and that was said. An index
/// finds them, which it can't by what is different.
const UNSAID: &str = "(previews.state = 'open' OR (previews.state = 'closed' AND previews.reported < 'closed') \
     OR (previews.state = 'closed' AND previews.reported > 'closed'))";

impl Database {
    /// A preview of whose state nothing was said yet, for the caller to say within a minute: the one that
    /// failed least lately, of an organization for which nothing else is being said.
    pub async fn take_preview_report(&self) -> Result<Option<PreviewReport>, StorageError> {
        let clock = self.clock();
        let owner =
            "(SELECT organization_id FROM projects WHERE projects.id = previews.project_id)";
        let sql = format!(
            "SELECT {COLUMNS}, report_failures, newest.id AS newest_id, {STATE} AS report FROM previews \
             LEFT JOIN releases AS newest ON newest.id = (SELECT MAX(each.id) FROM releases AS each \
             WHERE each.site_id = previews.site_id) \
             WHERE pull_request IS NOT NULL AND report_after <= {clock} AND {STATE} <> reported \
             AND (previews.state = 'open' OR comment_id IS NOT NULL) AND {UNSAID} \
             AND NOT EXISTS (SELECT 1 FROM previews AS under_way JOIN projects AS its_own ON its_own.id = under_way.project_id \
             WHERE under_way.report_lease_expires_at > {clock} AND its_own.organization_id = {owner}) \
             ORDER BY report_after, previews.id LIMIT 1"
        );
        let Some(row) = sqlx::query(AssertSqlSafe(sql)).fetch_optional(&self.pool).await? else {
            return Ok(None);
        };
        let preview = read(&row)?;
        let sql = format!(
            "UPDATE previews SET report_lease_expires_at = {clock} + {MINUTE} WHERE id = $1 \
             AND (report_lease_expires_at IS NULL OR report_lease_expires_at <= {clock})"
        );
        let taken = sqlx::query(AssertSqlSafe(sql)).bind(&preview.id).execute(&self.pool).await?;
        if taken.rows_affected() == 0 {
            return Ok(None);
        }
        Ok(Some(PreviewReport {
            release_id: row.try_get("newest_id")?,
            state: row.try_get("report")?,
            failures: row.try_get("report_failures")?,
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
            "UPDATE previews SET reported = $1, comment_id = COALESCE($2, comment_id), report_after = 0, \
             report_failures = 0, report_lease_expires_at = NULL WHERE id = $3",
        );
        let query = query.bind(&report.state).bind(comment_id).bind(&report.preview.id);
        query.execute(&self.pool).await?;
        Ok(())
    }

    /// Records that nothing could be said of a preview, and that it is retried after a number of
    /// milliseconds.
    pub async fn postpone_preview_report(
        &self,
        report: &PreviewReport,
        wait: Timestamp,
    ) -> Result<(), StorageError> {
        let sql = format!(
            "UPDATE previews SET report_after = {} + $1, report_failures = report_failures + 1, \
             report_lease_expires_at = NULL WHERE id = $2",
            self.clock()
        );
        let query = sqlx::query(AssertSqlSafe(sql)).bind(wait).bind(&report.preview.id);
        query.execute(&self.pool).await?;
        Ok(())
    }
}
