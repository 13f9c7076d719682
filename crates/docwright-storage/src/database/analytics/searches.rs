//! Reads searches of readers, and which results they opened.

use std::collections::HashMap;

use docwright_types::{analytics::Dimension, timestamp::Timestamp};
use sqlx::{Row, any::AnyRow};

use super::{
    AnalyticsFilter,
    parts::{AT_PATH, PARAMETERS, of_pages, values},
};
use crate::{
    StorageError,
    database::{Database, PageRequest, retention::placeholders},
};

/// Searches with one query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchSum {
    /// The query; empty for all queries beyond the limits.
    pub query: String,
    /// How many.
    pub hits: i64,
    /// Of these, the ones whose result was opened.
    pub opened: i64,
    /// The result that was opened most.
    pub top_page: Option<String>,
    /// The hour of the last one.
    pub last_at: Timestamp,
}

impl Database {
    /// The searches of a project's readers in the days of a range, the most frequent first. The path of the
    /// filter has no effect.
    pub async fn analytics_searches(
        &self,
        filter: AnalyticsFilter<'_>,
        page: PageRequest<'_>,
    ) -> Result<Vec<SearchSum>, StorageError> {
        let filter = AnalyticsFilter { path: "", ..filter.days() };
        let dimensions = [Dimension::Search, Dimension::OpenedResult];
        let [search, opened] = dimensions.map(Dimension::name);
        let select = format!(
            "SELECT value AS name, \
             CAST(SUM(CASE WHEN dimension = '{search}' THEN views ELSE 0 END) AS BIGINT) AS total, \
             CAST(SUM(CASE WHEN dimension = '{opened}' THEN views ELSE 0 END) AS BIGINT) AS opened, \
             MAX(last_at) AS last_at FROM ({}) AS counted GROUP BY value",
            values(&dimensions, AT_PATH)
        );
        let read = |row: &AnyRow| {
            Ok(SearchSum {
                query: row.try_get("name")?,
                hits: row.try_get("total")?,
                opened: row.try_get("opened")?,
                top_page: None,
                last_at: row.try_get("last_at")?,
            })
        };
        let rows = self.ranked(&select, filter, page).await?;
        let mut searches =
            rows.iter().map(read).collect::<Result<Vec<SearchSum>, StorageError>>()?;
        let mut pages = self.top_results(filter, &searches).await?;
        for search in &mut searches {
            search.top_page = pages.remove(&search.query).map(|(page, _)| page);
        }
        Ok(searches)
    }

    /// The number of searches of a project's readers in the days of a range.
    pub async fn analytics_search_count(
        &self,
        filter: AnalyticsFilter<'_>,
    ) -> Result<i64, StorageError> {
        self.analytics_count(filter, &[Dimension::Search]).await
    }

    /// How often readers of a project's sites did one of some things in the days of a range. The path of the filter
    /// has no effect.
    pub async fn analytics_count(
        &self,
        filter: AnalyticsFilter<'_>,
        dimensions: &[Dimension],
    ) -> Result<i64, StorageError> {
        let filter = AnalyticsFilter { path: "", ..filter.days() };
        let sql = format!(
            "SELECT CAST(COALESCE(SUM(views), 0) AS BIGINT) AS total FROM ({}) AS counted",
            values(dimensions, AT_PATH)
        );
        let query = Self::of_parts(sql, self.parts(filter).await?, filter);
        Ok(query.fetch_one(&self.pool).await?.try_get("total")?)
    }

    /// For each query, the result that readers opened most, and how often.
    async fn top_results(
        &self,
        filter: AnalyticsFilter<'_>,
        searches: &[SearchSum],
    ) -> Result<HashMap<String, (String, i64)>, StorageError> {
        let mut top = HashMap::new();
        if searches.iter().all(|search| search.opened == 0) {
            return Ok(top);
        }
        let queries = placeholders(PARAMETERS + 1, searches.len());
        let sql = format!(
            "SELECT value, page, CAST(SUM(views) AS BIGINT) AS total FROM ({}) AS opened \
             GROUP BY value, page ORDER BY total DESC, page COLLATE \"binary\"",
            values(&[Dimension::OpenedResult], &format!("{} AND value IN ({queries})", of_pages()))
        );
        let filter = filter.of_pages();
        let mut query = Self::of_parts(sql, self.parts(filter).await?, filter);
        for search in searches {
            query = query.bind(&search.query);
        }
        for row in query.fetch_all(&self.pool).await? {
            let (page, total) = (row.try_get("page")?, row.try_get("total")?);
            top.entry(row.try_get("value")?).or_insert((page, total));
        }
        Ok(top)
    }
}
