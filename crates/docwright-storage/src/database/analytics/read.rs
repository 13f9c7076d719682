//! Reads sums of a project: all its sites together.

use docwright_types::{
    analytics::{Dimension, Reader},
    timestamp::Timestamp,
};
use sqlx::{AssertSqlSafe, Row, any::AnyRow};

use super::{AnalyticsFilter, Views};
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
    /// Those by which pages are ranked: of one kind of reader, or of both.
    pub ranked: i64,
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

impl Database {
    /// Sums of a project in each step of a range with views, the earliest first.
    pub async fn analytics_series(
        &self,
        filter: AnalyticsFilter<'_>,
    ) -> Result<Vec<(Timestamp, Views)>, StorageError> {
        let sql = format!(
            "SELECT starts_at, CAST(SUM(human) AS BIGINT) AS human, CAST(SUM(ai) AS BIGINT) AS ai, \
             CAST(SUM(bot) AS BIGINT) AS bot FROM analytics_views WHERE step = {} AND {} \
             GROUP BY starts_at ORDER BY starts_at",
            filter.range.step,
            AnalyticsFilter::condition("page")
        );
        let query = sqlx::query(AssertSqlSafe(sql)).bind(filter.project_id);
        let query = query.bind(filter.range.from).bind(filter.range.to).bind(filter.path);
        let read = |row: &AnyRow| {
            let views = [row.try_get("human")?, row.try_get("ai")?, row.try_get("bot")?];
            Ok((row.try_get("starts_at")?, views))
        };
        query.fetch_all(&self.pool).await?.iter().map(read).collect()
    }

    /// The pages of a project with views by a kind of reader in a range, the most read first. Without a kind, views by
    /// people and AI agents count.
    pub async fn analytics_pages(
        &self,
        filter: AnalyticsFilter<'_>,
        reader: Option<Reader>,
        page: PageRequest<'_>,
    ) -> Result<Vec<PageViews>, StorageError> {
        let ranked = reader.map_or("human + ai", Reader::name);
        let select = format!(
            "SELECT page AS name, CAST(SUM(human) AS BIGINT) AS human, CAST(SUM(ai) AS BIGINT) AS ai, \
             CAST(SUM({ranked}) AS BIGINT) AS total FROM analytics_views WHERE step = {} AND {} GROUP BY page",
            filter.range.step,
            AnalyticsFilter::condition("page")
        );
        let read = |row: &AnyRow| {
            let (human, ai) = (row.try_get("human")?, row.try_get("ai")?);
            Ok(PageViews { page: row.try_get("name")?, human, ai, ranked: row.try_get("total")? })
        };
        self.ranked(&select, filter, page).await?.iter().map(read).collect()
    }

    /// Views of a project in the days of a range by a dimension, the largest first. Of a path, only the ten largest
    /// values of each page and day are known, unless the dimension consists of paths itself.
    pub async fn analytics_values(
        &self,
        filter: AnalyticsFilter<'_>,
        dimension: Dimension,
        page: PageRequest<'_>,
    ) -> Result<Vec<ValueViews>, StorageError> {
        let (column, pages) = match dimension {
            _ if filter.path.is_empty() => ("page", "page = ''"),
            Dimension::Entry => ("value", "page = ''"),
            _ => ("page", "page <> ''"),
        };
        let select = format!(
            "SELECT value AS name, CAST(SUM(views) AS BIGINT) AS total FROM analytics_values \
             WHERE {} AND dimension = '{}' AND {pages} GROUP BY value",
            AnalyticsFilter::condition(column),
            dimension.name()
        );
        let read = |row: &AnyRow| {
            Ok(ValueViews { value: row.try_get("name")?, views: row.try_get("total")? })
        };
        self.ranked(&select, filter.days(), page).await?.iter().map(read).collect()
    }

    /// Paths without a page that readers of a project requested in the days of a range, the most frequent first.
    pub async fn analytics_dead_links(
        &self,
        filter: AnalyticsFilter<'_>,
        page: PageRequest<'_>,
    ) -> Result<Vec<DeadLink>, StorageError> {
        let [own, other] = [Dimension::OwnDeadLink, Dimension::OtherDeadLink].map(Dimension::name);
        let select = format!(
            "SELECT value AS name, \
             CAST(SUM(CASE WHEN dimension = '{own}' THEN views ELSE 0 END) AS BIGINT) AS own, \
             CAST(SUM(views) AS BIGINT) AS total FROM analytics_values \
             WHERE {} AND dimension IN ('{own}', '{other}') AND page = '' GROUP BY value",
            AnalyticsFilter::condition("SUBSTR(value, 2)")
        );
        let read = |row: &AnyRow| {
            let (own, total): (i64, i64) = (row.try_get("own")?, row.try_get("total")?);
            Ok(DeadLink { path: row.try_get("name")?, own, other: total - own })
        };
        self.ranked(&select, filter.days(), page).await?.iter().map(read).collect()
    }

    /// A page of sums by `total`, the largest first, and equal ones by `name`. A position has the total as text
    /// and the name as id.
    pub(super) async fn ranked(
        &self,
        select: &str,
        filter: AnalyticsFilter<'_>,
        page: PageRequest<'_>,
    ) -> Result<Vec<AnyRow>, StorageError> {
        let after = page.after.map(|after| (after.text.parse::<i64>(), after.id.as_str()));
        let (total, name) = match after {
            None => (i64::MAX, ""),
            Some((Ok(total), name)) => (total, name),
            Some((Err(_), _)) => return Ok(Vec::new()),
        };
        let sql = format!(
            "SELECT * FROM ({select}) AS sums WHERE total > 0 AND (total < $5 OR (total = $5 \
             AND name COLLATE \"binary\" > $6)) ORDER BY total DESC, name COLLATE \"binary\" LIMIT {}",
            page.limit
        );
        let query = sqlx::query(AssertSqlSafe(sql)).bind(filter.project_id);
        let query = query.bind(filter.range.from).bind(filter.range.to).bind(filter.path);
        Ok(query.bind(total).bind(name).fetch_all(&self.pool).await?)
    }
}
