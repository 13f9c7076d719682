//! Reads readers' feedback in a range: ratings by page, and entries.

use docwright_types::feedback::FeedbackState;
use sqlx::{AssertSqlSafe, Row, any::AnyRow};

use super::{
    AnalyticsFilter,
    ranked::{list, start_of},
};
use crate::{
    StorageError,
    database::{
        Database, Feedback, PageRequest,
        feedback::{COLUMNS, read},
    },
};

/// Ratings of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageRatings {
    /// Path of the page.
    pub page: String,
    /// The number of readers that it helped.
    pub helpful: i64,
    /// The number of readers that it did not help.
    pub unhelpful: i64,
    /// Those by which pages are ranked: of both, or only unhelpful ones.
    pub ranked: i64,
}

/// Entries of a project in a range: binds the project as `$1`, the range as `$2` and `$3`, and the path as `$4`.
const IN_RANGE: &str = "project_id = $1 AND created_at >= $2 AND created_at < $3 \
     AND ($4 = '' OR page = $4 OR SUBSTR(page, 1, LENGTH($4) + 1) = $4 || '/')";

impl Database {
    /// The pages of a project with ratings in a range: those with the most ratings first, or those with the most
    /// unhelpful ones, without pages that have none.
    pub async fn analytics_ratings(
        &self,
        filter: AnalyticsFilter<'_>,
        only_unhelpful: bool,
        page: PageRequest<'_>,
    ) -> Result<Vec<PageRatings>, StorageError> {
        let ranked = if only_unhelpful { "SUM(1 - helpful)" } else { "COUNT(*)" };
        let select = format!(
            "SELECT page AS name, CAST(SUM(helpful) AS BIGINT) AS helpful, \
             CAST(SUM(1 - helpful) AS BIGINT) AS unhelpful, CAST({ranked} AS BIGINT) AS total \
             FROM feedback WHERE {IN_RANGE} GROUP BY page"
        );
        let read = |row: &AnyRow| {
            Ok(PageRatings {
                page: row.try_get("name")?,
                helpful: row.try_get("helpful")?,
                unhelpful: row.try_get("unhelpful")?,
                ranked: row.try_get("total")?,
            })
        };
        let Some((total, name)) = start_of(page) else { return Ok(Vec::new()) };
        let query = sqlx::query(AssertSqlSafe(list(&select, 5, page))).bind(filter.project_id);
        let query = query.bind(filter.range.from).bind(filter.range.to).bind(filter.path);
        let query = query.bind(total).bind(name);
        query.fetch_all(&self.pool).await?.iter().map(read).collect()
    }

    /// The number of ratings of a project in a range that say that a page didn't help.
    pub async fn analytics_bad_ratings(
        &self,
        filter: AnalyticsFilter<'_>,
    ) -> Result<i64, StorageError> {
        let sql =
            format!("SELECT COUNT(*) AS total FROM feedback WHERE {IN_RANGE} AND helpful = 0");
        let query = sqlx::query(AssertSqlSafe(sql)).bind(filter.project_id);
        let query = query.bind(filter.range.from).bind(filter.range.to).bind(filter.path);
        Ok(query.fetch_one(&self.pool).await?.try_get("total")?)
    }

    /// The feedback of a project in a range, newest first, in some states; in all if there are none. A position has
    /// the id.
    pub async fn analytics_feedback(
        &self,
        filter: AnalyticsFilter<'_>,
        states: &[FeedbackState],
        page: PageRequest<'_>,
    ) -> Result<Vec<Feedback>, StorageError> {
        let states: Vec<_> = states.iter().map(|state| format!("'{}'", state.name())).collect();
        let states = match states.as_slice() {
            [] => String::new(),
            _ => format!(" AND state IN ({})", states.join(", ")),
        };
        let sql = format!(
            "SELECT {COLUMNS} FROM feedback WHERE {IN_RANGE}{states} AND ($5 = '' OR id < $5) \
             ORDER BY id DESC LIMIT {}",
            page.limit
        );
        let query = sqlx::query(AssertSqlSafe(sql)).bind(filter.project_id);
        let query = query.bind(filter.range.from).bind(filter.range.to).bind(filter.path);
        let query = query.bind(page.after.map_or("", |after| after.id.as_str()));
        query.fetch_all(&self.pool).await?.iter().map(read).collect()
    }
}
