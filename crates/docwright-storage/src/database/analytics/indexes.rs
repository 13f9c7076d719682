//! PostgreSQL's indexes of sums. A batch replaces the entries of the sums that it adds to, and the space of old entries
//! stays unused, because later sums have later times. So these indexes are rebuilt when they are mostly empty. SQLite
//! changes entries in place.

use sqlx::{AssertSqlSafe, Row};

use crate::{StorageError, database::Database};

/// The indexes whose entries have the counts.
const INDEXES: &str = "'analytics_values_pkey', 'analytics_month_values_pkey', 'analytics_views_pkey', 'analytics_month_views_pkey'";
/// About the bytes of an entry.
const ENTRY: i64 = 40;
/// One node rebuilds at a time. Any number that nothing else locks.
const LOCK: i64 = 0x6477_616e;

impl Database {
    /// Rebuilds each index with at least a number of bytes that takes more than 1.6 times those of its entries. Readers
    /// and writers go on. Returns how many were rebuilt; 0 on SQLite.
    pub async fn rebuild_sparse_indexes(&self, least_bytes: i64) -> Result<u64, StorageError> {
        if !self.postgres {
            return Ok(0);
        }
        let sparse = format!(
            "SELECT CAST(relname AS TEXT) AS name FROM pg_class WHERE relname IN ({INDEXES}) AND relkind = 'i' \
             AND pg_table_is_visible(oid) AND reltuples > 0 AND pg_relation_size(oid) >= $1 \
             AND pg_relation_size(oid) > 1.6 * {ENTRY} * reltuples + 65536 ORDER BY relname"
        );
        // The settings and the lock end with the connection, also if this is interrupted.
        let mut connection = self.pool.acquire().await?.detach();
        let run = |sql: String| sqlx::query(AssertSqlSafe(sql)).persistent(false);
        // A transaction that is left open delays it until the next round.
        run("SET lock_timeout = '60s'".to_owned()).execute(&mut connection).await?;
        let lock =
            run(format!("SELECT CAST(pg_try_advisory_lock({LOCK}) AS INTEGER) AS is_locked"));
        let is_locked: i32 = lock.fetch_one(&mut connection).await?.try_get("is_locked")?;
        if is_locked == 0 {
            return Ok(0);
        }
        let mut rebuilt = 0;
        for row in run(sparse).bind(least_bytes).fetch_all(&mut connection).await? {
            let name: String = row.try_get("name")?;
            for sql in [
                // What an interrupted rebuild left.
                format!("DROP INDEX CONCURRENTLY IF EXISTS {name}_ccnew"),
                format!("DROP INDEX CONCURRENTLY IF EXISTS {name}_ccold"),
                format!("REINDEX INDEX CONCURRENTLY {name}"),
            ] {
                run(sql).execute(&mut connection).await?;
            }
            rebuilt += 1;
        }
        Ok(rebuilt)
    }
}
