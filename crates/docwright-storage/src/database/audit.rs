//! The audit log: who changed what, from where, with the states before and after.
//!
//! An entry is written in the transaction of its change, by a [`Database`] that records it: there is no change
//! without an entry, and no entry without a change. Changes outside the database, such as branches of a
//! repository, get their entry before they start; see [`Database::begin_change`].

use std::{
    fmt::Write,
    sync::atomic::{AtomicU16, Ordering},
};

use docwright_types::timestamp::{HOUR, Timestamp};
use serde_json::Value;
use sqlx::{
    Any, AssertSqlSafe, Row, Transaction,
    any::{AnyArguments, AnyRow},
    query::Query,
};

use super::{Database, retention::placeholders};
use crate::StorageError;

/// The kind of an actor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ActorKind {
    /// An account that signed in.
    Account,
    /// An API key.
    Key,
    /// A user in the shell of the server.
    Shell,
    /// The service itself.
    Service,
}

impl ActorKind {
    /// Its name in the database and in the API.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Account => "account",
            Self::Key => "key",
            Self::Shell => "shell",
            Self::Service => "service",
        }
    }
}

/// The actor of a change.
#[derive(Debug, Clone)]
pub struct Actor {
    /// The kind of actor.
    pub kind: ActorKind,
    /// The id of an account; the public id of a key; the user of a shell.
    pub id: String,
    /// The name of the key, or the email address of the account.
    pub name: String,
}

impl Actor {
    /// The service itself.
    pub fn service() -> Self {
        Self { kind: ActorKind::Service, id: "docwright".to_owned(), name: String::new() }
    }
}

/// A change that is about to happen. The function that changes the record adds the subject.
#[derive(Debug, Clone)]
pub struct Change {
    /// The organization of the change; `None` for the instance, and for an organization that the change creates.
    pub organization_id: Option<String>,
    /// The actor.
    pub actor: Actor,
    /// The action, such as `project.create`.
    pub action: &'static str,
    /// Address of the request, if there was one.
    pub address: Option<String>,
    /// The id of the request, as in the log.
    pub request_id: String,
    /// The state before, without secrets.
    pub before: Option<Value>,
    /// The state after, without secrets.
    pub after: Option<Value>,
    /// When.
    pub at: Timestamp,
}

/// A recorded change.
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
    /// The kind of the changed object.
    pub subject_kind: String,
    /// The id of the changed object.
    pub subject_id: String,
    pub address: Option<String>,
    pub request_id: String,
    pub before: Option<Value>,
    pub after: Option<Value>,
    pub created_at: Timestamp,
}

/// Filter of entries; `None` limits nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct AuditFilter<'a> {
    /// Entries of an organization.
    pub organization_id: Option<&'a str>,
    /// Entries with an action, such as `key.create`, or with all actions on a type, such as `key`.
    pub action: Option<&'a str>,
    /// Entries with one of some actions; none of them limits nothing.
    pub actions: &'a [&'a str],
    /// Entries of an actor, by its id.
    pub actor_id: Option<&'a str>,
    /// Entries on a subject, by its id.
    pub subject_id: Option<&'a str>,
    /// Entries at this time or later.
    pub since: Option<Timestamp>,
    /// Entries before this time.
    pub until: Option<Timestamp>,
}

/// A page of the audit log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditPage {
    /// The entries, newest first. It can have fewer than requested, with more on the next page.
    pub entries: Vec<AuditEntry>,
    /// Where the next page starts; `None` on the last one.
    pub next: Option<String>,
}

/// Entries that a search with several filters reads for one page. No index has all of them.
const SEARCHED: i64 = 2_000;

const COLUMNS: &str = "id, organization_id, actor_kind, actor_id, actor_name, action, subject_kind, subject_id, address, \
     request_id, state_before, state_after, created_at";

impl Database {
    /// The same database, which writes an entry of a change together with it.
    #[must_use]
    pub fn recording(&self, change: Change) -> Self {
        Self { change: Some(change.into()), ..self.clone() }
    }

    /// Writes the entry of the recorded change, if there is one, in the transaction of the change. `subject` is
    /// the id of the changed object. Every function that changes something for a person calls this.
    pub(super) async fn record_change(
        &self,
        transaction: &mut Transaction<'_, Any>,
        subject: &str,
    ) -> Result<(), StorageError> {
        self.write_entry(transaction, subject).await.map(drop)
    }

