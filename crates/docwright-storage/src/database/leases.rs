//! One lease for every kind of job.
//!
//! A job's row is its queue entry. A worker claims it for a time, measured by the database's clock, and renews the
//! claim. Each claim has a number, one higher than the previous one, and every later write names it: a worker that
//! lost its lease can't change anything. The next job belongs to the organization that was served longest ago; its
//! previews come after its releases. A worker with several slots passes the free ones to the next claim
//! ([`Share`]), so long jobs of one organization never use all of them.

use docwright_types::timestamp::{HOUR, SECOND, Timestamp};
use sqlx::{Any, AssertSqlSafe, Row, Transaction, any::AnyRow};

use super::{Database, agent_runs, recurring_jobs, releases, reports};
use crate::StorageError;

/// Attempts after transient errors. With [`backoff`] between them they span hours.
pub const MAXIMUM_FAILURES: i64 = 12;
/// A job whose worker disappeared this often fails: the job itself can be the cause.
pub const MAXIMUM_INTERRUPTIONS: i64 = 20;

/// The first wait after a failure; it doubles with each failure.
const FIRST_WAIT: Timestamp = 5 * SECOND;
/// The longest wait after a failure.
const LONGEST_WAIT: Timestamp = HOUR;

/// Error of a job whose workers kept disappearing.
const ABANDONED: &str = "it was started many times and never finished; see the server log";

/// A kind of job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Queue {
    /// Releases to build.
    Releases,
    /// Agent jobs to work on.
    AgentJobs,
    /// Repositories to poll.
    Polls,
    /// Releases to report to a host.
    Reports,
}

/// A claim on a job. It is valid only as long as the row agrees: see [`Database::renew`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lease {
    /// The queue.
    pub queue: Queue,
    /// Id of the job.
    pub id: String,
    /// Number of the claim: the fencing token of every write.
    pub number: i64,
}

/// The slots that a worker leaves to its next claim. An instance with one organization has no limit.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Share {
    /// The organization that holds all slots but one: it gets no more.
    pub full: Option<String>,
    /// Whether one of several slots is free: previews leave that slot to other jobs.
    pub is_last: bool,
}

/// A job that was just claimed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// The claim on it.
    pub lease: Lease,
    /// The project of the job.
    pub project_id: String,
    /// The organization of the project.
    pub organization_id: String,
}

impl Queue {
    /// Every queue.
    pub const ALL: [Self; 4] = [Self::Releases, Self::AgentJobs, Self::Polls, Self::Reports];

    /// Name of its jobs in logs and metrics.
    pub const fn kind(self) -> &'static str {
        match self {
            Self::Releases => "release",
            Self::AgentJobs => "agent_job",
            Self::Polls => "poll",
            Self::Reports => "report",
        }
    }

    /// Its table, which is also its name in `queue_turns`.
    pub const fn table(self) -> &'static str {
        match self {
            Self::Releases => "releases",
            Self::AgentJobs => "agent_jobs",
            Self::Polls => "polls",
            Self::Reports => "reports",
        }
    }

    /// States in which a job waits or runs.
    pub(super) const fn open(self) -> &'static str {
        match self {
            Self::Releases => "status IN ('queued', 'building')",
            Self::AgentJobs => "status = 'active'",
            Self::Polls | Self::Reports => "status = 'open'",
        }
    }

    const fn turn(self) -> &'static str {
        match self {
            Self::Releases => "release_turn",
            Self::AgentJobs => "agent_turn",
            Self::Polls => "poll_turn",
            Self::Reports => "report_turn",
        }
    }

    /// Columns that a claim changes besides the lease.
    const fn started(self) -> &'static str {
        match self {
            Self::Releases => "status = 'building', ",
            Self::AgentJobs | Self::Polls | Self::Reports => "",
        }
    }

    /// Columns that requeuing a job changes besides the lease.
    const fn waiting(self) -> &'static str {
        match self {
            Self::Releases => "status = 'queued', ",
            Self::AgentJobs | Self::Polls | Self::Reports => "",
        }
    }

    /// Whether its rows stay when their work is done.
    const fn is_recurring(self) -> bool {
        matches!(self, Self::Polls | Self::Reports)
    }

    /// Order of the jobs of one organization. Previews come after all its releases, followed by lost bundles that
    /// no site waits for.
    const fn age(self) -> &'static str {
        if self.is_recurring() {
            return "job.run_after";
        }
        match self {
            Self::Releases => {
                "CASE WHEN job.bundle_lost_at IS NOT NULL AND NOT EXISTS (SELECT 1 FROM sites \
                 WHERE sites.id = job.site_id AND sites.restores_release_id = job.id) THEN 2 \
                 WHEN job.trigger_name = 'preview' THEN 1 ELSE 0 END, job.created_at"
            }
            _ => "job.created_at",
        }
    }
}

