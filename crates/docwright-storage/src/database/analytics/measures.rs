//! Reads what scripts measure on pages: how many views had a value up to each bound.

use docwright_types::analytics::Dimension;
use sqlx::{AssertSqlSafe, Row, any::AnyRow};

use super::AnalyticsFilter;
use crate::{
    StorageError,
    database::{Database, PageRequest, retention::placeholders},
};

/// Views with a value of a measure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Measured {
    /// Path of the page; empty for all pages.
    pub page: String,
    /// The measure.
    pub dimension: Dimension,
    /// The value.
    pub value: String,
    /// How many.
    pub views: i64,
}

/// A page with measured views.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MeasuredPage {
    /// Path of the page.
    pub page: String,
    /// How many views were measured.
    pub views: i64,
}

impl Database {
    /// What was measured on all pages of a filter together, in the days of its range.
    pub async fn analytics_measures(
        &self,
        filter: AnalyticsFilter<'_>,
        dimensions: &[Dimension],
    ) -> Result<Vec<Measured>, StorageError> {
        let pages = if filter.path.is_empty() { "page = ''" } else { "page <> ''" };
        let sql = format!(
            "SELECT '' AS page, dimension, value, CAST(SUM(views) AS BIGINT) AS views FROM analytics_values \
             WHERE {} AND {} AND {pages} GROUP BY dimension, value",
            AnalyticsFilter::condition("page"),
            one_of(dimensions)
        );
        self.measures(sql, filter, (dimensions, &[])).await
    }

    /// What was measured on each of some pages.
    pub async fn analytics_measures_of_pages(
        &self,
        filter: AnalyticsFilter<'_>,
        dimensions: &[Dimension],
        pages: &[&str],
    ) -> Result<Vec<Measured>, StorageError> {
        if pages.is_empty() {
            return Ok(Vec::new());
        }
        let sql = format!(
            "SELECT page, dimension, value, CAST(SUM(views) AS BIGINT) AS views FROM analytics_values \
             WHERE {} AND {} AND page IN ({}) GROUP BY page, dimension, value",
            AnalyticsFilter::condition("page"),
            one_of(dimensions),
            placeholders(5, pages.len())
        );
        self.measures(sql, filter, (dimensions, pages)).await
    }

    /// The pages with a measure in the days of a range, the most measured first.
    pub async fn analytics_measured_pages(
        &self,
        filter: AnalyticsFilter<'_>,
        dimension: Dimension,
        page: PageRequest<'_>,
    ) -> Result<Vec<MeasuredPage>, StorageError> {
        let select = format!(
            "SELECT page AS name, CAST(SUM(views) AS BIGINT) AS total FROM analytics_values \
             WHERE {} AND {} AND page <> '' GROUP BY page",
            AnalyticsFilter::condition("page"),
            one_of(&[dimension])
        );
        let read = |row: &AnyRow| {
            Ok(MeasuredPage { page: row.try_get("name")?, views: row.try_get("total")? })
        };
        self.ranked(&select, filter.days(), page).await?.iter().map(read).collect()
    }

    async fn measures(
        &self,
        sql: String,
        filter: AnalyticsFilter<'_>,
        (dimensions, pages): (&[Dimension], &[&str]),
    ) -> Result<Vec<Measured>, StorageError> {
        let range = filter.range.days();
        let query = sqlx::query(AssertSqlSafe(sql)).bind(filter.project_id);
        let mut query = query.bind(range.from).bind(range.to).bind(filter.path);
        for page in pages {
            query = query.bind(*page);
        }
        let mut measured = Vec::new();
        for row in query.fetch_all(&self.pool).await? {
            let name: String = row.try_get("dimension")?;
            let known = dimensions.iter().find(|dimension| dimension.name() == name);
            let Some(dimension) = known.copied() else { continue };
            let (page, value) = (row.try_get("page")?, row.try_get("value")?);
            measured.push(Measured { page, dimension, value, views: row.try_get("views")? });
        }
        Ok(measured)
    }
}

/// The condition that a row has one of some dimensions.
fn one_of(dimensions: &[Dimension]) -> String {
    let names: Vec<_> =
        dimensions.iter().map(|dimension| format!("'{}'", dimension.name())).collect();
    format!("dimension IN ({})", names.join(", "))
}
