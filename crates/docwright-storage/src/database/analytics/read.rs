//! Reads sums of a project: all its sites together.

use docwright_types::{
    analytics::{Dimension, Reader},
    timestamp::Timestamp,
};
use sqlx::{AssertSqlSafe, Row, any::AnyRow};

use super::{
    AnalyticsFilter, Views,
    parts::{AT_PATH, PARAMETERS, of_site_at_path, values, views},
};
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
        let step = filter.range.step;
        let of =
            format!("domain IN (SELECT name FROM domains WHERE project_id = $1) AND step = {step}");
        let folder = format!(
            "SELECT starts_at, human, ai, bot FROM analytics_totals \
             WHERE {of} AND folder = $4 AND starts_at >= $2 AND starts_at < $3"
        );
        // The page itself has a row in each step, far from each other.
        let page = format!(
            "UNION ALL SELECT starts_at, human, ai, bot FROM analytics_views WHERE {of} AND page = $4 AND starts_at IN \
             (WITH RECURSIVE steps (start) AS (SELECT CAST($2 AS BIGINT) UNION ALL SELECT start + {step} FROM steps \
             WHERE start + {step} < $3) SELECT start FROM steps)"
        );
        let sql = format!(
            "SELECT starts_at, CAST(SUM(human) AS BIGINT) AS human, CAST(SUM(ai) AS BIGINT) AS ai, \
             CAST(SUM(bot) AS BIGINT) AS bot FROM ({folder} {page}) AS rows_of_path \
             GROUP BY starts_at ORDER BY starts_at"
        );
        let query = sqlx::query(AssertSqlSafe(sql)).bind(filter.project_id);
        let query = query.bind(filter.range.from).bind(filter.range.to).bind(filter.path);
        let read = |row: &AnyRow| {
            let views = [row.try_get("human")?, row.try_get("ai")?, row.try_get("bot")?];
            Ok((row.try_get("starts_at")?, views))
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
        let ranked = reader.map_or("human + ai", Reader::name);
        let select = format!(
            "SELECT page AS name, CAST(SUM(human) AS BIGINT) AS human, CAST(SUM(ai) AS BIGINT) AS ai, \
             CAST(SUM({ranked}) AS BIGINT) AS total FROM ({}) AS views GROUP BY page",
            views()
        );
        let read = |row: &AnyRow| {
            let (human, ai) = (row.try_get("human")?, row.try_get("ai")?);
            Ok(PageViews { page: row.try_get("name")?, human, ai, ranked: row.try_get("total")? })
        };
        self.ranked(&select, filter.of_pages(), page).await?.iter().map(read).collect()
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
        let condition = if is_path { of_site_at_path("value") } else { AT_PATH.to_owned() };
        let is_of_site = is_path || filter.path.is_empty();
        let filter = if is_of_site { filter } else { filter.of_pages() };
        let select = format!(
            "SELECT value AS name, CAST(SUM(views) AS BIGINT) AS total FROM ({}) AS counted GROUP BY value",
            values(&[dimension], &condition)
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
        let (own, other) = (Dimension::OwnDeadLink, Dimension::OtherDeadLink);
        let select = format!(
            "SELECT value AS name, \
             CAST(SUM(CASE WHEN dimension = '{}' THEN views ELSE 0 END) AS BIGINT) AS own, \
             CAST(SUM(views) AS BIGINT) AS total FROM ({}) AS requests GROUP BY value",
            own.name(),
            values(&[own, other], &of_site_at_path("SUBSTR(value, 2)"))
        );
        let read = |row: &AnyRow| {
            let (own, total): (i64, i64) = (row.try_get("own")?, row.try_get("total")?);
            Ok(DeadLink { path: row.try_get("name")?, own, other: total - own })
        };
        self.ranked(&select, filter.days(), page).await?.iter().map(read).collect()
    }

    /// A page of sums by `total`, the largest first, and equal ones by `name`. The sums are of [`views`] or [`values`].
    /// A position has the total as text and the name as id.
    pub(super) async fn ranked(
        &self,
        select: &str,
        filter: AnalyticsFilter<'_>,
        page: PageRequest<'_>,
    ) -> Result<Vec<AnyRow>, StorageError> {
        let Some((total, name)) = start_of(page) else { return Ok(Vec::new()) };
        let parts = self.parts(filter).await?;
        let sql = list(select, PARAMETERS + 1, page);
        let query = Self::of_parts(sql, parts, filter).bind(total).bind(name);
        Ok(query.fetch_all(&self.pool).await?)
    }
}

/// Where a page of a ranked list starts: after a total, and a name; `None` if the position is invalid.
pub(super) fn start_of(page: PageRequest<'_>) -> Option<(i64, &str)> {
    match page.after {
        None => Some((i64::MAX, "")),
        Some(after) => Some((after.text.parse().ok()?, after.id.as_str())),
    }
}

/// The statement of a page of a ranked list. The total and the name after which it starts are the parameter with a
/// number, and the next one.
pub(super) fn list(select: &str, total: usize, page: PageRequest<'_>) -> String {
    let name = total + 1;
    format!(
        "SELECT * FROM ({select}) AS sums WHERE total > 0 AND (total < ${total} OR (total = ${total} \
         AND name COLLATE \"binary\" > ${name})) ORDER BY total DESC, name COLLATE \"binary\" LIMIT {}",
        page.limit
    )
}
