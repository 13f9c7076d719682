//! Where the names of domains lead, as checks found.

use docwright_types::{
    domain_check::{DnsState, FoundDns},
    timestamp::{SECOND, Timestamp},
};
use sqlx::{Row, any::AnyRow};

use super::Database;
use crate::StorageError;

/// Shortest time between two checks of a name, since anyone can request one.
const LEAST_PAUSE: i64 = 5 * SECOND;

/// The last check of a domain's name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DomainCheck {
    /// Where the name leads.
    pub state: DnsState,
    /// What else was found.
    pub found: FoundDns,
    /// When.
    pub checked_at: Timestamp,
}

impl Database {
    /// Domains whose name has to be checked, those that have waited longest first.
    pub async fn due_domain_dns_checks(
        &self,
        now: Timestamp,
        limit: i64,
    ) -> Result<Vec<String>, StorageError> {
        let sql = "SELECT name FROM domains WHERE check_after <= $1 ORDER BY check_after LIMIT $2";
        let rows = sqlx::query(sql).bind(now).bind(limit).fetch_all(&self.pool).await?;
        rows.iter().map(|row| Ok(row.try_get("name")?)).collect()
    }

    /// Starts a check of a domain's name, and schedules the next one. Returns how many checks before failed;
    /// `None` if another check has just started, or the domain is gone.
    pub async fn begin_domain_dns_check(
        &self,
        name: &str,
        now: Timestamp,
        next: Timestamp,
    ) -> Result<Option<i64>, StorageError> {
        let query = sqlx::query(
            "UPDATE domains SET checked_at = $1, check_after = $2 WHERE name = $3 AND checked_at <= $4 \
             RETURNING check_failures",
        );
        let query = query.bind(now).bind(next).bind(name).bind(now - LEAST_PAUSE);
        let row = query.fetch_optional(&self.pool).await?;
        row.map(|row| Ok(row.try_get("check_failures")?)).transpose()
    }

    /// Records what a check found, and when the next one is. A check that couldn't tell leaves a state that was
    /// known. What domains redirect to can depend on it.
    pub async fn record_domain_dns(
        &self,
        name: &str,
        (state, found): (DnsState, &FoundDns),
        next: Timestamp,
    ) -> Result<(), StorageError> {
        let mut transaction = self.begin().await?;
        let is_correct = state == DnsState::Correct;
        if state == DnsState::Unknown {
            let query = sqlx::query(
                "UPDATE domains SET check_after = $1, check_failures = check_failures + 1, \
                 found = CASE WHEN dns_state IS NULL OR dns_state = $2 THEN $3 ELSE found END, \
                 dns_state = COALESCE(dns_state, $2) WHERE name = $4",
            );
            let query = query.bind(next).bind(state.name()).bind(text(found)).bind(name);
            query.execute(&mut *transaction).await?;
            return Ok(transaction.commit().await?);
        }
        let sql = "SELECT dns_state FROM domains WHERE name = $1";
        let row = sqlx::query(sql).bind(name).fetch_optional(&mut *transaction).await?;
        let Some(row) = row else { return Ok(()) };
        let before: Option<String> = row.try_get("dns_state")?;
        let was_correct = before.as_deref() == Some(DnsState::Correct.name());
        let query = sqlx::query(
            "UPDATE domains SET dns_state = $1, found = $2, check_after = $3, \
             check_failures = CASE WHEN $1 = 'correct' THEN 0 ELSE check_failures + 1 END WHERE name = $4",
        );
        let query = query.bind(state.name()).bind(text(found)).bind(next).bind(name);
        query.execute(&mut *transaction).await?;
        self.commit_serving(transaction, was_correct != is_correct).await
    }
}

fn text(found: &FoundDns) -> String {
    serde_json::to_string(found).unwrap_or_default()
}

/// The check in a row of a domain.
pub(super) fn read(row: &AnyRow) -> Result<Option<DomainCheck>, StorageError> {
    let Some(state) = row.try_get::<Option<String>, _>("dns_state")? else { return Ok(None) };
    let found: Option<String> = row.try_get("found")?;
    let found = found.map(|found| serde_json::from_str(&found)).transpose();
    Ok(Some(DomainCheck {
        state: state.parse().map_err(StorageError::Value)?,
        found: found.map_err(|error| StorageError::Value(error.to_string()))?.unwrap_or_default(),
        checked_at: row.try_get("checked_at")?,
    }))
}
