//! Reads what scripts measure on pages: how many views had a value up to each bound.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::Arc,
};

use docwright_types::analytics::Dimension;
use sqlx::{AssertSqlSafe, Row, any::AnyRow};

use super::{
    AnalyticsFilter,
    parts::{Of, Parts, list},
    ranked::RankedList,
};
use crate::{
    StorageError,
    database::{Database, PageRequest},
};

/// Views by dimension, site, and number of the value.
type Sums = BTreeMap<(Dimension, i64, i64), i64>;

/// Views with a value of a measure.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Measured {
    /// The measure.
    pub dimension: Dimension,
    /// The value.
    pub value: Arc<str>,
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
        let parts = self.parts(filter.of_pages().days()).await?;
        let rows = parts.values(dimensions, Of::Path);
        let mut measured = self.measures(&parts, dimensions, (&rows, "''")).await?;
        Ok(measured.remove("").unwrap_or_default())
    }

    /// What was measured on each of some pages, by page. Other pages can be among them.
    pub async fn analytics_measures_of_pages(
        &self,
        filter: AnalyticsFilter<'_>,
        dimensions: &[Dimension],
        pages: &[&str],
    ) -> Result<HashMap<String, Vec<Measured>>, StorageError> {
        let parts = self.parts(filter.of_pages().days()).await?;
        let rows = self.values_of_pages(&parts, dimensions, pages).await?;
        self.measures(&parts, dimensions, (&rows, "texts.text")).await
    }

    /// The pages with a measure in the days of a range, the most measured first.
    pub async fn analytics_measured_pages(
        &self,
        filter: AnalyticsFilter<'_>,
        dimension: Dimension,
        page: PageRequest<'_>,
    ) -> Result<Vec<MeasuredPage>, StorageError> {
        let parts = self.parts(filter.of_pages().days()).await?;
        let list = RankedList {
            rows: parts.values(&[dimension], Of::Pages),
            by: "page",
            sums: &[("total", "views")],
            latest: None,
            at_path: (!filter.path.is_empty()).then_some(("texts.text", filter.path)),
        };
        let read = |row: &AnyRow| {
            Ok(MeasuredPage { page: row.try_get("name")?, views: row.try_get("total")? })
        };
        self.ranked(&parts, list, page).await?.iter().map(read).collect()
    }

    /// What was measured in some rows of values, by page or together. The sums of a page come in one row: a row for each
    /// takes longer than all the rest.
    async fn measures(
        &self,
        parts: &Parts,
        dimensions: &[Dimension],
        (rows, name): (&str, &str),
    ) -> Result<HashMap<String, Vec<Measured>>, StorageError> {
        let sql = format!(
            "SELECT {name} AS name, counted.* FROM (SELECT site, page, STRING_AGG(CAST(dimension AS TEXT) || ' ' || \
             CAST(value AS TEXT) || ' ' || CAST(views AS TEXT), ',') AS sums FROM ({rows}) AS measured GROUP BY site, page) \
             AS counted JOIN analytics_texts AS texts ON texts.site = counted.site AND texts.id = counted.page"
        );
        let known: HashMap<_, _> =
            dimensions.iter().map(|dimension| (dimension.number(), *dimension)).collect();
        let mut pages: HashMap<String, Sums> = HashMap::new();
        for row in sqlx::query(AssertSqlSafe(sql)).fetch_all(&self.pool).await? {
            let (site, sums): (i64, String) = (row.try_get("site")?, row.try_get("sums")?);
            let page = pages.entry(row.try_get("name")?).or_default();
            for sum in sums.split(',') {
                let mut numbers = sum.split(' ').filter_map(|number| number.parse::<i64>().ok());
                let dimension = numbers.next().and_then(|number| known.get(&number).copied());
                let (Some(dimension), Some(value), Some(views)) =
                    (dimension, numbers.next(), numbers.next())
                else {
                    continue;
                };
                *page.entry((dimension, site, value)).or_default() += views;
            }
        }
        let texts = self.texts_of_values(parts, pages.values().flat_map(Sums::keys)).await?;
        let measured = |((dimension, site, value), views)| {
            let value = Arc::clone(texts.get(&(site, value))?);
            Some(Measured { dimension, value, views })
        };
        let measured = |sums: Sums| sums.into_iter().filter_map(measured).collect();
        Ok(pages.into_iter().map(|(name, sums)| (name, measured(sums))).collect())
    }

    /// The texts of measured values, by site and number.
    async fn texts_of_values(
        &self,
        parts: &Parts,
        values: impl Iterator<Item = &(Dimension, i64, i64)> + Send,
    ) -> Result<HashMap<(i64, i64), Arc<str>>, StorageError> {
        let numbers: BTreeSet<_> = values.map(|(.., value)| *value).collect();
        let sql = format!(
            "SELECT site, id, text FROM analytics_texts WHERE {} AND id IN ({})",
            parts.of_sites(),
            list(numbers.into_iter())
        );
        let mut texts = HashMap::new();
        for row in sqlx::query(AssertSqlSafe(sql)).fetch_all(&self.pool).await? {
            let text: String = row.try_get("text")?;
            texts.insert((row.try_get("site")?, row.try_get("id")?), text.into());
        }
        Ok(texts)
    }
}