impl Share {
    /// Limits the jobs of a queue to this share. Binds [`Share::bound`] as the parameter of a number.
    fn condition(&self, queue: Queue, number: u8) -> String {
        let table = queue.table();
        // No organization has an empty id.
        let mut condition = format!(
            " AND ((SELECT organization_id FROM projects WHERE projects.id = {table}.project_id) \
             IS DISTINCT FROM ${number} OR NOT EXISTS (SELECT 1 FROM organizations WHERE id <> ${number}))"
        );
        if self.is_last && queue == Queue::Releases {
            condition += " AND (trigger_name <> 'preview' \
                 OR (SELECT COUNT(*) FROM (SELECT id FROM organizations LIMIT 2) AS first_two) < 2)";
        }
        condition
    }

    fn bound(&self) -> &str {
        self.full.as_deref().unwrap_or_default()
    }
}

/// How long to wait after a number of failures, in milliseconds. `random` is from 0 to 1: half of the
/// wait depends on it, so that jobs that failed together don't come back together.
pub fn backoff(failures: i64, random: f64) -> Timestamp {
    let doublings = u32::try_from(failures.clamp(1, 32) - 1).unwrap_or(0);
    let wait = FIRST_WAIT.saturating_mul(1 << doublings).min(LONGEST_WAIT);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        reason = "hours at most"
    )]
    let random = (wait as f64 / 2.0 * random.clamp(0.0, 1.0)) as Timestamp;
    wait / 2 + random
}

impl Database {
    /// Claims the job whose organization was served longest ago, for `duration` milliseconds, as a worker with one
    /// slot does.
    pub async fn claim(
        &self,
        queue: Queue,
        duration: Timestamp,
        now: Timestamp,
    ) -> Result<Option<Claim>, StorageError> {
        self.claim_share(queue, &Share::default(), duration, now).await
    }

    /// Claims the job whose organization was served longest ago among those that can use a slot of the worker, for
    /// `duration` milliseconds.
    pub async fn claim_share(
        &self,
        queue: Queue,
        share: &Share,
        duration: Timestamp,
        now: Timestamp,
    ) -> Result<Option<Claim>, StorageError> {
        let table = queue.table();
        // Reading costs no write, so an idle worker writes nothing.
        let look = format!(
            "SELECT 1 FROM {table} WHERE {}{} LIMIT 1",
            self.claimable(queue),
            share.condition(queue, 1)
        );
        let look = sqlx::query(AssertSqlSafe(look)).bind(share.bound());
        if look.fetch_optional(&self.pool).await?.is_none() {
            return Ok(None);
        }
        let mut transaction = self.begin().await?;
        // A write to the queue's own row comes first: claims wait for each other, so their order is exact.
        let turn =
            sqlx::query("UPDATE queue_turns SET turn = turn + 1 WHERE queue = $1 RETURNING turn")
                .bind(table)
                .fetch_one(&mut *transaction)
                .await?;
        let turn: i64 = turn.try_get("turn")?;
        self.fail_exhausted(&mut transaction, queue, now).await?;
        let next = self.claim_next(&mut transaction, (queue, share), duration, now).await?;
        let Some(row) = next else {
            transaction.commit().await?;
            return Ok(None);
        };
        let lease = Lease { queue, id: row.try_get("id")?, number: row.try_get("lease_number")? };
        let project_id: String = row.try_get("project_id")?;
        let served = format!(
            "UPDATE organizations SET {} = $1 WHERE id = (SELECT organization_id FROM projects WHERE id = $2) \
             RETURNING id",
            queue.turn()
        );
        let served = sqlx::query(AssertSqlSafe(served)).bind(turn).bind(&project_id);
        let organization_id = served.fetch_one(&mut *transaction).await?.try_get("id")?;
        if queue == Queue::Releases {
            releases::mirror(&mut transaction, &lease.id, now).await?;
        }
        transaction.commit().await?;
        Ok(Some(Claim { lease, project_id, organization_id }))
    }

