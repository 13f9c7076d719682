//! API keys. Those of people are in [`super::personal_tokens`].

use std::collections::HashMap;

use docwright_types::{
    account::Role,
    key::{ApiKey, DEFAULT_DAYS, KeyOwner, PresentedKey, Scope, parse_allowlist},
    timestamp::{DAY, HOUR, MINUTE, Timestamp},
};
use futures::FutureExt;
use ipnet::IpNet;
use sqlx::{Any, AnyConnection, AnyPool, AssertSqlSafe, Row, Transaction, any::AnyRow};

use super::{
    ActorKind, Database, Organization,
    lists::{Order, PageRequest, Rows, Sort, text},
    revisions::{Record, revise},
    shared_reads::{SharedReads, rows},
};
use crate::StorageError;

/// A new key.
#[derive(Debug, Clone)]
pub struct NewKey {
    /// The organization it belongs to; `None` for a key of the instance.
    pub organization_id: Option<String>,
    /// The name of the key.
    pub name: String,
    /// Permissions.
    pub scope: Scope,
    /// Ids of the only projects that it can access; empty for all.
    pub projects: Vec<String>,
    /// Addresses it can be used from; empty for all.
    pub allowlist: Vec<IpNet>,
    /// Days until it expires; `None` for the default.
    pub days: Option<i64>,
    /// The account that creates it, or that created the creating key.
    pub created_by: Option<String>,
}

/// Changes of a key; `None` keeps a value.
#[derive(Debug, Clone, Default)]
pub struct KeyChange {
    /// The name of the key.
    pub name: Option<String>,
    /// Addresses it can be used from; empty for all.
    pub allowlist: Option<Vec<IpNet>>,
    /// When it expires.
    pub expires_at: Option<Timestamp>,
    /// The revision that it must have.
    pub revision: Option<i64>,
}

/// Keys that an organization can create in any hour; the same limit applies to the instance's own keys.
pub const KEYS_AN_HOUR: i64 = 10;

impl Database {
    /// Creates a key and returns it with its secret, only here. An organization can create [`KEYS_AN_HOUR`] in any
    /// hour.
    pub async fn create_key(
        &self,
        new: &NewKey,
        now: Timestamp,
    ) -> Result<PresentedKey, StorageError> {
        let presented =
            PresentedKey::generate().map_err(|error| StorageError::Random(error.to_string()))?;
        let mut transaction = self.begin().await?;
        self.take_turn(&mut transaction, new.organization_id.as_deref()).await?;
        // The creating key can be deleted with its account by now.
        if let Some(account) = &new.created_by {
            self.require_actor(&mut transaction, ActorKind::Account, account).await?;
        }
        let of = match &new.organization_id {
            Some(_) => "organization_id = $1 AND account_id IS NULL",
            None => "organization_id IS NULL AND $1 = ''",
        };
        let sql = format!(
            "SELECT COUNT(*) AS made, MIN(created_at) AS first FROM api_keys WHERE {of} AND created_at > $2"
        );
        let row = sqlx::query(AssertSqlSafe(sql))
            .bind(new.organization_id.as_deref().unwrap_or_default())
            .bind(now - HOUR)
            .fetch_one(&mut *transaction)
            .await?;
        let made: i64 = row.try_get("made")?;
        if made >= KEYS_AN_HOUR {
            let first: i64 = row.try_get("first")?;
            return Err(StorageError::TooManyKeys {
                minutes: (first + HOUR - now + MINUTE - 1) / MINUTE,
            });
        }
        insert(&mut transaction, &presented, new, None, now).await?;
        self.record_change(&mut transaction, presented.id()).await?;
        transaction.commit().await?;
        Ok(presented)
    }

    /// Starts a transaction with a write, so of simultaneous creators of keys of one organization, or of the
    /// instance, one continues.
    async fn take_turn(
        &self,
        transaction: &mut Transaction<'_, Any>,
        organization_id: Option<&str>,
    ) -> Result<(), StorageError> {
        let sql = match organization_id {
            Some(_) => "UPDATE organizations SET name = name WHERE id = $1",
            // On SQLite, any write keeps the other writers out.
            None if !self.postgres => "UPDATE api_keys SET name = name WHERE id = $1",
            None => {
                let sql = "LOCK TABLE api_keys IN SHARE ROW EXCLUSIVE MODE";
                sqlx::query(sql).execute(&mut **transaction).await?;
                return Ok(());
            }
        };
        let query = sqlx::query(sql).bind(organization_id.unwrap_or_default());
        query.execute(&mut **transaction).await?;
        Ok(())
    }

