//! The active release of a site, and the ready releases that wait until someone activates them.
//!
//! A release waits because its project activates releases manually, or because it is held: it has errors that the active
//! release doesn't have. `held_errors` is their number. It is cleared when a release of the same head or a later one
//! becomes active, so a rollback keeps it. Everything here runs under the project's lock, which a change of the setting
//! takes too.

use std::collections::HashMap;

use docwright_types::{
    counted::counted,
    notification::EventKind,
    release::{Release, Trigger},
    site::Activation,
    stored_diagnostic::StoredDiagnostics,
    timestamp::Timestamp,
};
use sqlx::{Any, AssertSqlSafe, Row, Transaction};

use super::{
    Database,
    notifications::{Subject, record},
    releases::{COLUMNS, read},
    reports,
    retention::{note_active, note_last_active},
    sites::lock_project_of,
};
use crate::StorageError;

/// Sites of a project whose waiting releases are read.
const SITES: i64 = 100;

/// A ready release of a site that can serve it.
struct Due {
    site_id: String,
    active: Option<String>,
    head_sequence: i64,
    activation: Activation,
    trigger: Trigger,
    is_held: bool,
}

impl Database {
    /// Activates a ready release of a site on request: it stays active until a head recorded after this is ready.
    /// Returns whether the release exists.
    pub async fn activate_release(&self, id: &str, now: Timestamp) -> Result<bool, StorageError> {
        let mut transaction = self.begin().await?;
        lock_project_of(&mut transaction, id).await?;
        let sql = "SELECT site_id, head_sequence, held_errors FROM releases WHERE id = $1 AND status = 'ready' AND servable = 1";
        let row = sqlx::query(sql).bind(id).fetch_optional(&mut *transaction).await?;
        let Some(row) = row else { return Ok(false) };
        note_last_active(&mut transaction, id, now).await?;
        let site_id: String = row.try_get("site_id")?;
        let query = sqlx::query(
            "UPDATE sites SET active_release_id = $1, restores_release_id = NULL, activates_from = 1 + COALESCE((SELECT MAX(sequence) \
             FROM branch_heads WHERE branch_heads.project_id = sites.project_id AND branch_heads.branch = sites.branch), 0) \
             WHERE id = $2",
        );
        query.bind(id).bind(&site_id).execute(&mut *transaction).await?;
        note_active(&mut transaction, id, now).await?;
        if row.try_get::<Option<i64>, _>("held_errors")?.is_some() {
            reports::changed(&mut transaction, id, "active", now).await?;
        } else {
            reports::log(&mut transaction, id, "active", now).await?;
        }
        if let Some(head) = row.try_get::<Option<i64>, _>("head_sequence")? {
            end_holds(&mut transaction, &site_id, head).await?;
        }
        self.record_change(&mut transaction, id).await?;
        self.commit_serving(transaction, true).await?;
        Ok(true)
    }

    /// The newest release of each of a project's domains that waits until someone activates it.
    pub async fn waiting_releases(&self, project_id: &str) -> Result<Vec<Release>, StorageError> {
        let sites = "FROM domains JOIN sites ON sites.project_id = domains.project_id \
             AND sites.branch = domains.branch AND sites.domain = domains.name WHERE domains.project_id = $1";
        let newest = |conditions: &str| {
            format!(
                "(SELECT waiting.id FROM releases AS waiting WHERE waiting.site_id = sites.id \
                 AND waiting.status = 'ready' AND waiting.servable = 1 AND {conditions} \
                 ORDER BY waiting.head_sequence DESC, waiting.id DESC LIMIT 1)"
            )
        };
        // The active release is among those that could be active; it then isn't waiting.
        let sql = format!(
            "SELECT sites.active_release_id, {} AS due, {} AS held {sites} LIMIT {SITES}",
            newest("waiting.head_sequence >= sites.activates_from"),
            newest("waiting.held_errors IS NOT NULL"),
        );
        let mut newest_of_sites = HashMap::new();
        let rows = sqlx::query(AssertSqlSafe(sql)).bind(project_id).fetch_all(&self.pool).await?;
        for row in rows {
            let active: Option<String> = row.try_get("active_release_id")?;
            for column in ["due", "held"] {
                let Some(id) = row.try_get::<Option<String>, _>(column)? else { continue };
                if active.as_deref() == Some(&id) {
                    continue;
                }
                let sql = format!("SELECT {COLUMNS} FROM releases WHERE id = $1");
                let query = sqlx::query(AssertSqlSafe(sql)).bind(&id);
                let Some(row) = query.fetch_optional(&self.pool).await? else { continue };
                let release = read(&row)?;
                let best =
                    newest_of_sites.entry(release.site_id.clone()).or_insert(release.clone());
                if best.head_sequence < release.head_sequence {
                    *best = release;
                }
            }
        }
        let mut waiting: Vec<_> = newest_of_sites.into_values().collect();
        waiting.sort_by(|one, other| other.id.cmp(&one.id));
        Ok(waiting)
    }
}