    async fn claim_next(
        &self,
        transaction: &mut Transaction<'_, Any>,
        (queue, share): (Queue, &Share),
        duration: Timestamp,
        now: Timestamp,
    ) -> Result<Option<AnyRow>, StorageError> {
        let (table, clock) = (queue.table(), self.clock());
        let claimable = self.claimable(queue) + &share.condition(queue, 3);
        // The condition is repeated: the row can change between the read and the lock.
        let sql = format!(
            "UPDATE {table} SET {started}lease_number = lease_number + 1, lease_expires_at = {clock} + $1, \
             interruptions = interruptions + CASE WHEN lease_expires_at IS NULL THEN 0 ELSE 1 END, updated_at = $2 \
             WHERE {claimable} AND id = (SELECT job.id FROM {table} AS job \
             JOIN projects ON projects.id = job.project_id \
             JOIN organizations ON organizations.id = projects.organization_id \
             WHERE job.id IN (SELECT id FROM {table} WHERE {claimable}) \
             ORDER BY organizations.{turn}, {age}, job.id LIMIT 1) \
             RETURNING id, project_id, lease_number",
            started = queue.started(),
            turn = queue.turn(),
            age = queue.age(),
        );
        let query = sqlx::query(AssertSqlSafe(sql)).bind(duration).bind(now).bind(share.bound());
        Ok(query.fetch_optional(&mut **transaction).await?)
    }

    /// Jobs whose workers keep disappearing are not started again.
    async fn fail_exhausted(
        &self,
        transaction: &mut Transaction<'_, Any>,
        queue: Queue,
        now: Timestamp,
    ) -> Result<(), StorageError> {
        let sql = format!(
            "SELECT id, lease_number FROM {} WHERE {} AND (failures >= {MAXIMUM_FAILURES} \
             OR (interruptions >= {MAXIMUM_INTERRUPTIONS} AND lease_expires_at IS NOT NULL))",
            queue.table(),
            self.claimable(queue)
        );
        for row in sqlx::query(AssertSqlSafe(sql)).fetch_all(&mut **transaction).await? {
            let lease =
                Lease { queue, id: row.try_get("id")?, number: row.try_get("lease_number")? };
            self.fail_in(transaction, &lease, ABANDONED, now).await?;
        }
        Ok(())
    }

    /// Renews a lease for `duration` milliseconds. Returns whether it still holds.
    pub async fn renew(&self, lease: &Lease, duration: Timestamp) -> Result<bool, StorageError> {
        let sql = format!(
            "UPDATE {} SET lease_expires_at = {} + $1 WHERE {HELD}",
            lease.queue.table(),
            self.clock()
        );
        let query =
            sqlx::query(AssertSqlSafe(sql)).bind(duration).bind(&lease.id).bind(lease.number);
        Ok(query.execute(&self.pool).await?.rows_affected() == 1)
    }

    /// Returns a job to the queue unchanged, because its worker stops.
    pub async fn requeue(&self, lease: &Lease, now: Timestamp) -> Result<bool, StorageError> {
        let sql = format!(
            "UPDATE {} SET {}updated_at = $1, lease_expires_at = NULL WHERE {HELD}",
            lease.queue.table(),
            lease.queue.waiting()
        );
        let query = sqlx::query(AssertSqlSafe(sql)).bind(now).bind(&lease.id).bind(lease.number);
        Ok(query.execute(&self.pool).await?.rows_affected() == 1)
    }

