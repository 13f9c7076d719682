//! Retention of analytics: hours for 30 days, days of pages for six months, the rest for five years, and of each page and
//! folder the largest values a day.

use docwright_types::{
    analytics::Dimension,
    timestamp::{DAY, Timestamp, month_of, next_month},
};
use sqlx::AssertSqlSafe;

use super::{
    live::KEPT_MINUTES,
    numbers::{EMPTY, hours},
    parts::list,
};
use crate::{StorageError, database::Database};

/// How long sums of hours are kept. Milliseconds.
pub const KEPT_HOURS: Timestamp = 30 * DAY;
/// How long sums of days of single pages are kept, at least: until the end of their month. Milliseconds.
pub const KEPT_DAYS_OF_PAGES: Timestamp = 184 * DAY;
/// How long sums of days of sites, and of months, are kept. Milliseconds.
pub const KEPT_ANALYTICS: Timestamp = 5 * 365 * DAY;
/// How long ids of batches are kept: a node that can't reach the database tries its batch again until then.
const KEPT_BATCHES: Timestamp = 7 * DAY;
/// Ended days, and months, whose values are reduced: a node can write late.
const REDUCED_DAYS: i64 = 3;
/// Values of a dimension that are kept of a page, and of a folder, for a day or month that is over.
const VALUES: [i64; 2] = [10, 100];
/// The same for the current month: more, since the largest ones of the month aren't known yet.
const VALUES_SO_FAR: [i64; 2] = [100, 1_000];
/// All sites: keys begin with them, so that no index by age is needed.
const SITES: &str = "site IN (SELECT id FROM analytics_sites)";

impl Database {
    /// Removes analytics that are older than their retention. Returns the number of removed rows.
    pub async fn remove_old_analytics(&self, now: Timestamp) -> Result<u64, StorageError> {
        // A node can add to old sums in another order, in a batch that waited for the database.
        self.attempt(|| Box::pin(self.try_remove_old_analytics(now))).await
    }

    async fn try_remove_old_analytics(&self, now: Timestamp) -> Result<u64, StorageError> {
        let mut removed = 0;
        let age = hours(now - KEPT_ANALYTICS);
        let month_age = hours(month_of(now - KEPT_ANALYTICS));
        let (hour_age, pages_from) =
            (hours(now - KEPT_HOURS) - 1, hours(month_of(now - KEPT_DAYS_OF_PAGES)));
        let of_sites = |which: &str| format!("{SITES} AND {which}start < $1");
        let dimensions = all_dimensions();
        let of_dimensions = |which: &str| format!("{SITES} AND {dimensions} AND start < $1{which}");
        let folders = format!(
            "(site, folder) IN (SELECT site, id FROM analytics_texts WHERE {SITES} AND id <= 0)"
        );
        let of_folders = |which: &str| format!("{folders} AND {which} AND start < $1");
        let views = "site, step, start, page";
        let (totals, values) = ("site, folder, step, start", "site, dimension, start, page, value");
        for (table, key, which, before) in [
            ("analytics_views", views, of_sites("step = 1 AND "), hour_age),
            ("analytics_views", views, of_sites("step = 24 AND "), pages_from),
            ("analytics_totals", totals, of_folders("step = 1"), hour_age),
            ("analytics_totals", totals, of_folders("step = 24"), age),
            ("analytics_values", values, of_dimensions(" AND page <> 0"), pages_from),
            ("analytics_values", values, of_dimensions(" AND page = 0"), age),
            ("analytics_month_views", "site, start, page", of_sites(""), month_age),
            ("analytics_month_values", values, of_dimensions(""), month_age),
            ("analytics_visitors", "domain, starts_at", before("starts_at"), now - KEPT_ANALYTICS),
            (
                "analytics_minutes",
                "domain, starts_at, kind, value",
                before("starts_at"),
                now - KEPT_MINUTES,
            ),
            ("analytics_batches", "id", before("written_at"), now - KEPT_BATCHES),
        ] {
            removed += self.remove_in_batches(table, key, &which, before).await?;
        }
        removed += self.remove_unused_texts(month_age).await?;
        let today = now - now.rem_euclid(DAY);
        for day in 1..=REDUCED_DAYS {
            let day = today - day * DAY;
            removed += self.reduce_values("analytics_values", day, VALUES).await?;
            let month = month_of(day);
            if next_month(month) == day + DAY {
                removed += self.reduce_values("analytics_month_values", month, VALUES).await?;
            }
        }
        let month = month_of(now);
        Ok(removed + self.reduce_values("analytics_month_values", month, VALUES_SO_FAR).await?)
    }

    /// Removes texts that were last used before a month: no sum has them anymore. A text that is used again at this
    /// moment stays.
    async fn remove_unused_texts(&self, before: i64) -> Result<u64, StorageError> {
        let sql = format!("DELETE FROM analytics_texts WHERE used_in < $1 AND id <> {EMPTY}");
        let query = sqlx::query(AssertSqlSafe(sql)).bind(before);
        Ok(query.execute(&self.pool).await?.rows_affected())
    }

    /// Removes the values of each page and folder beyond the largest ones, from sums that start at a time.
    async fn reduce_values(
        &self,
        table: &str,
        start: Timestamp,
        [of_page, of_folder]: [i64; 2],
    ) -> Result<u64, StorageError> {
        let key = "site, dimension, start, page, value";
        let sql = format!(
            "DELETE FROM {table} WHERE ({key}) IN (SELECT {key} FROM (SELECT {key}, ROW_NUMBER() OVER \
             (PARTITION BY site, dimension, page ORDER BY views DESC, value) AS place FROM {table} \
             WHERE {SITES} AND {} AND start = $1 AND page <> 0) AS ranked \
             WHERE place > CASE WHEN page < 0 THEN {of_folder} ELSE {of_page} END)",
            all_dimensions()
        );
        let query = sqlx::query(AssertSqlSafe(sql)).bind(hours(start));
        Ok(query.execute(&self.pool).await?.rows_affected())
    }
}

/// The condition of any dimension, in the order of keys.
fn all_dimensions() -> String {
    format!("dimension IN ({})", list(Dimension::ALL.iter().map(|dimension| dimension.number())))
}

/// The condition that a time is before the one that is bound.
fn before(column: &str) -> String {
    format!("{column} < $1")
}
