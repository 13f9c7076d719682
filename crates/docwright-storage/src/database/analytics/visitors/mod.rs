//! Unique visitors of a day. Nodes hash a visitor with the key of the day, in memory only, and keep a sketch of the
//! hashes. Sketches of nodes are merged here, and become a number when the day is over.

mod key;
mod key_file;
mod sketch;

use std::collections::BTreeMap;

use docwright_types::{
    analytics::Reader,
    timestamp::{DAY, MINUTE, Timestamp},
};
use sqlx::{Any, Row, Transaction};

use super::AnalyticsRange;
use crate::{
    StorageError,
    database::{Database, domain_renames::names_today},
};

pub use key::VisitorKey;
pub use sketch::VisitorSketch;

/// How long after the end of a day its sketches wait for nodes that write late. Milliseconds.
const LATE: Timestamp = 10 * MINUTE;

/// Unique visitors of a project in a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DayVisitors {
    /// Start of the day.
    pub day: Timestamp,
    /// People.
    pub human: i64,
    /// AI agents.
    pub ai: i64,
}

impl Database {
    /// Merges a node's sketch of the visitors of a domain in a day. Merging it again changes nothing. The sketch of a
    /// domain that was renamed counts for it. Does nothing if the domain is gone.
    pub async fn merge_visitors(
        &self,
        (domain, day, reader): (&str, Timestamp, Reader),
        sketch: &VisitorSketch,
    ) -> Result<(), StorageError> {
        let mut transaction = self.begin().await?;
        let today = names_today(&mut transaction, &[domain]).await?;
        let domain = today.get(domain).map_or(domain, String::as_str);
        // The update locks the row until the merged sketch is written.
        let sql = "INSERT INTO analytics_sketches (domain, starts_at, reader, registers) \
             SELECT name, $2, $3, $4 FROM domains WHERE name = $1 ON CONFLICT (domain, starts_at, reader) \
             DO UPDATE SET registers = analytics_sketches.registers RETURNING registers";
        let query = sqlx::query(sql).bind(domain).bind(day).bind(reader.name());
        let row = query.bind(sketch.to_text()).fetch_optional(&mut *transaction).await?;
        let Some(row) = row else { return Ok(()) };
        let mut merged = parse(&row.try_get::<String, _>("registers")?)?;
        if merged.merge(sketch) {
            let sql = "UPDATE analytics_sketches SET registers = $4 WHERE domain = $1 AND starts_at = $2 AND reader = $3";
            let query = sqlx::query(sql).bind(domain).bind(day).bind(reader.name());
            query.bind(merged.to_text()).execute(&mut *transaction).await?;
        }
        Ok(transaction.commit().await?)
    }

    /// The unique visitors of a project's sites in each day of a range with visitors, the earliest first. A visitor
    /// of two sites counts twice.
    pub async fn analytics_visitors(
        &self,
        project_id: &str,
        range: AnalyticsRange,
    ) -> Result<Vec<DayVisitors>, StorageError> {
        let AnalyticsRange { from, to, .. } = range.days();
        let mut days: BTreeMap<Timestamp, (i64, i64)> = BTreeMap::new();
        let of = "domain IN (SELECT name FROM domains WHERE project_id = $1) AND starts_at >= $2 AND starts_at < $3";
        let sql = format!("SELECT starts_at, human, ai FROM analytics_visitors WHERE {of}");
        let query = sqlx::query(sqlx::AssertSqlSafe(sql)).bind(project_id).bind(from).bind(to);
        for row in query.fetch_all(&self.pool).await? {
            let sum = days.entry(row.try_get("starts_at")?).or_default();
            sum.0 += row.try_get::<i64, _>("human")?;
            sum.1 += row.try_get::<i64, _>("ai")?;
        }
        let sql = format!("SELECT starts_at, reader, registers FROM analytics_sketches WHERE {of}");
        let query = sqlx::query(sqlx::AssertSqlSafe(sql)).bind(project_id).bind(from).bind(to);
        for row in query.fetch_all(&self.pool).await? {
            let count = parse(&row.try_get::<String, _>("registers")?)?.estimate();
            let sum = days.entry(row.try_get("starts_at")?).or_default();
            if row.try_get::<String, _>("reader")? == Reader::Ai.name() {
                sum.1 += count;
            } else {
                sum.0 += count;
            }
        }
        let day = |(day, (human, ai))| DayVisitors { day, human, ai };
        Ok(days.into_iter().map(day).collect())
    }

    /// Replaces the sketches of days that are over by numbers. Returns how many sketches were deleted.
    pub async fn reduce_sketches(&self, now: Timestamp) -> Result<u64, StorageError> {
        let today = (now - LATE) - (now - LATE).rem_euclid(DAY);
        let sql = "SELECT domain, starts_at FROM analytics_sketches WHERE starts_at < $1 LIMIT 100";
        let mut count = 0;
        loop {
            let rows = sqlx::query(sql).bind(today).fetch_all(&self.pool).await?;
            if rows.is_empty() {
                return Ok(count);
            }
            for row in rows {
                let (domain, day): (String, _) =
                    (row.try_get("domain")?, row.try_get("starts_at")?);
                let mut transaction = self.begin().await?;
                count += reduce(&mut transaction, &domain, day).await?;
                transaction.commit().await?;
            }
        }
    }
}

/// Replaces the sketches of a domain's day by numbers. A sketch that comes later counts if it has more visitors.
async fn reduce(
    transaction: &mut Transaction<'_, Any>,
    domain: &str,
    day: Timestamp,
) -> Result<u64, StorageError> {
    let sql = "DELETE FROM analytics_sketches WHERE domain = $1 AND starts_at = $2 RETURNING reader, registers";
    let rows = sqlx::query(sql).bind(domain).bind(day).fetch_all(&mut **transaction).await?;
    if rows.is_empty() {
        return Ok(0);
    }
    let (mut human, mut ai) = (0, 0);
    for row in &rows {
        let count = parse(&row.try_get::<String, _>("registers")?)?.estimate();
        if row.try_get::<String, _>("reader")? == Reader::Ai.name() {
            ai = count;
        } else {
            human = count;
        }
    }
    let sql = "INSERT INTO analytics_visitors (domain, starts_at, human, ai) VALUES ($1, $2, $3, $4) \
         ON CONFLICT (domain, starts_at) DO UPDATE SET \
         human = CASE WHEN excluded.human > analytics_visitors.human THEN excluded.human ELSE analytics_visitors.human END, \
         ai = CASE WHEN excluded.ai > analytics_visitors.ai THEN excluded.ai ELSE analytics_visitors.ai END";
    let query = sqlx::query(sql).bind(domain).bind(day).bind(human).bind(ai);
    query.execute(&mut **transaction).await?;
    Ok(rows.len() as u64)
}

fn parse(text: &str) -> Result<VisitorSketch, StorageError> {
    VisitorSketch::parse(text).map_err(StorageError::Value)
}
