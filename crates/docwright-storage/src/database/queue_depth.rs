//! Depth of the queues, for monitoring.

use sqlx::{AssertSqlSafe, Row};

use super::{Database, leases::Queue};
use crate::StorageError;

/// Number of jobs of a queue in each state.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct QueueDepth {
    /// A worker can claim them now.
    pub waiting: i64,
    /// They failed, and wait for their next attempt.
    pub delayed: i64,
    /// A worker runs them.
    pub running: i64,
    /// How long the oldest waiting job could have been claimed, in milliseconds; 0 if none waits.
    pub oldest_wait: i64,
}

impl Database {
    /// Depth of a queue. Reads only the rows of unfinished jobs, through their index.
    pub async fn queue_depth(&self, queue: Queue) -> Result<QueueDepth, StorageError> {
        let row = sqlx::query(AssertSqlSafe(self.depth(queue))).fetch_one(&self.pool).await?;
        Ok(QueueDepth {
            waiting: row.try_get("waiting")?,
            delayed: row.try_get("delayed")?,
            running: row.try_get("running")?,
            oldest_wait: row.try_get::<i64, _>("oldest")?.max(0),
        })
    }

    /// A job waits since the latest of these: its request, its last requeue or attempt, the time of its next
    /// attempt, or the end of a lost worker's lease.
    fn depth(&self, queue: Queue) -> String {
        let (clock, latest) = (self.clock(), if self.postgres { "GREATEST" } else { "MAX" });
        format!(
            "SELECT COUNT(CASE WHEN state = 0 THEN 1 END) AS waiting, \
             COUNT(CASE WHEN state = 1 THEN 1 END) AS delayed, \
             COUNT(CASE WHEN state = 2 THEN 1 END) AS running, \
             {clock} - COALESCE(MIN(CASE WHEN state = 0 THEN since END), {clock}) AS oldest \
             FROM (SELECT CASE WHEN lease_expires_at >= {clock} THEN 2 WHEN run_after > {clock} THEN 1 ELSE 0 END AS state, \
             {latest}(updated_at, run_after, COALESCE(lease_expires_at, 0)) AS since FROM {table} WHERE {open}) AS jobs",
            table = queue.table(),
            open = queue.open(),
        )
    }
}

#[cfg(test)]
mod tests {
    use sqlx::AnyPool;

    use super::*;

    /// Finished jobs, among which a few unfinished ones are found.
    const ENDED: usize = 20_000;

    async fn fill(database: &Database) {
        let numbers = "WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < $1)";
        let count = i64::try_from(ENDED).unwrap();
        for sql in [
            "INSERT INTO organizations (id, name, plan, created_at) SELECT 'o', 'O', 'free', $1",
            "INSERT INTO projects (id, organization_id, name, repository, docs_path, created_at) SELECT 'p', 'o', 'P', '/r', '', $1",
            "INSERT INTO sites (id, project_id, branch, domain, activates_from, created_at) SELECT 's', 'p', '', 'a', 0, $1",
        ] {
            sqlx::query(sql).bind(count).execute(&database.pool).await.unwrap();
        }
        let releases = format!(
            "{numbers} INSERT INTO releases (id, site_id, project_id, organization_id, trigger_name, servable, status, \
             progress, page_count, warnings, warning_count, failures, interruptions, run_after, lease_number, created_at, updated_at) \
             SELECT CAST(n AS TEXT), 's', 'p', 'o', 'api', 1, CASE WHEN n <= 3 THEN 'queued' ELSE 'ready' END, \
             0, 0, '[]', 0, 0, 0, 0, 0, 0, 0 FROM numbers"
        );
        let jobs = format!(
            "{numbers} INSERT INTO agent_jobs (id, project_id, status, repository, model, usage, files_changed, failures, \
             run_after, created_at, updated_at) \
             SELECT CAST(n AS TEXT), 'p', CASE WHEN n <= 3 THEN 'active' ELSE 'archived' END, '/r', 'm', '{{}}', '[]', 0, 0, 0, 0 FROM numbers"
        );
        let projects = format!(
            "{numbers} INSERT INTO projects (id, organization_id, name, repository, docs_path, created_at) \
             SELECT CAST(n AS TEXT), 'o', CAST(n AS TEXT), '/r', '', 0 FROM numbers"
        );
        let standing = |table: &str| {
            format!(
                "{numbers} INSERT INTO {table} (id, project_id, status, requested, failures, interruptions, run_after, \
                 lease_number, created_at, updated_at) SELECT CAST(n AS TEXT), CAST(n AS TEXT), \
                 CASE WHEN n <= 3 THEN 'open' ELSE 'idle' END, 0, 0, 0, 0, 0, 0, 0 FROM numbers"
            )
        };
        for sql in [projects, releases, jobs, standing("polls"), standing("reports")] {
            sqlx::query(AssertSqlSafe(sql)).bind(count).execute(&database.pool).await.unwrap();
        }
        sqlx::query("ANALYZE").execute(&database.pool).await.unwrap();
    }

    /// How a database finds the depth of a queue.
    async fn plan(database: &Database, queue: Queue) -> String {
        let (explain, column) =
            if database.postgres { ("EXPLAIN", 0) } else { ("EXPLAIN QUERY PLAN", 3) };
        let sql = format!("{explain} {}", database.depth(queue));
        let rows = sqlx::query(AssertSqlSafe(sql)).fetch_all(&database.pool).await.unwrap();
        let lines: Vec<String> = rows.iter().map(|row| row.get(column)).collect();
        lines.join("\n")
    }

    async fn reads_what_has_not_ended(database: &Database) {
        fill(database).await;
        for queue in Queue::ALL {
            let plan = plan(database, queue).await;
            // Any index that starts with the status will do.
            let goes_by_status = plan.contains("(status=?") || plan.contains("Index Cond: (status");
            assert!(goes_by_status, "{plan}");
            assert!(!plan.contains("Seq Scan") && !plan.contains("SCAN"), "{plan}");
            assert_eq!(database.queue_depth(queue).await.unwrap().waiting, 3);
        }
    }

    #[tokio::test]
    async fn sqlite_counts_unfinished_jobs() {
        let folder = tempfile::tempdir().unwrap();
        reads_what_has_not_ended(&Database::open_folder(folder.path()).await.unwrap()).await;
    }

    #[tokio::test]
    #[ignore = "needs PostgreSQL"]
    async fn postgres_counts_unfinished_jobs() {
        let url = std::env::var("DOCWRIGHT_TEST_POSTGRES_URL")
            .expect("`cargo xtask test` starts a server; or set DOCWRIGHT_TEST_POSTGRES_URL");
        sqlx::any::install_default_drivers();
        let name = format!("depth_{}", std::process::id());
        let server = AnyPool::connect(&url).await.unwrap();
        let create = format!("CREATE DATABASE {name}");
        sqlx::query(AssertSqlSafe(create)).execute(&server).await.unwrap();
        let url = format!("{}/{name}", url.rsplit_once('/').unwrap().0);
        reads_what_has_not_ended(&Database::open(&url).await.unwrap()).await;
    }
}
