//! Adds batches of sums. The id of a batch is in the same transaction, so a batch counts once across retries,
//! restarts, and nodes.

use std::collections::{BTreeMap, BTreeSet};

use docwright_types::timestamp::{DAY, Timestamp};
use sqlx::{Any, AssertSqlSafe, Row, Transaction};

use super::{AnalyticsBatch, ValueSum, ViewSum, Views};
use crate::{
    StorageError,
    database::{Database, new_id, retention::placeholders},
};

/// Rows of one statement.
const ROWS: usize = 200;

/// A key of a table of views, and its sums.
type Sum<'a> = ((&'a str, Timestamp, &'a str), Views);

impl AnalyticsBatch {
    /// A batch with a new id.
    pub fn new(views: Vec<ViewSum>, values: Vec<ValueSum>) -> Self {
        Self { id: new_id("batch"), views, values }
    }
}

impl Database {
    /// Adds a batch, unless it was added before. Sums of domains that are gone are left out. Returns whether it was
    /// added now.
    pub async fn add_analytics(
        &self,
        batch: &AnalyticsBatch,
        now: Timestamp,
    ) -> Result<bool, StorageError> {
        self.attempt(|| Box::pin(self.try_add_analytics(batch, now))).await
    }

    async fn try_add_analytics(
        &self,
        batch: &AnalyticsBatch,
        now: Timestamp,
    ) -> Result<bool, StorageError> {
        let mut transaction = self.begin().await?;
        let sql = "INSERT INTO analytics_batches (id, written_at) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING";
        let added = sqlx::query(sql).bind(&batch.id).bind(now).execute(&mut *transaction).await?;
        if added.rows_affected() == 0 {
            return Ok(false);
        }
        let domains = known_domains(&mut transaction, batch).await?;
        let (mut hours, mut days) = (BTreeMap::new(), BTreeMap::new());
        for sum in batch.views.iter().filter(|sum| domains.contains(&sum.domain)) {
            let day = sum.hour - sum.hour.rem_euclid(DAY);
            for (sums, start) in [(&mut hours, sum.hour), (&mut days, day)] {
                let key = (sum.domain.as_str(), start, sum.page.as_str());
                let views: &mut Views = sums.entry(key).or_default();
                for (views, more) in views.iter_mut().zip(sum.views) {
                    *views += more;
                }
            }
        }
        add_views(&mut transaction, "analytics_hours", hours).await?;
        add_views(&mut transaction, "analytics_days", days).await?;
        let values = batch.values.iter().filter(|sum| domains.contains(&sum.domain));
        add_values(&mut transaction, values.collect()).await?;
        transaction.commit().await?;
        Ok(true)
    }
}

/// The domains of a batch that exist.
async fn known_domains(
    transaction: &mut Transaction<'_, Any>,
    batch: &AnalyticsBatch,
) -> Result<BTreeSet<String>, StorageError> {
    let views = batch.views.iter().map(|sum| sum.domain.as_str());
    let names: BTreeSet<_> =
        views.chain(batch.values.iter().map(|sum| sum.domain.as_str())).collect();
    let names: Vec<_> = names.into_iter().collect();
    let mut known = BTreeSet::new();
    for names in names.chunks(ROWS) {
        let list = placeholders(1, names.len());
        let sql = format!("SELECT name FROM domains WHERE name IN ({list})");
        let mut query = sqlx::query(AssertSqlSafe(sql));
        for name in names {
            query = query.bind(*name);
        }
        for row in query.fetch_all(&mut **transaction).await? {
            known.insert(row.try_get("name")?);
        }
    }
    Ok(known)
}

/// Adds to the sums of a table, in the order of its key: transactions of several nodes never wait in a circle.
async fn add_views(
    transaction: &mut Transaction<'_, Any>,
    table: &str,
    sums: BTreeMap<(&str, Timestamp, &str), Views>,
) -> Result<(), StorageError> {
    let sums: Vec<Sum<'_>> = sums.into_iter().collect();
    for sums in sums.chunks(ROWS) {
        let sql = format!(
            "INSERT INTO {table} (domain, starts_at, page, human, ai, bot) VALUES {} \
             ON CONFLICT (domain, starts_at, page) DO UPDATE SET human = {table}.human + excluded.human, \
             ai = {table}.ai + excluded.ai, bot = {table}.bot + excluded.bot",
            rows(sums.len())
        );
        let mut query = sqlx::query(AssertSqlSafe(sql));
        for ((domain, start, page), [human, ai, bot]) in sums {
            query = query.bind(*domain).bind(*start).bind(*page).bind(*human).bind(*ai).bind(*bot);
        }
        query.execute(&mut **transaction).await?;
    }
    Ok(())
}

async fn add_values(
    transaction: &mut Transaction<'_, Any>,
    mut sums: Vec<&ValueSum>,
) -> Result<(), StorageError> {
    sums.sort_by_key(|sum| (&sum.domain, sum.dimension, &sum.page, sum.day, &sum.value));
    for sums in sums.chunks(ROWS) {
        let sql = format!(
            "INSERT INTO analytics_values (domain, dimension, page, starts_at, value, views) VALUES {} \
             ON CONFLICT (domain, dimension, page, starts_at, value) \
             DO UPDATE SET views = analytics_values.views + excluded.views",
            rows(sums.len())
        );
        let mut query = sqlx::query(AssertSqlSafe(sql));
        for sum in sums {
            query = query.bind(&sum.domain).bind(sum.dimension.name()).bind(&sum.page);
            query = query.bind(sum.day).bind(&sum.value).bind(sum.views);
        }
        query.execute(&mut **transaction).await?;
    }
    Ok(())
}

/// Parameters of a number of rows with six columns.
fn rows(count: usize) -> String {
    const COLUMNS: usize = 6;
    let row = |number: usize| format!("({})", placeholders(number * COLUMNS + 1, COLUMNS));
    (0..count).map(row).collect::<Vec<_>>().join(", ")
}