    /// Changes one row in a transaction with its entry. Returns whether the row exists.
    pub(super) async fn change_one(
        &self,
        query: Query<'_, Any, AnyArguments>,
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

    /// Writes the entry of a change outside the database, before the change starts. Returns the id of the entry;
    /// [`Database::end_change`] adds the result. An entry without an expected state after belongs to an
    /// interrupted change.
    pub async fn begin_change(&self, subject: &str) -> Result<String, StorageError> {
        let mut transaction = self.begin().await?;
        let id = self.write_entry(&mut transaction, subject).await?;
        transaction.commit().await?;
        id.ok_or_else(|| StorageError::Value("no change is recorded".to_owned()))
    }

    /// Records the result of a change that was started before; `None` removes the entry because nothing changed.
    /// `before` replaces the state recorded at the start.
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
        self.require_actor(transaction, change.actor.kind, &change.actor.id).await?;
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

    /// Fails if the account or key of a change is deleted: a request that started before the deletion changes
    /// nothing after it, and writes no entry with the name of the account.
    pub(super) async fn require_actor(
        &self,
        transaction: &mut Transaction<'_, Any>,
        kind: ActorKind,
        id: &str,
    ) -> Result<(), StorageError> {
        let table = match kind {
            ActorKind::Account => "accounts",
            ActorKind::Key => "api_keys",
            _ => return Ok(()),
        };
        // The lock makes a deletion wait until the change is there for it to find.
        let lock = if self.postgres { " FOR KEY SHARE" } else { "" };
        let sql = format!("SELECT id FROM {table} WHERE id = $1{lock}");
        let found = sqlx::query(AssertSqlSafe(sql)).bind(id).fetch_optional(&mut **transaction);
        if found.await?.is_none() {
            return Err(StorageError::ActorDeleted);
        }
        Ok(())
    }

    /// A page of entries, newest first: those before `cursor`, which is the id of an entry. It reads a bounded
    /// number of entries for every filter.
    pub async fn audit_entries(
        &self,
        filter: AuditFilter<'_>,
        cursor: Option<&str>,
        limit: i64,
    ) -> Result<AuditPage, StorageError> {
        let search = Search::of(filter, cursor);
        let (rows, more) = (search.rows(), limit + 1);
        let is_by_index = search.is_by_index();
        let sql = if is_by_index {
            format!("SELECT {COLUMNS} {rows} LIMIT {more}")
        } else {
            let others = search.others();
            format!(
                "WITH searched AS (SELECT {COLUMNS} {rows} LIMIT {SEARCHED}) \
                 SELECT {COLUMNS} FROM searched WHERE {others} ORDER BY id DESC LIMIT {more}"
            )
        };
        let rows = search.bind(sqlx::query(AssertSqlSafe(sql))).fetch_all(&self.pool).await?;
        let mut entries = rows.iter().map(read).collect::<Result<Vec<_>, _>>()?;
        let length = usize::try_from(limit).unwrap_or(0);
        let is_full = entries.len() > length;
        entries.truncate(length);
        let next = if is_full {
            entries.last().map(|entry| entry.id.clone())
        } else if is_by_index {
            None
        } else {
            self.searched_to(&search).await?
        };
        Ok(AuditPage { entries, next })
    }

    /// The last entry that a search read, if there are more.
    async fn searched_to(&self, search: &Search<'_>) -> Result<Option<String>, StorageError> {
        let sql = format!("SELECT id {} LIMIT 1 OFFSET {}", search.rows(), SEARCHED - 1);
        let row = search.bind(sqlx::query(AssertSqlSafe(sql))).fetch_optional(&self.pool).await?;
        Ok(row.map(|row| row.try_get("id")).transpose()?)
    }

    /// Removes entries from before a time.
    pub async fn remove_old_audit_entries(&self, before: Timestamp) -> Result<u64, StorageError> {
        self.remove_in_batches("audit_entries", "id", "created_at < $1", before).await
    }
}

/// How a search finds its entries: the conditions of one index, in its order, and the remaining conditions.
struct Search<'a> {
    filter: AuditFilter<'a>,
    /// Conditions of the index, with their values. The conditions of time precede them.
    conditions: Vec<(String, String)>,
    /// Columns that are checked in each entry.
    others: Vec<(&'static str, &'a str)>,
}