    /// The key with a public id in its present state, and its organization, if there is one. Simultaneous requests
    /// share a query.
    pub async fn key(
        &self,
        id: &str,
    ) -> Result<Option<(ApiKey, Option<Organization>)>, StorageError> {
        self.keys.read(id.to_owned()).await
    }

    /// The keys of an organization, oldest first.
    pub async fn keys(&self, organization_id: &str) -> Result<Vec<ApiKey>, StorageError> {
        let sql = format!(
            "SELECT {HELD_COLUMNS} FROM api_keys {JOINS} WHERE api_keys.organization_id = $1 \
             ORDER BY api_keys.created_at, api_keys.id"
        );
        let rows =
            sqlx::query(AssertSqlSafe(sql)).bind(organization_id).fetch_all(&self.pool).await?;
        rows.iter().map(|row| Ok(read_held(row)?.0)).collect()
    }

    /// Keys of an organization, or of all organizations and the instance, each with its organization, sorted. A search
    /// finds parts of the name, of the id with its prefix, and of the email address of the account.
    pub async fn keys_page(
        &self,
        organization_id: Option<&str>,
        sort: Sort,
        page: PageRequest<'_>,
    ) -> Result<Vec<(ApiKey, Option<Organization>)>, StorageError> {
        const NAME: &str = text!("api_keys.name");
        const ID: &str = "'dw_' || api_keys.id";
        const EMAIL: &str = text!("owners.email");
        let select = format!("SELECT {HELD_COLUMNS} FROM api_keys {JOINS}");
        let rows = Rows::all().with("api_keys.organization_id", organization_id);
        // Ids are random.
        let order = match sort {
            Sort::Name => Order::by_text(NAME, "api_keys.id"),
            age => Order::by_time("api_keys.created_at", "api_keys.id", age == Sort::Newest),
        };
        let searched = rows.containing_one(&[NAME, ID, EMAIL], page);
        searched.read(&self.pool, &select, order, page, read_held).await
    }

    /// Records that a key was used, at most once a minute, so that reads rarely write.
    pub async fn touch_key(&self, key: &ApiKey, now: Timestamp) -> Result<(), StorageError> {
        if key.last_used_at.is_some_and(|last| now - last < 60_000) {
            return Ok(());
        }
        sqlx::query("UPDATE api_keys SET last_used_at = $1 WHERE id = $2")
            .bind(now)
            .bind(&key.id)
            .execute(&self.pool)
            .await?;
        Ok(())
    }

    /// Changes a key. Returns whether there is such a key that is not revoked. Fails if it has another revision
    /// than the change names.
    pub async fn update_key(&self, id: &str, change: &KeyChange) -> Result<bool, StorageError> {
        let mut transaction = self.begin().await?;
        if !revise(&mut transaction, Record::Key(id), change.revision).await? {
            return Ok(false);
        }
        let query = sqlx::query(
            "UPDATE api_keys SET name = COALESCE($1, name), allowlist = COALESCE($2, allowlist), \
             expires_at = COALESCE($3, expires_at) WHERE id = $4",
        )
        .bind(change.name.as_deref())
        .bind(change.allowlist.as_deref().map(list))
        .bind(change.expires_at)
        .bind(id);
        query.execute(&mut *transaction).await?;
        self.record_change(&mut transaction, id).await?;
        transaction.commit().await?;
        Ok(true)
    }

    /// Revokes a key. Returns whether it existed and was valid.
    pub async fn revoke_key(&self, id: &str, now: Timestamp) -> Result<bool, StorageError> {
        let query = sqlx::query(
            "UPDATE api_keys SET revoked_at = $1, revision = revision + 1 WHERE id = $2 AND revoked_at IS NULL",
        );
        self.change_one(query.bind(now).bind(id), id).await
    }
}

/// Stores a new key of an organization, of the instance, or of an account.
pub(super) async fn insert(
    transaction: &mut Transaction<'_, Any>,
    presented: &PresentedKey,
    new: &NewKey,
    account_id: Option<&str>,
    now: Timestamp,
) -> Result<(), StorageError> {
    let query = sqlx::query(
        "INSERT INTO api_keys (id, organization_id, account_id, name, secret_hash, scope, projects, allowlist, created_at, \
         expires_at, created_by) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
    )
    .bind(presented.id())
    .bind(&new.organization_id)
    .bind(account_id)
    .bind(&new.name)
    .bind(presented.secret_hash())
    .bind(new.scope.name())
    .bind(serde_json::json!(new.projects).to_string())
    .bind(list(&new.allowlist))
    .bind(now)
    .bind(now + new.days.unwrap_or(DEFAULT_DAYS) * DAY)
    .bind(&new.created_by);
    query.execute(&mut **transaction).await?;
    Ok(())
}

