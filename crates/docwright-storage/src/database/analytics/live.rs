//! Views by minute, for an hour: what readers read now.

use std::collections::BTreeMap;

use docwright_types::timestamp::{HOUR, MINUTE, Timestamp};
use serde::{Deserialize, Serialize};
use sqlx::{Any, AssertSqlSafe, Row, Transaction, any::AnyRow};

use super::write::{ROWS, rows};
use crate::{StorageError, database::Database};

/// How long sums of minutes are kept. Milliseconds.
pub(super) const KEPT_MINUTES: Timestamp = HOUR;

/// What the views of a minute are counted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum LiveKind {
    /// All views; their value is empty.
    All,
    /// Path of the page.
    Page,
    /// Host of the page with the link that people followed.
    Referrer,
    /// Name of an AI agent.
    Agent,
}

/// Views in a minute with one value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MinuteSum {
    /// The site's domain.
    pub domain: String,
    /// Start of the minute.
    pub minute: Timestamp,
    /// What they are counted by.
    pub kind: LiveKind,
    /// The value; empty for all values beyond the limits.
    pub value: String,
    /// How many by people and by AI agents.
    pub views: [i64; 2],
}

/// Views with one value since a minute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LiveViews {
    /// The value; empty for all values beyond the limits.
    pub value: String,
    /// Views by people.
    pub human: i64,
    /// Views by AI agents.
    pub ai: i64,
}

impl LiveKind {
    /// All kinds.
    pub const ALL: [Self; 4] = [Self::All, Self::Page, Self::Referrer, Self::Agent];

    /// The name in the database.
    const fn name(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Page => "page",
            Self::Referrer => "referrer",
            Self::Agent => "agent",
        }
    }
}

impl Database {
    /// Views of a project's sites in each minute since a time by people and AI agents, the earliest first. Minutes
    /// without views are left out.
    pub async fn analytics_minutes(
        &self,
        project_id: &str,
        from: Timestamp,
    ) -> Result<Vec<(Timestamp, [i64; 2])>, StorageError> {
        let sql = format!(
            "SELECT starts_at, CAST(SUM(human) AS BIGINT) AS human, CAST(SUM(ai) AS BIGINT) AS ai {} \
             GROUP BY starts_at ORDER BY starts_at",
            since(LiveKind::All)
        );
        let query = sqlx::query(AssertSqlSafe(sql)).bind(project_id).bind(from);
        let read = |row: &AnyRow| {
            Ok((row.try_get("starts_at")?, [row.try_get("human")?, row.try_get("ai")?]))
        };
        query.fetch_all(&self.pool).await?.iter().map(read).collect()
    }

    /// The values with the most views of a project's sites since a time.
    pub async fn analytics_live(
        &self,
        project_id: &str,
        (from, kind): (Timestamp, LiveKind),
        limit: i64,
    ) -> Result<Vec<LiveViews>, StorageError> {
        let sql = format!(
            "SELECT value, CAST(SUM(human) AS BIGINT) AS human, CAST(SUM(ai) AS BIGINT) AS ai {} GROUP BY value \
             ORDER BY SUM(human + ai) DESC, value COLLATE \"binary\" LIMIT {limit}",
            since(kind)
        );
        let query = sqlx::query(AssertSqlSafe(sql)).bind(project_id).bind(from);
        let read = |row: &AnyRow| {
            let (human, ai) = (row.try_get("human")?, row.try_get("ai")?);
            Ok(LiveViews { value: row.try_get("value")?, human, ai })
        };
        query.fetch_all(&self.pool).await?.iter().map(read).collect()
    }
}

fn since(kind: LiveKind) -> String {
    format!(
        "FROM analytics_minutes WHERE domain IN (SELECT name FROM domains WHERE project_id = $1) \
         AND starts_at >= $2 AND kind = '{}'",
        kind.name()
    )
}

/// Adds to the sums of minutes that are still kept, in the order of their key. Each key occurs once.
pub(super) async fn add_minutes(
    transaction: &mut Transaction<'_, Any>,
    sums: impl Iterator<Item = &MinuteSum> + Send,
    now: Timestamp,
) -> Result<(), StorageError> {
    // Two names of a domain that was renamed have one sum.
    let mut by_key: BTreeMap<_, [i64; 2]> = BTreeMap::new();
    for sum in sums.filter(|sum| sum.minute >= now - KEPT_MINUTES) {
        let start = sum.minute - sum.minute.rem_euclid(MINUTE);
        let views = by_key.entry((&sum.domain, start, sum.kind, &sum.value)).or_default();
        views[0] += sum.views[0];
        views[1] += sum.views[1];
    }
    let sums: Vec<_> = by_key.into_iter().collect();
    for sums in sums.chunks(ROWS) {
        let sql = format!(
            "INSERT INTO analytics_minutes (domain, starts_at, kind, value, human, ai) VALUES {} \
             ON CONFLICT (domain, starts_at, kind, value) DO UPDATE SET \
             human = analytics_minutes.human + excluded.human, ai = analytics_minutes.ai + excluded.ai",
            rows::<6>(sums.len())
        );
        let mut query = sqlx::query(AssertSqlSafe(sql));
        for ((domain, start, kind, value), [human, ai]) in sums {
            query = query.bind(*domain).bind(*start).bind(kind.name()).bind(*value);
            query = query.bind(*human).bind(*ai);
        }
        query.execute(&mut **transaction).await?;
    }
    Ok(())
}
