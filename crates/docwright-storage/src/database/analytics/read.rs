//! Reads sums of a project: all its sites together.

use docwright_types::{
    analytics::{Dimension, Reader},
    timestamp::{HOUR, Timestamp},
};
use sqlx::{AssertSqlSafe, Row, any::AnyRow};

use super::{AnalyticsFilter, Views, numbers::hours, parts::Of, ranked::RankedList};
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
        let parts = self.parts(filter).await?;
        let step = hours(filter.range.step);
        let rows = parts.paths().map(|(site, path)| {
            let columns = "SELECT start, human, ai, bot FROM analytics";
            if path > 0 {
                // The page itself has a row in each step, far from each other.
                return format!(
                    "{columns}_views WHERE site = {site} AND step = {step} AND page = {path} AND start IN \
                     (WITH RECURSIVE steps (start) AS (SELECT CAST($1 AS BIGINT) UNION ALL SELECT start + {step} FROM steps \
                     WHERE start + {step} < $2) SELECT start FROM steps)"
                );
            }
            format!(
                "{columns}_totals WHERE site = {site} AND folder = {path} AND step = {step} AND start >= $1 AND start < $2"
            )
        });
        let rows: Vec<_> = rows.collect();
        if rows.is_empty() {
            return Ok(Vec::new());
        }
        let sql = format!(
            "SELECT CAST(start AS BIGINT) AS start, CAST(SUM(human) AS BIGINT) AS human, CAST(SUM(ai) AS BIGINT) AS ai, \
             CAST(SUM(bot) AS BIGINT) AS bot FROM ({}) AS rows_of_path GROUP BY start ORDER BY start",
            rows.join(" UNION ALL ")
        );
        let query = sqlx::query(AssertSqlSafe(sql));
        let query = query.bind(hours(filter.range.from)).bind(hours(filter.range.to));
        let read = |row: &AnyRow| {
            let views = [row.try_get("human")?, row.try_get("ai")?, row.try_get("bot")?];
            Ok((row.try_get::<i64, _>("start")? * HOUR, views))
        };
        query.fetch_all(&self.pool).await?.iter().map(read).collect()
    }

    /// The pages of a project with views by a kind of reader in a range of pages, the most read first. Without a kind,
    /// views by people and AI agents count.
    pub async fn analytics_pages(
        &self,
        filter: AnalyticsFilter<'_>,
        reader: Option<Reader>,
        page: PageRequest<'_>,
    ) -> Result<Vec<PageViews>, StorageError> {
        let parts = self.parts(filter.of_pages()).await?;
        let list = RankedList {
            rows: parts.views(),
            by: "page",
            sums: &[
                ("human", "human"),
                ("ai", "ai"),
                ("total", reader.map_or("human + ai", Reader::name)),
            ],
            latest: None,
            at_path: (!filter.path.is_empty()).then_some(("texts.text", filter.path)),
        };
        let read = |row: &AnyRow| {
            let (human, ai) = (row.try_get("human")?, row.try_get("ai")?);
            Ok(PageViews { page: row.try_get("name")?, human, ai, ranked: row.try_get("total")? })
        };
        self.ranked(&parts, list, page).await?.iter().map(read).collect()
    }

    /// Views of a project in the days of a range by a dimension, the largest first. Of a path, only the largest values
    /// of each day are known, unless the dimension consists of paths itself.
    pub async fn analytics_values(
        &self,
        filter: AnalyticsFilter<'_>,
        dimension: Dimension,
        page: PageRequest<'_>,
    ) -> Result<Vec<ValueViews>, StorageError> {
        let is_path = dimension == Dimension::Entry;
        let is_of_site = is_path || filter.path.is_empty();
        let range = if is_of_site { filter } else { filter.of_pages() };
        let parts = self.parts(range.days()).await?;
        let list = RankedList {
            rows: parts.values(&[dimension], if is_of_site { Of::Sites } else { Of::Path }),
            by: "value",
            sums: &[("total", "views")],
            latest: None,
            at_path: (is_path && !filter.path.is_empty()).then_some(("texts.text", filter.path)),
        };
        let read = |row: &AnyRow| {
            Ok(ValueViews { value: row.try_get("name")?, views: row.try_get("total")? })
        };
        self.ranked(&parts, list, page).await?.iter().map(read).collect()
    }

    /// Paths without a page that readers of a project requested in the days of a range, the most frequent first.
    pub async fn analytics_dead_links(
        &self,
        filter: AnalyticsFilter<'_>,
        page: PageRequest<'_>,
    ) -> Result<Vec<DeadLink>, StorageError> {
        let (own, other) = (Dimension::OwnDeadLink, Dimension::OtherDeadLink);
        let parts = self.parts(filter.days()).await?;
        let of_own = format!("CASE WHEN dimension = {} THEN views ELSE 0 END", own.number());
        let list = RankedList {
            rows: parts.values(&[own, other], Of::Sites),
            by: "value",
            sums: &[("own", of_own.as_str()), ("total", "views")],
            latest: None,
            at_path: (!filter.path.is_empty()).then_some(("SUBSTR(texts.text, 2)", filter.path)),
        };
        let read = |row: &AnyRow| {
            let (own, total): (i64, i64) = (row.try_get("own")?, row.try_get("total")?);
            Ok(DeadLink { path: row.try_get("name")?, own, other: total - own })
        };
        self.ranked(&parts, list, page).await?.iter().map(read).collect()
    }
}
