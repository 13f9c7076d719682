//! Adds batches of sums. The id of a batch is in the same transaction, so a batch counts once across retries,
//! restarts, and nodes.

use std::collections::{BTreeMap, BTreeSet};

use docwright_types::timestamp::{DAY, HOUR, Timestamp};
use sqlx::{Any, AssertSqlSafe, Row, Transaction};

use super::{AnalyticsBatch, ValueSum, ViewSum, Views};
use crate::{
    StorageError,
    database::{Database, new_id, retention::placeholders},
};

/// Rows of one statement.
const ROWS: usize = 200;

/// Views by domain, length of the step, its start, and page.
type Sums<'a> = BTreeMap<(&'a str, Timestamp, Timestamp, &'a str), Views>;

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
        let mut sums = Sums::new();
        for sum in batch.views.iter().filter(|sum| domains.contains(&sum.domain)) {
            for step in [HOUR, DAY] {
                let start = sum.hour - sum.hour.rem_euclid(step);
                let key = (sum.domain.as_str(), step, start, sum.page.as_str());
                for (views, more) in sums.entry(key).or_default().iter_mut().zip(sum.views) {
                    *views += more;
                }
            }
        }
        add_views(&mut transaction, sums).await?;
        let values = batch.values.iter().filter(|sum| domains.contains(&sum.domain));
        add_values(&mut transaction, values.collect(), now).await?;
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

/// Adds to the sums of views, in the order of their key: transactions of several nodes never wait in a circle.
async fn add_views(
    transaction: &mut Transaction<'_, Any>,
    sums: Sums<'_>,
) -> Result<(), StorageError> {
    let sums: Vec<_> = sums.into_iter().collect();
    for sums in sums.chunks(ROWS) {
        let sql = format!(
            "INSERT INTO analytics_views (domain, step, starts_at, page, human, ai, bot) VALUES {} \
             ON CONFLICT (domain, step, starts_at, page) DO UPDATE SET \
             human = analytics_views.human + excluded.human, ai = analytics_views.ai + excluded.ai, \
             bot = analytics_views.bot + excluded.bot",
            rows(sums.len())
        );
        let mut query = sqlx::query(AssertSqlSafe(sql));
        for ((domain, step, start, page), [human, ai, bot]) in sums {
            query = query.bind(*domain).bind(*step).bind(*start).bind(*page);
            query = query.bind(*human).bind(*ai).bind(*bot);
        }
        query.execute(&mut **transaction).await?;
    }
    Ok(())
}

async fn add_values(
    transaction: &mut Transaction<'_, Any>,
    mut sums: Vec<&ValueSum>,
    now: Timestamp,
) -> Result<(), StorageError> {
    sums.sort_by_key(|sum| (&sum.domain, sum.dimension.name(), &sum.page, sum.day, &sum.value));
    for sums in sums.chunks(ROWS) {
        let sql = format!(
            "INSERT INTO analytics_values (domain, dimension, page, starts_at, value, views, last_at) VALUES {} \
             ON CONFLICT (domain, dimension, page, starts_at, value) DO UPDATE SET \
             views = analytics_values.views + excluded.views, last_at = CASE WHEN \
             excluded.last_at > analytics_values.last_at THEN excluded.last_at ELSE analytics_values.last_at END",
            rows(sums.len())
        );
        let mut query = sqlx::query(AssertSqlSafe(sql));
        for sum in sums {
            // Sums are seconds old, unless the database was away.
            let last = (now - now.rem_euclid(HOUR)).clamp(sum.day, sum.day + DAY - HOUR);
            query = query.bind(&sum.domain).bind(sum.dimension.name()).bind(&sum.page);
            query = query.bind(sum.day).bind(&sum.value).bind(sum.views).bind(last);
        }
        query.execute(&mut **transaction).await?;
    }
    Ok(())
}

/// Parameters of a number of rows with seven columns.
fn rows(count: usize) -> String {
    const COLUMNS: usize = 7;
    let row = |number: usize| format!("({})", placeholders(number * COLUMNS + 1, COLUMNS));
    (0..count).map(row).collect::<Vec<_>>().join(", ")
}
