//! When releases became active, and how often a page was read around that.

use docwright_types::timestamp::Timestamp;
use sqlx::{AssertSqlSafe, Row, any::AnyRow};

use super::{AnalyticsFilter, PageViews};
use crate::{
    StorageError,
    database::{Database, retention::placeholders},
};

/// A release that became active.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActiveRelease {
    /// Its id.
    pub id: String,
    /// When it became active for the first time.
    pub active_from: Timestamp,
    /// Its commit, if it is known.
    pub commit: Option<String>,
    /// The first line of the message of the commit.
    pub message: Option<String>,
}

impl Database {
    /// The releases of a project that became active in a range for the first time, newest first. Those of previews are
    /// left out.
    pub async fn active_releases(
        &self,
        project_id: &str,
        (from, to): (Timestamp, Timestamp),
        limit: i64,
    ) -> Result<Vec<ActiveRelease>, StorageError> {
        let sql = format!(
            "SELECT id, active_from, commit_sha, commit_message FROM releases WHERE project_id = $1 \
             AND active_from >= $2 AND active_from < $3 AND active_from IS NOT NULL AND trigger_name <> 'preview' \
             ORDER BY active_from DESC, id DESC LIMIT {limit}"
        );
        let query = sqlx::query(AssertSqlSafe(sql)).bind(project_id).bind(from).bind(to);
        let read = |row: &AnyRow| {
            Ok(ActiveRelease {
                id: row.try_get("id")?,
                active_from: row.try_get("active_from")?,
                commit: row.try_get("commit_sha")?,
                message: row.try_get("commit_message")?,
            })
        };
        query.fetch_all(&self.pool).await?.iter().map(read).collect()
    }

    /// When a release became active for the first time; `None` if it never was, or is gone.
    pub async fn release_active_from(&self, id: &str) -> Result<Option<Timestamp>, StorageError> {
        let sql = "SELECT active_from FROM releases WHERE id = $1";
        let row = sqlx::query(sql).bind(id).fetch_optional(&self.pool).await?;
        Ok(row.map(|row| row.try_get("active_from")).transpose()?.flatten())
    }

    /// Views of some pages of a project in a range of pages, in no order. Pages without views are left out.
    pub async fn analytics_views_of_pages(
        &self,
        filter: AnalyticsFilter<'_>,
        pages: &[&str],
    ) -> Result<Vec<PageViews>, StorageError> {
        if pages.is_empty() {
            return Ok(Vec::new());
        }
        let parts = self.parts(filter.of_pages()).await?;
        let sql = format!(
            "SELECT texts.text AS page, CAST(SUM(human) AS BIGINT) AS human, CAST(SUM(ai) AS BIGINT) AS ai FROM \
             (SELECT site, page, SUM(human) AS human, SUM(ai) AS ai FROM ({}) AS views GROUP BY site, page) AS counted \
             JOIN analytics_texts AS texts ON texts.site = counted.site AND texts.id = page \
             WHERE texts.text IN ({}) GROUP BY texts.text",
            parts.views(),
            placeholders(1, pages.len())
        );
        let query =
            pages.iter().fold(sqlx::query(AssertSqlSafe(sql)), |query, page| query.bind(*page));
        let read = |row: &AnyRow| {
            let (human, ai): (i64, i64) = (row.try_get("human")?, row.try_get("ai")?);
            Ok(PageViews { page: row.try_get("page")?, human, ai, ranked: human + ai })
        };
        query.fetch_all(&self.pool).await?.iter().map(read).collect()
    }
}
