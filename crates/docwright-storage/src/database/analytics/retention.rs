//! Retention of analytics: hours for 30 days, days of pages for 400 days, the rest for five years, and of each page and
//! folder the largest values a day.

use docwright_types::timestamp::{DAY, HOUR, Timestamp, month_of};
use sqlx::AssertSqlSafe;

use super::{live::KEPT_MINUTES, months::kept_values};
use crate::{StorageError, database::Database};

/// How long sums of hours are kept. Milliseconds.
pub const KEPT_HOURS: Timestamp = 30 * DAY;
/// How long sums of days of single pages are kept, at least: until the end of their month. Milliseconds.
pub const KEPT_DAYS_OF_PAGES: Timestamp = 400 * DAY;
/// How long sums of days of sites, and of months, are kept. Milliseconds.
pub const KEPT_ANALYTICS: Timestamp = 5 * 365 * DAY;
/// How long ids of batches are kept: a node that can't reach the database tries its batch again until then.
const KEPT_BATCHES: Timestamp = 7 * DAY;
/// Tables that are read whole.
const SMALL: [&str; 2] = ["analytics_visitors", "analytics_minutes"];
/// Ended days whose values are reduced: a node can write late.
const REDUCED_DAYS: i64 = 3;

impl Database {
    /// Removes analytics that are older than their retention. Returns the number of removed rows.
    pub async fn remove_old_analytics(&self, now: Timestamp) -> Result<u64, StorageError> {
        let mut removed = 0;
        let (hours, days) = (format!("step = {HOUR}"), format!("step = {DAY}"));
        let (views, totals) = ("domain, step, starts_at, page", "domain, folder, step, starts_at");
        let values = "domain, dimension, page, starts_at, value";
        let (hour_age, age) = (now - KEPT_HOURS - HOUR, now - KEPT_ANALYTICS);
        let pages_from = month_of(now - KEPT_DAYS_OF_PAGES);
        // The sum of their month has to come first.
        let summed = |table: &str| {
            format!(
                "starts_at < (SELECT summed_until FROM analytics_months AS marks WHERE marks.domain = {table}.domain)"
            )
        };
        let days_of_pages = format!("{days} AND {}", summed("analytics_views"));
        let values_of_pages = format!("page <> '' AND {}", summed("analytics_values"));
        for (table, key, which, before) in [
            ("analytics_views", views, hours.as_str(), hour_age),
            ("analytics_views", views, &days_of_pages, pages_from),
            ("analytics_totals", totals, &hours, hour_age),
            ("analytics_totals", totals, &days, age),
            ("analytics_values", values, &values_of_pages, pages_from),
            ("analytics_values", values, "page = ''", age),
            ("analytics_month_views", "domain, starts_at, page", "1 = 1", age),
            ("analytics_month_values", values, "1 = 1", age),
            ("analytics_visitors", "domain, starts_at", "1 = 1", age),
            ("analytics_minutes", "domain, starts_at, kind, value", "1 = 1", now - KEPT_MINUTES),
        ] {
            // The expression of the indexes by age. Small tables have a plain one.
            let start = if SMALL.contains(&table) { "starts_at" } else { "starts_at + 0" };
            let which = format!("{start} < $1 AND {which}");
            removed += self.remove_in_batches(table, key, &which, before).await?;
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

    /// Removes the values of each page and folder in a day beyond the largest ones.
    async fn reduce_values(&self, day: Timestamp) -> Result<u64, StorageError> {
        let key = "domain, dimension, page, starts_at, value";
        let sql = format!(
            "DELETE FROM analytics_values WHERE ({key}) IN (SELECT {key} FROM (SELECT {key}, ROW_NUMBER() OVER \
             (PARTITION BY domain, dimension, page ORDER BY views DESC, value) AS place FROM analytics_values \
             WHERE starts_at + 0 = $1 AND page <> '') AS ranked WHERE place > {})",
            kept_values()
        );
        let query = sqlx::query(AssertSqlSafe(sql)).bind(day);
        Ok(query.execute(&self.pool).await?.rows_affected())
    }
}
