//! Reports to git hosts about releases: the diagnostics of a build, the new ones among them, and the last report.

use docwright_types::{
    release::Release,
    stored_diagnostic::{NewDiagnostics, StoredDiagnostics},
    timestamp::Timestamp,
};
use sqlx::{Any, AssertSqlSafe, Row, Transaction};

use super::{
    Database,
    leases::{HELD, Lease},
    previews::BASE,
};
use crate::StorageError;

/// The report about a release.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// The last report.
    pub reported: Option<String>,
    /// Why the report failed, in a sentence.
    pub error: Option<String>,
    /// Consecutive failures.
    pub failures: i64,
    /// When the first of them was.
    pub failing_since: Option<Timestamp>,
}

/// Longest line of it.
const MAXIMUM_LINE: usize = 500;
/// The log with another line, which is bound as `$1`, unless the log is full.
const ADDED: &str = "CASE WHEN length(log) < 16000 THEN log || $1 ELSE log END";

impl Database {
    /// Requests reports about a release to the host of its repository from now on.
    pub async fn watch_release(&self, id: &str, now: Timestamp) -> Result<(), StorageError> {
        let sql = "INSERT INTO reports (id, project_id, status, requested, failures, interruptions, run_after, \
             lease_number, created_at, updated_at) \
             SELECT id, project_id, 'idle', 0, 0, 0, 0, 0, $2, $2 FROM releases WHERE id = $1 ON CONFLICT DO NOTHING";
        sqlx::query(sql).bind(id).bind(now).execute(&self.pool).await?;
        Ok(())
    }

    /// The report about a release; `None` if it has none.
    pub async fn report(&self, id: &str) -> Result<Option<Report>, StorageError> {
        let sql = "SELECT reported, error, failures, failing_since FROM reports WHERE id = $1";
        let row = sqlx::query(sql).bind(id).fetch_optional(&self.pool).await?;
        let Some(row) = row else { return Ok(None) };
        Ok(Some(Report {
            reported: row.try_get("reported")?,
            error: row.try_get("error")?,
            failures: row.try_get("failures")?,
            failing_since: row.try_get("failing_since")?,
        }))
    }

    /// Stores the diagnostics of the build of a claimed release, and the new ones: those that the previous ready
    /// release of the site did not have, or for a preview the release that it is compared with. Without such a
    /// release none are new.
    pub async fn record_diagnostics(
        &self,
        lease: &Lease,
        diagnostics: &StoredDiagnostics,
    ) -> Result<(), StorageError> {
        let sql = format!(
            "SELECT before.diagnostics FROM releases LEFT JOIN previews ON previews.site_id = releases.site_id \
             JOIN releases AS before ON before.id = CASE WHEN previews.id IS NOT NULL THEN {BASE} ELSE \
             (SELECT earlier.id FROM releases AS earlier WHERE earlier.site_id = releases.site_id \
             AND earlier.id <> releases.id AND earlier.status = 'ready' AND earlier.servable = 1 \
             AND earlier.head_sequence <= releases.head_sequence \
             ORDER BY earlier.head_sequence DESC, earlier.id DESC LIMIT 1) END WHERE releases.id = $1"
        );
        let before = sqlx::query(AssertSqlSafe(sql)).bind(&lease.id);
        let row = before.fetch_optional(&self.pool).await?;
        let before: Option<String> =
            row.map(|row| row.try_get("diagnostics")).transpose()?.flatten();
        let new = match before {
            Some(before) => Some(diagnostics.new_since(&read::<StoredDiagnostics>(&before)?)),
            None => None,
        };
        let sql =
            format!("UPDATE releases SET diagnostics = $1, new_diagnostics = $4 WHERE {HELD}");
        let query =
            sqlx::query(AssertSqlSafe(sql)).bind(serde_json::json!(diagnostics).to_string());
        let query = query.bind(&lease.id).bind(lease.number);
        let new = new.map(|new| serde_json::json!(new).to_string());
        query.bind(new).execute(&self.pool).await?;
        Ok(())
    }

    /// The diagnostics of a release; `None` if they are not known.
    pub async fn diagnostics(&self, id: &str) -> Result<Option<StoredDiagnostics>, StorageError> {
        self.found(id, "diagnostics").await
    }

