//! Retention of analytics: hours for 30 days, days for five years, and of each page the ten largest values a day.

use docwright_types::timestamp::{DAY, HOUR, Timestamp};
use sqlx::AssertSqlSafe;

use crate::{StorageError, database::Database};

/// How long sums of hours are kept. Milliseconds.
pub const KEPT_HOURS: Timestamp = 30 * DAY;
/// How long sums of days are kept. Milliseconds.
pub const KEPT_ANALYTICS: Timestamp = 5 * 365 * DAY;
/// How long ids of batches are kept: a node that can't reach the database tries its batch again until then.
const KEPT_BATCHES: Timestamp = 7 * DAY;
/// Values of a dimension that are kept for each page and day.
const VALUES_OF_PAGE: i64 = 10;
/// Ended days whose values are reduced: a node can write late.
const REDUCED_DAYS: i64 = 3;

impl Database {
    /// Removes analytics that are older than their retention. Returns the number of removed rows.
    pub async fn remove_old_analytics(&self, now: Timestamp) -> Result<u64, StorageError> {
        let mut removed = 0;
        let views = "domain, step, starts_at, page";
        let hours = format!("step = {HOUR} AND starts_at < $1");
        let days = format!("step = {DAY} AND starts_at < $1");
        for (table, key, which, age) in [
            ("analytics_views", views, hours.as_str(), KEPT_HOURS + HOUR),
            ("analytics_views", views, &days, KEPT_ANALYTICS),
            (
                "analytics_values",
                "domain, dimension, page, starts_at, value",
                "starts_at < $1",
                KEPT_ANALYTICS,
            ),
            ("analytics_visitors", "domain, starts_at", "starts_at < $1", KEPT_ANALYTICS),
        ] {
            removed += self.remove_in_batches(table, key, which, now - age).await?;
        }
        let written = "written_at < $1";
        let before = now - KEPT_BATCHES;
        removed += self.remove_in_batches("analytics_batches", "id", written, before).await?;
        let today = now - now.rem_euclid(DAY);
        for day in 1..=REDUCED_DAYS {
            removed += self.reduce_values(today - day * DAY).await?;
        }
        Ok(removed)
    }

    /// Removes the values of each page in a day beyond the largest ones.
    async fn reduce_values(&self, day: Timestamp) -> Result<u64, StorageError> {
        let key = "domain, dimension, page, starts_at, value";
        let sql = format!(
            "DELETE FROM analytics_values WHERE ({key}) IN (SELECT {key} FROM (SELECT {key}, ROW_NUMBER() OVER \
             (PARTITION BY domain, dimension, page ORDER BY views DESC, value) AS place FROM analytics_values \
             WHERE starts_at = $1 AND page <> '') AS ranked WHERE place > {VALUES_OF_PAGE})"
        );
        let query = sqlx::query(AssertSqlSafe(sql)).bind(day);
        Ok(query.execute(&self.pool).await?.rows_affected())
    }
}