    /// Puts a job back in the queue after a transient error: it runs again after `wait`
    /// milliseconds, or fails with `error` if there were too many failures. Returns whether the lease
    /// still held.
    pub async fn retry(
        &self,
        lease: &Lease,
        wait: Timestamp,
        error: &str,
        now: Timestamp,
    ) -> Result<bool, StorageError> {
        let mut transaction = self.begin().await?;
        let sql = format!(
            "UPDATE {} SET {}failures = failures + 1, run_after = {} + $1, updated_at = $4, \
             lease_expires_at = NULL WHERE {HELD} AND failures < {}",
            lease.queue.table(),
            lease.queue.waiting(),
            self.clock(),
            MAXIMUM_FAILURES - 1,
        );
        let query = sqlx::query(AssertSqlSafe(sql)).bind(wait).bind(&lease.id).bind(lease.number);
        let waits = query.bind(now).execute(&mut *transaction).await?.rows_affected() == 1;
        if waits && lease.queue == Queue::Releases {
            let line = format!("retried later: {error}");
            reports::log(&mut transaction, &lease.id, &line, now).await?;
        }
        let held = waits || self.fail_in(&mut transaction, lease, error, now).await?;
        transaction.commit().await?;
        Ok(held)
    }

    /// Fails a job permanently. Returns whether the lease still held.
    pub async fn fail(
        &self,
        lease: &Lease,
        error: &str,
        now: Timestamp,
    ) -> Result<bool, StorageError> {
        let mut transaction = self.begin().await?;
        let held = self.fail_in(&mut transaction, lease, error, now).await?;
        transaction.commit().await?;
        Ok(held)
    }

    async fn fail_in(
        &self,
        transaction: &mut Transaction<'_, Any>,
        lease: &Lease,
        error: &str,
        now: Timestamp,
    ) -> Result<bool, StorageError> {
        match lease.queue {
            Queue::Releases => releases::fail(transaction, lease, error, now).await,
            Queue::AgentJobs => agent_runs::fail(transaction, lease, error, now).await,
            Queue::Polls | Queue::Reports => {
                recurring_jobs::fail(transaction, lease, (error, self.clock()), now).await
            }
        }
    }

    /// How many transient errors a job had; zero for a deleted job.
    pub async fn failures(&self, lease: &Lease) -> Result<i64, StorageError> {
        let sql = format!("SELECT failures FROM {} WHERE id = $1", lease.queue.table());
        let query = sqlx::query(AssertSqlSafe(sql)).bind(&lease.id);
        let row = query.fetch_optional(&self.pool).await?;
        Ok(row.map(|row| row.try_get("failures")).transpose()?.unwrap_or(0))
    }

    /// Jobs that wait for a worker, or whose worker let the lease run out.
    pub(super) fn claimable(&self, queue: Queue) -> String {
        let clock = self.clock();
        format!(
            "{} AND run_after <= {clock} AND (lease_expires_at IS NULL OR lease_expires_at < {clock})",
            queue.open()
        )
    }
}

/// Whether a lease is held: binds the id as `$2` and the number as `$3`.
pub(super) const HELD: &str = "id = $2 AND lease_number = $3 AND lease_expires_at IS NOT NULL";

#[cfg(test)]
mod tests {
    use docwright_types::timestamp::MINUTE;

    use super::*;

    #[test]
    fn waits_double_up_to_an_hour_and_half_of_each_is_random() {
        assert_eq!((backoff(1, 0.0), backoff(1, 1.0)), (2_500, 5_000));
        assert_eq!((backoff(3, 0.0), backoff(3, 0.5)), (10_000, 15_000));
        assert_eq!((backoff(60, 1.0), backoff(60, 0.0)), (HOUR, HOUR / 2));
        assert_eq!(backoff(0, 1.0), backoff(1, 1.0));
    }

    #[test]
    fn job_outlasts_outage_of_an_hour() {
        let least: Timestamp = (1..MAXIMUM_FAILURES).map(|failures| backoff(failures, 0.0)).sum();
        assert!(least > 60 * MINUTE, "{least}");
    }
}