impl<'a> Search<'a> {
    fn of(filter: AuditFilter<'a>, cursor: Option<&str>) -> Self {
        let (kind, action) = match filter.action.map(|asked| (asked, asked.split_once('.'))) {
            // The instance has no index of actions: each kind has few of them.
            Some((action, Some((kind, _)))) if filter.organization_id.is_none() => {
                (Some(kind), Some(action))
            }
            Some((action, Some(_))) => (None, Some(action)),
            Some((kind, None)) => (Some(kind), None),
            None => (None, None),
        };
        // The most likely rare filter comes first, and selects the index.
        let asked = [
            ("subject_id", filter.subject_id),
            ("actor_id", filter.actor_id),
            ("subject_kind", kind),
            ("action", action),
        ];
        let mut others: Vec<_> =
            asked.into_iter().filter_map(|(column, value)| Some((column, value?))).collect();
        let first = (!others.is_empty()).then(|| others.remove(0));
        let mut conditions: Vec<(String, String)> = match (filter.organization_id, first) {
            (None, None) => Vec::new(),
            (Some(of), None) => vec![("organization_id =".to_owned(), of.to_owned())],
            (None, Some((column, value))) => vec![(format!("{column} ="), value.to_owned())],
            // A subject belongs to one organization, or to few.
            (Some(of), Some(("subject_id", value))) => {
                others.push(("organization_id", of));
                vec![("subject_id =".to_owned(), value.to_owned())]
            }
            // The index covers the organization and one column.
            (Some(of), Some((column, value))) => {
                vec![(format!("organization_id || ' ' || {column} ="), format!("{of} {value}"))]
            }
        };
        // Ids sort by the approximate time of the entry.
        let first = filter.since.map(|since| id_at(since.saturating_sub(HOUR)));
        let last = filter.until.map(|until| id_at(until.saturating_add(HOUR)));
        let bounds = [("id >=", first), ("id <", last), ("id <", cursor.map(str::to_owned))];
        let bounds = bounds.into_iter().filter_map(|(bound, id)| Some((bound.to_owned(), id?)));
        conditions.extend(bounds);
        Self { filter, conditions, others }
    }

    /// The entries of the index, newest first. The statement contains only the given conditions.
    fn rows(&self) -> String {
        // PostgreSQL would take two bounds of time for a short span, and use the index of times; it has no index
        // of sums.
        let mut sql =
            "FROM audit_entries WHERE created_at + 0 >= $1 AND created_at + 0 < $2".to_owned();
        for (number, (condition, _)) in (3..).zip(&self.conditions) {
            let _infallible = write!(sql, " AND {condition} ${number}");
        }
        sql + " ORDER BY id DESC"
    }

    /// Whether the conditions of the index are all.
    const fn is_by_index(&self) -> bool {
        self.others.is_empty() && self.filter.actions.is_empty()
    }

    /// The remaining conditions.
    fn others(&self) -> String {
        let first = 3 + self.conditions.len();
        let each = (first..)
            .zip(&self.others)
            .map(|(number, (column, _))| format!("{column} = ${number}"));
        let actions = (!self.filter.actions.is_empty()).then(|| {
            let list = placeholders(first + self.others.len(), self.filter.actions.len());
            format!("action IN ({list})")
        });
        each.chain(actions).collect::<Vec<_>>().join(" AND ")
    }

    fn bind<'q>(&self, query: Query<'q, Any, AnyArguments>) -> Query<'q, Any, AnyArguments> {
        let (since, until) = (self.filter.since, self.filter.until);
        let mut query = query.bind(since.unwrap_or(i64::MIN)).bind(until.unwrap_or(i64::MAX));
        for (_, value) in &self.conditions {
            query = query.bind(value.clone());
        }
        for (_, value) in &self.others {
            query = query.bind((*value).to_owned());
        }
        for action in self.filter.actions {
            query = query.bind((*action).to_owned());
        }
        query
    }
}

/// The smallest id of entries at a time.
fn id_at(time: Timestamp) -> String {
    format!("aud_{:012x}", time.clamp(0, 0xffff_ffff_ffff))
}

/// A new id of an entry. Entries of one millisecond keep their order.
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
