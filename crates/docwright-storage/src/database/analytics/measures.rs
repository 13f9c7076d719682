//! Reads what scripts measure on pages: how many views had a value up to each bound.

use docwright_types::analytics::Dimension;
use sqlx::{Row, any::AnyRow};

use super::{
    AnalyticsFilter,
    parts::{AT_PATH, PARAMETERS, of_pages, values},
};
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
        let sql = format!(
            "SELECT '' AS page, dimension, value, CAST(SUM(views) AS BIGINT) AS views FROM ({}) AS measured \
             GROUP BY dimension, value",
            values(dimensions, AT_PATH)
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
        let of = format!("page IN ({})", placeholders(PARAMETERS + 1, pages.len()));
        let sql = format!(
            "SELECT page, dimension, value, CAST(SUM(views) AS BIGINT) AS views FROM ({}) AS measured \
             GROUP BY page, dimension, value",
            values(dimensions, &of)
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
            "SELECT page AS name, CAST(SUM(views) AS BIGINT) AS total FROM ({}) AS measured GROUP BY page",
            values(&[dimension], &of_pages())
        );
        let read = |row: &AnyRow| {
            Ok(MeasuredPage { page: row.try_get("name")?, views: row.try_get("total")? })
        };
        self.ranked(&select, filter.of_pages().days(), page).await?.iter().map(read).collect()
    }

    async fn measures(
        &self,
        sql: String,
        filter: AnalyticsFilter<'_>,
        (dimensions, pages): (&[Dimension], &[&str]),
    ) -> Result<Vec<Measured>, StorageError> {
        let filter = filter.of_pages().days();
        let mut query = Self::of_parts(sql, self.parts(filter).await?, filter);
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