/// An allowlist as a row has it.
fn list(allowlist: &[IpNet]) -> String {
    allowlist.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")
}

/// Reads keys by their ids.
pub(super) type KeyReads = SharedReads<String, (ApiKey, Option<Organization>)>;

pub(super) fn shared_reads(pool: &AnyPool) -> KeyReads {
    SharedReads::start(pool.clone(), |connection, ids| read_shared(connection, ids).boxed())
}

/// Columns of a key, its organization, and its owner's present role, for [`read_held`].
pub(super) const HELD_COLUMNS: &str = "api_keys.id AS key_id, api_keys.organization_id, api_keys.name, secret_hash, scope, \
     api_keys.projects, allowlist, api_keys.created_at AS key_created_at, expires_at, last_used_at, revoked_at, created_by, \
     api_keys.revision AS key_revision, organizations.name AS organization_name, plan, \
     organizations.revision AS organization_revision, api_keys.account_id AS owner_id, owners.email AS owner_email, \
     owners.is_operator AS owner_is_operator, roles.role AS owner_role";

macro_rules! joins {
    () => {
        "LEFT JOIN organizations ON organizations.id = api_keys.organization_id \
         LEFT JOIN accounts AS owners ON owners.id = api_keys.account_id \
         LEFT JOIN members AS roles ON roles.organization_id = api_keys.organization_id \
         AND roles.account_id = api_keys.account_id"
    };
}

/// The other tables of those columns, joined with `api_keys`.
pub(super) const JOINS: &str = joins!();

/// All tables of those columns, joined with one named `asked`.
pub(super) const JOINED: &str = concat!("JOIN api_keys ON api_keys.id = asked.key_id ", joins!());

async fn read_shared(
    connection: &mut AnyConnection,
    ids: Vec<String>,
) -> Result<HashMap<String, (ApiKey, Option<Organization>)>, StorageError> {
    let (count, rows) = rows(ids.len(), 1);
    let sql =
        format!("WITH asked (key_id) AS (VALUES {rows}) SELECT {HELD_COLUMNS} FROM asked {JOINED}");
    let mut query = sqlx::query(AssertSqlSafe(sql));
    for id in ids.iter().cycle().take(count) {
        query = query.bind(id);
    }
    let rows = query.fetch_all(connection).await?;
    rows.iter().map(|row| read_held(row).map(|held| (held.0.id.clone(), held))).collect()
}

/// A key and its organization.
pub(super) fn read_held(row: &AnyRow) -> Result<(ApiKey, Option<Organization>), StorageError> {
    let key = read(row)?;
    let Some(id) = key.organization_id.clone() else { return Ok((key, None)) };
    let plan: String = row.try_get("plan")?;
    let plan = plan.parse().map_err(StorageError::Value)?;
    let name = row.try_get("organization_name")?;
    let revision = row.try_get("organization_revision")?;
    let organization = Organization { id, name, plan, revision };
    Ok((key, Some(organization)))
}

fn read(row: &AnyRow) -> Result<ApiKey, StorageError> {
    let granted: String = row.try_get("scope")?;
    let projects: String = row.try_get("projects")?;
    let allowlist: String = row.try_get("allowlist")?;
    Ok(ApiKey {
        id: row.try_get("key_id")?,
        organization_id: row.try_get("organization_id")?,
        name: row.try_get("name")?,
        secret_hash: row.try_get("secret_hash")?,
        granted: granted.parse().map_err(StorageError::Value)?,
        owner: owner(row)?,
        projects: serde_json::from_str(&projects)
            .map_err(|error| StorageError::Value(error.to_string()))?,
        allowlist: parse_allowlist(&allowlist).map_err(StorageError::Value)?,
        created_at: row.try_get("key_created_at")?,
        expires_at: row.try_get("expires_at")?,
        last_used_at: row.try_get("last_used_at")?,
        revoked_at: row.try_get("revoked_at")?,
        created_by: row.try_get("created_by")?,
        revision: row.try_get("key_revision")?,
    })
}

/// The owner of a personal access token.
fn owner(row: &AnyRow) -> Result<Option<KeyOwner>, StorageError> {
    let Some(account_id) = row.try_get::<Option<String>, _>("owner_id")? else { return Ok(None) };
    let is_operator = row.try_get::<Option<i64>, _>("owner_is_operator")? == Some(1);
    let role: Option<String> = row.try_get("owner_role")?;
    let role = role.map(|role| role.parse::<Role>()).transpose().map_err(StorageError::Value)?;
    let scope = if is_operator { Some(Scope::Operator) } else { role.map(Role::scope) };
    let email = row.try_get::<Option<String>, _>("owner_email")?.unwrap_or_default();
    Ok(Some(KeyOwner { account_id, email, scope }))
}
