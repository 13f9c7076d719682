//! Reads searches of readers, and which results they opened.

use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

use docwright_types::{
    analytics::Dimension,
    timestamp::{HOUR, Timestamp},
};
use sqlx::{AssertSqlSafe, Row, any::AnyRow};

use super::{AnalyticsFilter, Measured, parts::Of, ranked::RankedList};
use crate::{
    StorageError,
    database::{Database, PageRequest},
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
        let [searched, opened] = dimensions.map(|dimension| {
            format!("CASE WHEN dimension = {} THEN views ELSE 0 END", dimension.number())
        });
        let parts = self.parts(filter).await?;
        let list = RankedList {
            rows: parts.values(&dimensions, Of::Sites),
            by: "value",
            sums: &[("total", searched.as_str()), ("opened", opened.as_str())],
            latest: Some("last_at"),
            at_path: None,
        };
        let read = |row: &AnyRow| {
            Ok(SearchSum {
                query: row.try_get("name")?,
                hits: row.try_get("total")?,
                opened: row.try_get("opened")?,
                top_page: None,
                last_at: row.try_get::<i64, _>("last_at")? * HOUR,
            })
        };
        let rows = self.ranked(&parts, list, page).await?;
        let mut searches =
            rows.iter().map(read).collect::<Result<Vec<SearchSum>, StorageError>>()?;
        let mut pages = self.top_results(filter, &searches).await?;
        for search in &mut searches {
            search.top_page = pages.remove(&search.query);
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
        let parts = self.parts(filter).await?;
        let sql = format!(
            "SELECT CAST(COALESCE(SUM(views), 0) AS BIGINT) AS total FROM ({}) AS counted",
            parts.values(dimensions, Of::Sites)
        );
        let row = sqlx::query(AssertSqlSafe(sql)).fetch_one(&self.pool).await?;
        Ok(row.try_get("total")?)
    }

    /// For each query, the result that readers opened most.
    async fn top_results(
        &self,
        filter: AnalyticsFilter<'_>,
        searches: &[SearchSum],
    ) -> Result<HashMap<String, String>, StorageError> {
        let opened = searches.iter().filter(|search| search.opened > 0);
        let queries: Vec<_> = opened.map(|search| search.query.as_str()).collect();
        if queries.is_empty() {
            return Ok(HashMap::new());
        }
        // In the sums of opened results of pages, the query is the page, and the opened page the value.
        let opened = &[Dimension::OpenedResult];
        let results = self.analytics_measures_of_pages(filter, opened, &queries).await?;
        let top = results.into_iter().filter_map(|(query, results)| Some((query, most(results)?)));
        Ok(top.collect())
    }
}

/// The result with the most views, and the first one of equal ones. Sites count together.
fn most(results: Vec<Measured>) -> Option<String> {
    let mut sums: BTreeMap<Arc<str>, i64> = BTreeMap::new();
    for Measured { value, views, .. } in results {
        *sums.entry(value).or_default() += views;
    }
    let most = sums.iter().min_by_key(|(_, views)| std::cmp::Reverse(**views));
    most.map(|(value, _)| value.to_string())
}
