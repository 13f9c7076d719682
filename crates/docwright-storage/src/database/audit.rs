//! Who changed what, from where, and what it was before and after.
//!
//! An entry is written in the transaction of its change, by a [`Database`] that records it: there is no
//! change without its entry, and no entry without its change. What changes outside of the database, such
//! as branches of a repository, has its entry before it begins; see [`Database::begin_change`].

use std::{
    fmt::Write,
    sync::atomic::{AtomicU16, Ordering},
};

use docwright_domain::timestamp::{HOUR, Timestamp};
use serde_json::Value;
use sqlx::{Any, AssertSqlSafe, Row, Transaction, any::AnyRow};

use super::Database;
use crate::StorageError;

/// What kind of actor it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ActorKind {
    /// Somebody who signed in.
    Account,
    /// A key of the API.
    Key,
    /// Somebody in the shell of the machine.
    Shell,
}

impl ActorKind {
    /// Its name in the database and in the API.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Account => "account",
            Self::Key => "key",
            Self::Shell => "shell",
        }
    }
}

/// Who changes something.
#[derive(Debug, Clone)]
pub struct Actor {
    /// What kind of actor.
    pub kind: ActorKind,
    /// The id of an account; the public id of a key; the user of a shell.
    pub id: String,
    /// What the key is called; the e-mail address of an account.
    pub name: String,
}

/// A change that is about to be made. What it is made to, its subject, the function says that makes it.
#[derive(Debug, Clone)]
pub struct Change {
    /// The organisation whose change it is; `None` for the install, and for one that is made by it.
    pub organization_id: Option<String>,
    /// Who makes it.
    pub actor: Actor,
    /// What is done to what, such as `project.create`.
    pub action: &'static str,
    /// Where the request came from, if it came from elsewhere.
    pub address: Option<String>,
    /// The id of the request, which the log has too.
    pub request_id: String,
    /// What it was before, without secrets.
    pub before: Option<Value>,
    /// What it is to be, without secrets.
    pub after: Option<Value>,
    /// When.
    pub at: Timestamp,
}

/// A change that was made.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs, reason = "as in Change")]
pub struct AuditEntry {
    /// Its id; ids sort by time.
    pub id: String,
    pub organization_id: Option<String>,
    pub actor_kind: String,
    pub actor_id: String,
    pub actor_name: String,
    pub action: String,
    /// What kind of thing was changed.
    pub subject_kind: String,
    /// Which one.
    pub subject_id: String,
    pub address: Option<String>,
    pub request_id: String,
    pub before: Option<Value>,
    pub after: Option<Value>,
    pub created_at: Timestamp,
}

/// Which entries to read; what is `None` limits nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct AuditFilter<'a> {
    /// Those of an organisation.
    pub organization_id: Option<&'a str>,
    /// Those of an action, such as `key.create`, or of all on one kind of thing, such as `key`.
    pub action: Option<&'a str>,
    /// Those of an actor, by its id.
    pub actor_id: Option<&'a str>,
    /// Those of a subject, by its id.
    pub subject_id: Option<&'a str>,
    /// Those of this time and later.
    pub since: Option<Timestamp>,
    /// Those before this time.
    pub until: Option<Timestamp>,
}

const COLUMNS: &str = "id, organization_id, actor_kind, actor_id, actor_name, action, subject_kind, subject_id, address, \
     request_id, state_before, state_after, created_at";

impl Database {
    /// The same database, which writes an entry of a change together with it.
    #[must_use]
    pub fn recording(&self, change: Change) -> Self {
        Self { change: Some(change.into()), ..self.clone() }
    }

    /// Writes the entry of the change that is recorded, if one is, within the transaction that makes it.
    /// `subject` is the id of what is changed. Every function that makes a change of a person's calls this.
    pub(super) async fn record_change(
        &self,
        transaction: &mut Transaction<'_, Any>,
        subject: &str,
    ) -> Result<(), StorageError> {
        self.write_entry(transaction, subject).await.map(drop)
    }

    /// Makes a change of one row in a transaction with its entry. Returns whether there was such a row.
    pub(super) async fn change_one(
        &self,
        query: sqlx::query::Query<'_, Any, sqlx::any::AnyArguments>,
        subject: &str,
    ) -> Result<bool, StorageError> {
        let mut transaction = self.begin().await?;
        let changed = query.execute(&mut *transaction).await?.rows_affected() == 1;
        if changed {
            self.record_change(&mut transaction, subject).await?;
        }
        transaction.commit().await?;
        Ok(changed)
    }

    /// Writes the entry of a change that is made outside of the database, before it is begun. Returns
    /// the id of the entry; [`Database::end_change`] adds what came of it. An entry that has nothing
    /// after it, where something was to be, is of a change that was cut off.
    pub async fn begin_change(&self, subject: &str) -> Result<String, StorageError> {
        let mut transaction = self.begin().await?;
        let id = self.write_entry(&mut transaction, subject).await?;
        transaction.commit().await?;
        id.ok_or_else(|| StorageError::Value("no change is recorded".to_owned()))
    }

    /// Says what a change came to that was begun before; `None` if nothing was changed after all, so that
    /// its entry goes. `before` replaces what was said when it began.
    pub async fn end_change(
        &self,
        id: &str,
        outcome: Option<(&Value, &Value)>,
    ) -> Result<(), StorageError> {
        let query = match outcome {
            Some((before, after)) => sqlx::query(
                "UPDATE audit_entries SET state_before = $2, state_after = $3 WHERE id = $1",
            )
            .bind(id)
            .bind(before.to_string())
            .bind(after.to_string()),
            None => sqlx::query("DELETE FROM audit_entries WHERE id = $1").bind(id),
        };
        query.execute(&self.pool).await?;
        Ok(())
    }