/// Activates a ready release if its head is not older than what its site can serve, unless the project activates
/// releases manually or the release is held. Previews ignore that setting. Returns whether it did.
pub(super) async fn activate_if_due(
    transaction: &mut Transaction<'_, Any>,
    release_id: &str,
    now: Timestamp,
) -> Result<bool, StorageError> {
    note_last_active(transaction, release_id, now).await?;
    let Some(due) = due(transaction, release_id).await? else { return Ok(false) };
    if due.trigger != Trigger::Preview {
        match due.activation {
            Activation::Automatic => {}
            Activation::HoldNewErrors => {
                let new = new_errors(transaction, release_id, due.active.as_deref()).await?;
                if new > 0 {
                    hold(transaction, release_id, (&due, new), now).await?;
                    return Ok(false);
                }
            }
            Activation::Manual => return Ok(false),
        }
    }
    sqlx::query(
        "UPDATE sites SET active_release_id = $1, activates_from = $2, restores_release_id = NULL WHERE id = $3",
    )
    .bind(release_id)
    .bind(due.head_sequence)
    .bind(&due.site_id)
    .execute(&mut **transaction)
    .await?;
    note_active(transaction, release_id, now).await?;
    end_holds(transaction, &due.site_id, due.head_sequence).await?;
    Ok(true)
}

async fn due(
    transaction: &mut Transaction<'_, Any>,
    release_id: &str,
) -> Result<Option<Due>, StorageError> {
    let row = sqlx::query(
        "SELECT sites.id AS site_id, sites.active_release_id, release.head_sequence, projects.activation, \
         release.trigger_name, release.held_errors FROM releases AS release \
         JOIN sites ON sites.id = release.site_id JOIN projects ON projects.id = release.project_id \
         WHERE release.id = $1 AND release.status = 'ready' AND release.servable = 1 \
         AND release.head_sequence >= sites.activates_from",
    )
    .bind(release_id)
    .fetch_optional(&mut **transaction)
    .await?;
    let Some(row) = row else { return Ok(None) };
    let text = |name: &str| row.try_get::<String, _>(name);
    Ok(Some(Due {
        site_id: text("site_id")?,
        active: row.try_get("active_release_id")?,
        head_sequence: row.try_get("head_sequence")?,
        activation: text("activation")?.parse().map_err(StorageError::Value)?,
        trigger: text("trigger_name")?.parse().map_err(StorageError::Value)?,
        is_held: row.try_get::<Option<i64>, _>("held_errors")?.is_some(),
    }))
}

/// The number of errors of a release that the active one doesn't have; 0 if there is nothing to compare with.
async fn new_errors(
    transaction: &mut Transaction<'_, Any>,
    release_id: &str,
    active: Option<&str>,
) -> Result<i64, StorageError> {
    let Some(active) = active.filter(|active| *active != release_id) else { return Ok(0) };
    let before = diagnostics_of(transaction, active).await?;
    let after = diagnostics_of(transaction, release_id).await?;
    Ok(before.zip(after).map_or(0, |(before, after)| after.new_errors_since(&before)))
}

async fn diagnostics_of(
    transaction: &mut Transaction<'_, Any>,
    release_id: &str,
) -> Result<Option<StoredDiagnostics>, StorageError> {
    let sql = "SELECT diagnostics FROM releases WHERE id = $1";
    let row = sqlx::query(sql).bind(release_id).fetch_optional(&mut **transaction).await?;
    let text: Option<String> = row.map(|row| row.try_get("diagnostics")).transpose()?.flatten();
    let read = |text: String| serde_json::from_str(&text);
    text.map(read).transpose().map_err(|error| StorageError::Value(error.to_string()))
}

/// Holds a release for its new errors in place of those of earlier heads. A held release of a later head stays.
async fn hold(
    transaction: &mut Transaction<'_, Any>,
    release_id: &str,
    (due, errors): (&Due, i64),
    now: Timestamp,
) -> Result<(), StorageError> {
    let sql = "SELECT 1 FROM releases WHERE site_id = $1 AND held_errors IS NOT NULL AND head_sequence > $2 LIMIT 1";
    let later = sqlx::query(sql).bind(&due.site_id).bind(due.head_sequence);
    if later.fetch_optional(&mut **transaction).await?.is_some() {
        return Ok(());
    }
    end_holds(transaction, &due.site_id, due.head_sequence).await?;
    let query = sqlx::query("UPDATE releases SET held_errors = $1 WHERE id = $2").bind(errors);
    query.bind(release_id).execute(&mut **transaction).await?;
    // A later head can have the pages of a held release.
    if !due.is_held {
        let line = format!("held: {}", counted(errors, "new error"));
        reports::changed(transaction, release_id, &line, now).await?;
        let subject = Subject::Release(release_id);
        record(transaction, subject, EventKind::ReleaseHeld, now).await?;
    }
    Ok(())
}

/// Clears the holds of releases of a head and of earlier ones of a site.
async fn end_holds(
    transaction: &mut Transaction<'_, Any>,
    site_id: &str,
    head_sequence: i64,
) -> Result<(), StorageError> {
    let sql = "UPDATE releases SET held_errors = NULL WHERE site_id = $1 AND held_errors IS NOT NULL AND head_sequence <= $2";
    let query = sqlx::query(sql).bind(site_id).bind(head_sequence);
    query.execute(&mut **transaction).await?;
    Ok(())
}