    /// The diagnostics of a release that are not in the one it is compared with; `None` if they can't be compared.
    pub async fn new_diagnostics(&self, id: &str) -> Result<Option<NewDiagnostics>, StorageError> {
        self.found(id, "new_diagnostics").await
    }

    async fn found<T: serde::de::DeserializeOwned>(
        &self,
        id: &str,
        column: &str,
    ) -> Result<Option<T>, StorageError> {
        let sql = format!("SELECT {column} AS found FROM releases WHERE id = $1");
        let query = sqlx::query(AssertSqlSafe(sql)).bind(id);
        let row = query.fetch_optional(&self.pool).await?;
        let text: Option<String> = row.map(|row| row.try_get("found")).transpose()?.flatten();
        text.map(|text| read(&text)).transpose()
    }

    /// Whether a later release of the same site has the same commit, so that its report is enough.
    pub async fn has_later_release(&self, release: &Release) -> Result<bool, StorageError> {
        let sql = "SELECT 1 FROM releases WHERE site_id = $1 AND commit_sha = $2 AND id > $3 AND servable = 1 \
             AND status NOT IN ('skipped', 'superseded') LIMIT 1";
        let query = sqlx::query(sql).bind(&release.site_id).bind(release.commit.sha.as_deref());
        Ok(query.bind(&release.id).fetch_optional(&self.pool).await?.is_some())
    }

    /// Adds a step to the log of a claimed release. Returns whether the lease still holds.
    pub async fn log_step(
        &self,
        lease: &Lease,
        step: &str,
        now: Timestamp,
    ) -> Result<bool, StorageError> {
        let sql = format!("UPDATE releases SET log = {ADDED} WHERE {HELD}");
        let query = sqlx::query(AssertSqlSafe(sql)).bind(line(step, now));
        let query = query.bind(&lease.id).bind(lease.number);
        Ok(query.execute(&self.pool).await?.rows_affected() == 1)
    }

    /// The steps of a release, oldest first, with their times.
    pub async fn release_log(&self, id: &str) -> Result<Vec<(Timestamp, String)>, StorageError> {
        let sql = "SELECT created_at, log FROM releases WHERE id = $1";
        let row = sqlx::query(sql).bind(id).fetch_optional(&self.pool).await?;
        let Some(row) = row else { return Ok(Vec::new()) };
        let mut steps = vec![(row.try_get("created_at")?, "queued".to_owned())];
        let log: String = row.try_get("log")?;
        let read = |line: &str| {
            let (time, text) = line.split_once('\t')?;
            Some((time.parse().ok()?, text.to_owned()))
        };
        steps.extend(log.lines().filter_map(read));
        Ok(steps)
    }
}

/// Records a change of a release: adds a line to its log, and requests reports.
pub(super) async fn changed(
    transaction: &mut Transaction<'_, Any>,
    id: &str,
    line: &str,
    now: Timestamp,
) -> Result<(), StorageError> {
    log(transaction, id, line, now).await?;
    // A host that asks for a pause, or does not respond, gets no earlier report. Releases that this one replaces
    // change with it.
    let sql = "UPDATE reports SET status = 'open', requested = requested + 1, updated_at = $2, \
         run_after = CASE WHEN failures > 0 THEN run_after ELSE 0 END \
         WHERE id = $1 OR id IN (SELECT id FROM releases WHERE replaced_by = $1)";
    sqlx::query(sql).bind(id).bind(now).execute(&mut **transaction).await?;
    Ok(())
}

/// Adds a line to the log of a release.
pub(super) async fn log(
    transaction: &mut Transaction<'_, Any>,
    id: &str,
    line: &str,
    now: Timestamp,
) -> Result<(), StorageError> {
    let sql = format!("UPDATE releases SET log = {ADDED} WHERE id = $2");
    let query = sqlx::query(AssertSqlSafe(sql)).bind(self::line(line, now)).bind(id);
    query.execute(&mut **transaction).await?;
    Ok(())
}

/// A line of a log.
fn line(text: &str, now: Timestamp) -> String {
    let text: String = text
        .chars()
        .map(|letter| if letter.is_control() { ' ' } else { letter })
        .take(MAXIMUM_LINE)
        .collect();
    format!("{now}\t{text}\n")
}

fn read<T: serde::de::DeserializeOwned>(text: &str) -> Result<T, StorageError> {
    serde_json::from_str(text).map_err(|error| StorageError::Value(error.to_string()))
}