    async fn write_entry(
        &self,
        transaction: &mut Transaction<'_, Any>,
        subject: &str,
    ) -> Result<Option<String>, StorageError> {
        let Some(change) = &self.change else { return Ok(None) };
        let kind = change.action.split('.').next().unwrap_or_default();
        let is_organization = kind == "organization";
        let organization = change.organization_id.as_deref().or(is_organization.then_some(subject));
        let id = new_entry_id(change.at);
        let sql = format!(
            "INSERT INTO audit_entries ({COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)"
        );
        sqlx::query(AssertSqlSafe(sql))
            .bind(&id)
            .bind(organization)
            .bind(change.actor.kind.name())
            .bind(&change.actor.id)
            .bind(&change.actor.name)
            .bind(change.action)
            .bind(kind)
            .bind(subject)
            .bind(change.address.as_deref())
            .bind(&change.request_id)
            .bind(change.before.as_ref().map(Value::to_string))
            .bind(change.after.as_ref().map(Value::to_string))
            .bind(change.at)
            .execute(&mut **transaction)
            .await?;
        Ok(Some(id))
    }

    /// Entries, newest first: those before `cursor`, which is the id of an entry.
    pub async fn audit_entries(
        &self,
        filter: AuditFilter<'_>,
        cursor: Option<&str>,
        limit: i64,
    ) -> Result<Vec<AuditEntry>, StorageError> {
        // Ids sort by time. Those of earlier versions are a little later than their entries.
        let first = filter.since.map(|since| id_at(since.saturating_sub(HOUR)));
        let last = filter.until.map(|until| id_at(until.saturating_add(HOUR)));
        let (kind, action) = match filter.action {
            Some(action) if action.contains('.') => (None, Some(action)),
            kind => (kind, None),
        };
        // Only what is asked for stands in the statement, so that it is found by an index.
        let asked = [
            ("actor_id", filter.actor_id),
            ("action", action),
            ("subject_kind", kind),
            ("subject_id", filter.subject_id),
        ];
        let asked = asked.into_iter().filter_map(|(column, value)| Some((column, value?)));
        let mut given: Vec<(String, String)> = match filter.organization_id {
            // The indexes are of the organisation and a column in one.
            Some(of) => {
                let joined = |(column, value)| {
                    (format!("organization_id || ' ' || {column} ="), format!("{of} {value}"))
                };
                let found: Vec<_> = asked.map(joined).collect();
                let all = vec![("organization_id =".to_owned(), of.to_owned())];
                if found.is_empty() { all } else { found }
            }
            None => {
                asked.map(|(column, value)| (format!("{column} ="), value.to_owned())).collect()
            }
        };
        let bounds = [("id >=", first), ("id <", last), ("id <", cursor.map(str::to_owned))];
        let bounds = bounds.into_iter().filter_map(|(bound, id)| Some((bound.to_owned(), id?)));
        given.extend(bounds);
        // PostgreSQL takes two bounds of a time for a short one, and would go by the index of times; it has
        // none of sums.
        let mut sql = format!(
            "SELECT {COLUMNS} FROM audit_entries WHERE created_at + 0 >= $1 AND created_at + 0 < $2"
        );
        for (number, (condition, _)) in (3..).zip(&given) {
            let _infallible = write!(sql, " AND {condition} ${number}");
        }
        let _infallible = write!(sql, " ORDER BY id DESC LIMIT {limit}");
        let mut query = sqlx::query(AssertSqlSafe(sql));
        query = query.bind(filter.since.unwrap_or(i64::MIN)).bind(filter.until.unwrap_or(i64::MAX));
        for (_, value) in given {
            query = query.bind(value);
        }
        let rows = query.fetch_all(&self.pool).await?;
        rows.iter().map(read).collect()
    }

    /// Removes entries from before a time.
    pub async fn remove_old_audit_entries(&self, before: Timestamp) -> Result<u64, StorageError> {
        self.remove_in_batches("audit_entries", "id", "created_at < $1", before).await
    }
}

/// The smallest id of entries of a time.
fn id_at(time: Timestamp) -> String {
    format!("aud_{:012x}", time.clamp(0, 0xffff_ffff_ffff))
}

/// A new id of an entry. What is written within a millisecond stays in its order.
fn new_entry_id(at: Timestamp) -> String {
    static COUNT: AtomicU16 = AtomicU16::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let (_, random) = uuid::Uuid::now_v7().as_u64_pair();
    format!("{}{count:04x}{random:016x}", id_at(at))
}

fn read(row: &AnyRow) -> Result<AuditEntry, StorageError> {
    let json = |name: &str| {
        let text: Option<String> = row.try_get(name)?;
        let value = text.map(|text| serde_json::from_str(&text)).transpose();
        value.map_err(|error| StorageError::Value(error.to_string()))
    };
    Ok(AuditEntry {
        id: row.try_get("id")?,
        organization_id: row.try_get("organization_id")?,
        actor_kind: row.try_get("actor_kind")?,
        actor_id: row.try_get("actor_id")?,
        actor_name: row.try_get("actor_name")?,
        action: row.try_get("action")?,
        subject_kind: row.try_get("subject_kind")?,
        subject_id: row.try_get("subject_id")?,
        address: row.try_get("address")?,
        request_id: row.try_get("request_id")?,
        before: json("state_before")?,
        after: json("state_after")?,
        created_at: row.try_get("created_at")?,
    })
}
