//! Sums months of days, once the month is over. Each site has a mark: the months before it are summed.
//!
//! A month is summed in one transaction, which locks the mark and moves it, so it is summed once across nodes and
//! kills. A batch with days of a month that is over locks the mark too: it comes before the sum, which then contains
//! it, or after it, and adds to the month itself.

use std::collections::BTreeMap;

use docwright_types::timestamp::{DAY, HOUR, MINUTE, Timestamp, month_of, next_month};
use sqlx::{Any, AssertSqlSafe, Row, Transaction};

use super::AnalyticsBatch;
use crate::{StorageError, database::Database};

/// How long after its end a month is summed. Milliseconds.
const LATE: Timestamp = 10 * MINUTE;
/// How much later than the clock of a node that adds a batch another node's clock can be. Milliseconds.
const SKEW: Timestamp = HOUR;
/// Values of a dimension that are kept for each page.
const VALUES_OF_PAGE: i64 = 10;
/// The same for each folder.
const VALUES_OF_FOLDER: i64 = 100;
/// Sites of one statement.
const SITES: i64 = 100;

impl Database {
    /// Sums the months of all sites that are over. Returns how many months were summed now.
    pub async fn sum_analytics_months(&self, now: Timestamp) -> Result<u64, StorageError> {
        let end = month_of(now - LATE);
        let sql = format!(
            "SELECT name, COALESCE(summed_until, -1) AS summed_until FROM domains \
             LEFT JOIN analytics_months ON domain = name WHERE name > $1 ORDER BY name LIMIT {SITES}"
        );
        let (mut after, mut count) = (String::new(), 0);
        loop {
            let query = sqlx::query(AssertSqlSafe(sql.clone())).bind(&after);
            let rows = query.fetch_all(&self.pool).await?;
            let Some(last) = rows.last() else { return Ok(count) };
            after = last.try_get("name")?;
            for row in &rows {
                let (domain, summed_until): (String, Timestamp) =
                    (row.try_get("name")?, row.try_get("summed_until")?);
                if summed_until < end {
                    count += self.sum_months_of(&domain, end).await?;
                }
            }
        }
    }

    /// Sums the months of a site before a time, one in each transaction.
    async fn sum_months_of(&self, domain: &str, end: Timestamp) -> Result<u64, StorageError> {
        let mut count = 0;
        loop {
            let summed = self.attempt(|| Box::pin(self.try_sum_month(domain, end))).await?;
            if !summed {
                return Ok(count);
            }
            count += 1;
        }
    }

    /// Sums the first month of a site that isn't summed and is before a time. Returns whether there was one.
    async fn try_sum_month(&self, domain: &str, end: Timestamp) -> Result<bool, StorageError> {
        let mut transaction = self.begin().await?;
        let Some(mark) = lock_mark(&mut transaction, domain).await? else { return Ok(false) };
        let month = match mark {
            Some(month) => month,
            // The first time, everything before the first day is summed.
            None => first_month(&mut transaction, domain).await?.unwrap_or(end).min(end),
        };
        let is_over = month < end;
        if is_over {
            sum_month(&mut transaction, domain, month).await?;
        }
        if is_over || mark.is_none() {
            let until = if is_over { next_month(month) } else { month };
            let sql = "UPDATE analytics_months SET summed_until = $2 WHERE domain = $1";
            sqlx::query(sql).bind(domain).bind(until).execute(&mut *transaction).await?;
        }
        transaction.commit().await?;
        Ok(is_over)
    }
}

/// Locks the mark of a site until the transaction ends. The mark is `None` if nothing of the site is summed; there is
/// none if the site is gone.
async fn lock_mark(
    transaction: &mut Transaction<'_, Any>,
    domain: &str,
) -> Result<Option<Option<Timestamp>>, StorageError> {
    let sql = "INSERT INTO analytics_months (domain, summed_until) SELECT name, -1 FROM domains WHERE name = $1 \
         ON CONFLICT (domain) DO UPDATE SET summed_until = analytics_months.summed_until RETURNING summed_until";
    let row = sqlx::query(sql).bind(domain).fetch_optional(&mut **transaction).await?;
    let mark = row.map(|row| row.try_get::<Timestamp, _>("summed_until")).transpose()?;
    Ok(mark.map(|mark| (mark >= 0).then_some(mark)))
}

/// The month of the first day with sums.
async fn first_month(
    transaction: &mut Transaction<'_, Any>,
    domain: &str,
) -> Result<Option<Timestamp>, StorageError> {
    let mut first = None;
    for table in ["analytics_totals", "analytics_values"] {
        let sql = format!("SELECT MIN(starts_at) AS first FROM {table} WHERE domain = $1");
        let query = sqlx::query(AssertSqlSafe(sql)).bind(domain);
        let row = query.fetch_one(&mut **transaction).await?;
        let found: Option<Timestamp> = row.try_get("first")?;
        first = [first, found].into_iter().flatten().min();
    }
    Ok(first.map(month_of))
}

/// How many values of a dimension are kept of a page or folder, for its day or month.
pub(super) fn kept_values() -> String {
    format!("CASE WHEN page LIKE '%/' THEN {VALUES_OF_FOLDER} ELSE {VALUES_OF_PAGE} END")
}

/// Writes the sums of a month. Of each page and folder, the largest values of a dimension are kept.
async fn sum_month(
    transaction: &mut Transaction<'_, Any>,
    domain: &str,
    month: Timestamp,
) -> Result<(), StorageError> {
    let views = format!(
        "INSERT INTO analytics_month_views (domain, starts_at, page, human, ai, bot) \
         SELECT domain, $2, page, SUM(human), SUM(ai), SUM(bot) FROM analytics_views \
         WHERE domain = $1 AND step = {DAY} AND starts_at >= $2 AND starts_at < $3 GROUP BY domain, page"
    );
    let values = format!(
        "INSERT INTO analytics_month_values (domain, starts_at, dimension, page, value, views, last_at) \
         SELECT domain, $2, dimension, page, value, views, last_at FROM (SELECT *, ROW_NUMBER() OVER \
         (PARTITION BY dimension, page ORDER BY views DESC, value) AS place FROM (SELECT domain, dimension, page, value, \
         SUM(views) AS views, MAX(last_at) AS last_at FROM analytics_values \
         WHERE domain = $1 AND starts_at >= $2 AND starts_at < $3 GROUP BY domain, dimension, page, value) AS sums) \
         AS ranked WHERE page = '' OR place <= {}",
        kept_values()
    );
    for sql in [views, values] {
        let query = sqlx::query(AssertSqlSafe(sql)).bind(domain).bind(month);
        query.bind(next_month(month)).execute(&mut **transaction).await?;
    }
    Ok(())
}

/// Locks the marks of sites with days in a batch of a month that is over, and returns them. It comes before the sums of
/// the batch, in the order of the sites: transactions never wait in a circle.
pub(super) async fn lock_late(
    transaction: &mut Transaction<'_, Any>,
    batch: &AnalyticsBatch,
    now: Timestamp,
) -> Result<BTreeMap<String, Timestamp>, StorageError> {
    let current = month_of(now + SKEW);
    let views = batch.views.iter().map(|sum| (&sum.domain, sum.hour));
    let values = batch.values.iter().map(|sum| (&sum.domain, sum.day));
    let late = views.chain(values).filter(|(_, start)| *start < current);
    let mut marks: BTreeMap<_, _> = late.map(|(domain, _)| (domain.clone(), 0)).collect();
    for (domain, mark) in &mut marks {
        let locked = lock_mark(transaction, domain).await?;
        *mark = locked.flatten().unwrap_or_default();
    }
    Ok(marks)
}
