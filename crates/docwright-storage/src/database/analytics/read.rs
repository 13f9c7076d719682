//! Reads sums of a project: all its sites together.

use docwright_types::{analytics::Dimension, timestamp::Timestamp};
use sqlx::{AssertSqlSafe, Row, any::AnyRow};

use super::{AnalyticsRange, Views};
use crate::{
    StorageError,
    database::{Database, PageRequest},
};

/// Views of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageViews {
    /// Path of the page.
    pub page: String,
    /// Views by people.
    pub human: i64,
    /// Views by AI agents.
    pub ai: i64,
}

/// Views with a value of a dimension.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValueViews {
    /// The value; empty for all values beyond the limits.
    pub value: String,
    /// How many.
    pub views: i64,
}

/// A path without a page that readers requested.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeadLink {
    /// The path; empty for all paths beyond the limits.
    pub path: String,
    /// Requests from pages of the same site.
    pub own: i64,
    /// Requests from elsewhere.
    pub other: i64,
}

/// Rows of a project's domains in a range: binds the project as `$1`, and the range as `$2` and `$3`.
const OF_PROJECT: &str = "domain IN (SELECT name FROM domains WHERE project_id = $1) AND starts_at >= $2 AND starts_at < $3";

impl Database {
    /// Sums of a project in each step of a range with views, the earliest first.
    pub async fn analytics_series(
        &self,
        project_id: &str,
        range: AnalyticsRange,
    ) -> Result<Vec<(Timestamp, Views)>, StorageError> {
        let sql = format!(
            "SELECT starts_at, CAST(SUM(human) AS BIGINT) AS human, CAST(SUM(ai) AS BIGINT) AS ai, \
             CAST(SUM(bot) AS BIGINT) AS bot FROM {} WHERE {OF_PROJECT} GROUP BY starts_at ORDER BY starts_at",
            range.table()
        );
        let query = sqlx::query(AssertSqlSafe(sql));
        let query = query.bind(project_id).bind(range.from).bind(range.to);
        let read = |row: &AnyRow| {
            let views = [row.try_get("human")?, row.try_get("ai")?, row.try_get("bot")?];
            Ok((row.try_get("starts_at")?, views))
        };
        query.fetch_all(&self.pool).await?.iter().map(read).collect()
    }

    /// The pages of a project with views by people or AI agents in a range, the most read first.
    pub async fn analytics_pages(
        &self,
        project_id: &str,
        range: AnalyticsRange,
        page: PageRequest<'_>,
    ) -> Result<Vec<PageViews>, StorageError> {
        let select = format!(
            "SELECT page AS name, CAST(SUM(human) AS BIGINT) AS human, CAST(SUM(ai) AS BIGINT) AS ai, \
             CAST(SUM(human + ai) AS BIGINT) AS total FROM {} WHERE {OF_PROJECT} GROUP BY page",
            range.table()
        );
        let read = |row: &AnyRow| {
            let (human, ai) = (row.try_get("human")?, row.try_get("ai")?);
            Ok(PageViews { page: row.try_get("name")?, human, ai })
        };
        self.ranked(&select, (project_id, range), page).await?.iter().map(read).collect()
    }

    /// Views of a project in the days of a range by a dimension, the largest first: of one page, or of all.
    pub async fn analytics_values(
        &self,
        project_id: &str,
        range: AnalyticsRange,
        dimension: Dimension,
        page: PageRequest<'_>,
    ) -> Result<Vec<ValueViews>, StorageError> {
        let select = format!(
            "SELECT value AS name, CAST(SUM(views) AS BIGINT) AS total FROM analytics_values \
             WHERE {OF_PROJECT} AND dimension = '{}' AND page = '' GROUP BY value",
            dimension.name()
        );
        let read = |row: &AnyRow| {
            Ok(ValueViews { value: row.try_get("name")?, views: row.try_get("total")? })
        };
        self.ranked(&select, (project_id, range.days()), page).await?.iter().map(read).collect()
    }

    /// Paths without a page that readers of a project requested in the days of a range, the most frequent first.
    pub async fn analytics_dead_links(
        &self,
        project_id: &str,
        range: AnalyticsRange,
        page: PageRequest<'_>,
    ) -> Result<Vec<DeadLink>, StorageError> {
        let [own, other] = [Dimension::OwnDeadLink, Dimension::OtherDeadLink].map(Dimension::name);
        let select = format!(
            "SELECT value AS name, \
             CAST(SUM(CASE WHEN dimension = '{own}' THEN views ELSE 0 END) AS BIGINT) AS own, \
             CAST(SUM(views) AS BIGINT) AS total FROM analytics_values \
             WHERE {OF_PROJECT} AND dimension IN ('{own}', '{other}') AND page = '' GROUP BY value"
        );
        let read = |row: &AnyRow| {
            let (own, total): (i64, i64) = (row.try_get("own")?, row.try_get("total")?);
            Ok(DeadLink { path: row.try_get("name")?, own, other: total - own })
        };
        self.ranked(&select, (project_id, range.days()), page).await?.iter().map(read).collect()
    }

    /// A page of sums by `total`, the largest first, and equal ones by `name`. A position has the total as text
    /// and the name as id.
    async fn ranked(
        &self,
        select: &str,
        (project_id, range): (&str, AnalyticsRange),
        page: PageRequest<'_>,
    ) -> Result<Vec<AnyRow>, StorageError> {
        let after = page.after.map(|after| (after.text.parse::<i64>(), after.id.as_str()));
        let (total, name) = match after {
            None => (i64::MAX, ""),
            Some((Ok(total), name)) => (total, name),
            Some((Err(_), _)) => return Ok(Vec::new()),
        };
        let sql = format!(
            "SELECT * FROM ({select}) AS sums WHERE total > 0 AND (total < $4 OR (total = $4 \
             AND name COLLATE \"binary\" > $5)) ORDER BY total DESC, name COLLATE \"binary\" LIMIT {}",
            page.limit
        );
        let query = sqlx::query(AssertSqlSafe(sql)).bind(project_id);
        let query = query.bind(range.from).bind(range.to).bind(total).bind(name);
        Ok(query.fetch_all(&self.pool).await?)
    }
}
