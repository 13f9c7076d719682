//! What was last reported about a preview on its pull request, so that each change is reported once.
//!
//! A reporter takes the row for a minute, by the database's clock. If it is killed, the report is repeated in the
//! same comment. Each organization has one report under way, so a slow host delays no other organization.

use docwright_types::{
    preview::Preview,
    timestamp::{MINUTE, Timestamp},
};
use sqlx::{AssertSqlSafe, Row};

use super::{COLUMNS, read};
use crate::{StorageError, database::Database};

/// A preview with a state to report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreviewReport {
    /// The preview.
    pub preview: Preview,
    /// Id of its newest release.
    pub release_id: Option<String>,
    /// A fingerprint of its current state. Equal fingerprints need one comment.
    pub state: String,
    /// Consecutive failed reports.
    pub failures: i64,
}

/// The state to report of a preview: that it is closed, or the state of its newest release.
const STATE: &str = "CASE WHEN previews.state = 'closed' THEN 'closed' \
     WHEN newest.status IN ('queued', 'building') THEN newest.id || ' building' \
     ELSE newest.id || ' ' || newest.status END";

/// Limits previews to those that can need a report: most are closed, and that was reported. Comparing both states
/// couldn't use an index; this condition can.
const UNSAID: &str = "(previews.state = 'open' OR (previews.state = 'closed' AND previews.reported < 'closed') \
     OR (previews.state = 'closed' AND previews.reported > 'closed'))";

impl Database {
    /// A preview with an unreported state, for the caller to report within a minute: the one that failed least
    /// recently, of an organization without another report under way.
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

    /// Records the reported state of a preview and its comment.
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

    /// Records that a report about a preview failed, and is retried after a number of milliseconds.
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
