//! Organizations and their plans.

use docwright_types::{plan::Plan, timestamp::Timestamp};
use sqlx::{Any, AssertSqlSafe, Row, Transaction, any::AnyRow};

use super::{
    Database,
    lists::{Order, PageRequest, Rows, Sort, text},
    new_id,
    revisions::{Record, revise},
};
use crate::StorageError;

/// Owner of projects and keys.
#[derive(Debug, Clone)]
pub struct Organization {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Its plan.
    pub plan: Plan,
    /// Number of its version, which updates increment.
    pub revision: i64,
}

/// Changes of an organization; `None` keeps a value.
#[derive(Debug, Clone, Copy, Default)]
pub struct OrganizationChange<'a> {
    /// Its name.
    pub name: Option<&'a str>,
    /// Its plan.
    pub plan: Option<Plan>,
    /// The revision that it must have.
    pub revision: Option<i64>,
}

pub(super) const COLUMNS: &str = "id, name, plan, revision";

impl Database {
    /// Creates an organization. Fails if the name is taken.
    pub async fn create_organization(
        &self,
        name: &str,
        plan: Plan,
        now: Timestamp,
    ) -> Result<Organization, StorageError> {
        let organization =
            Organization { id: new_id("org"), name: name.to_owned(), plan, revision: 1 };
        let mut transaction = self.begin().await?;
        self.require_free_name(&mut transaction, name, &organization.id).await?;
        sqlx::query(
            "INSERT INTO organizations (id, name, plan, created_at) VALUES ($1, $2, $3, $4)",
        )
        .bind(&organization.id)
        .bind(name)
        .bind(plan.to_string())
        .bind(now)
        .execute(&mut *transaction)
        .await?;
        self.record_change(&mut transaction, &organization.id).await?;
        transaction.commit().await?;
        Ok(organization)
    }

    /// Every organization, oldest first.
    pub async fn organizations(&self) -> Result<Vec<Organization>, StorageError> {
        let sql = format!("SELECT {COLUMNS} FROM organizations ORDER BY created_at, id");
        let rows = sqlx::query(AssertSqlSafe(sql)).fetch_all(&self.pool).await?;
        rows.iter().map(read).collect()
    }

    /// Organizations, searched and sorted by name. With a name, only organizations with that name.
    pub async fn organizations_page(
        &self,
        name: Option<&str>,
        sort: Sort,
        page: PageRequest<'_>,
    ) -> Result<Vec<Organization>, StorageError> {
        const NAME: &str = text!("name");
        // A name is found by its text.
        let text = name.map(str::to_ascii_lowercase);
        let rows = Rows::all().with(NAME, text).with("name", name).searched(NAME, page);
        let select = format!("SELECT {COLUMNS} FROM organizations");
        rows.read(&self.pool, &select, Order::sorted(sort, NAME, "id"), page, read).await
    }

    /// The organization of an id.
    pub async fn organization(&self, id: &str) -> Result<Option<Organization>, StorageError> {
        let sql = format!("SELECT {COLUMNS} FROM organizations WHERE id = $1");
        let row = sqlx::query(AssertSqlSafe(sql)).bind(id).fetch_optional(&self.pool).await?;
        row.as_ref().map(read).transpose()
    }

    /// Changes an organization. Returns whether there is such an organization. Fails if another one has the new
    /// name, or if it has another revision than the change names.
    pub async fn update_organization(
        &self,
        id: &str,
        change: OrganizationChange<'_>,
    ) -> Result<bool, StorageError> {
        if self.organization(id).await?.is_none() {
            return Ok(false);
        }
        let mut transaction = self.begin().await?;
        let OrganizationChange { name, plan, revision } = change;
        if let Some(name) = name {
            self.require_free_name(&mut transaction, name, id).await?;
        }
        if !revise(&mut transaction, Record::Organization(id), revision).await? {
            return Ok(false);
        }
        let query = sqlx::query(
            "UPDATE organizations SET name = COALESCE($1, name), plan = COALESCE($2, plan) WHERE id = $3",
        );
        let query = query.bind(name).bind(plan.map(|plan| plan.to_string())).bind(id);
        query.execute(&mut *transaction).await?;
        self.record_change(&mut transaction, id).await?;
        transaction.commit().await?;
        Ok(true)
    }

    /// Fails if another organization has a name. Duplicate names from before this check stay.
    async fn require_free_name(
        &self,
        transaction: &mut Transaction<'_, Any>,
        name: &str,
        id: &str,
    ) -> Result<(), StorageError> {
        // One transaction checks at a time: on SQLite, any write excludes other writers.
        let sql = if self.postgres {
            "LOCK TABLE organizations IN SHARE ROW EXCLUSIVE MODE"
        } else {
            "UPDATE organizations SET name = name WHERE id IS NULL"
        };
        sqlx::query(sql).execute(&mut **transaction).await?;
        let sql = "SELECT id FROM organizations WHERE name = $1 AND id <> $2";
        let query = sqlx::query(sql).bind(name).bind(id);
        let Some(row) = query.fetch_optional(&mut **transaction).await? else { return Ok(()) };
        let taken: String = row.try_get("id")?;
        Err(StorageError::Exists(format!(
            "the organization `{name}` already exists, {taken}; choose another name"
        )))
    }
}

pub(super) fn read(row: &AnyRow) -> Result<Organization, StorageError> {
    let plan: String = row.try_get("plan")?;
    Ok(Organization {
        id: row.try_get("id")?,
        name: row.try_get("name")?,
        plan: plan.parse().map_err(StorageError::Value)?,
        revision: row.try_get("revision")?,
    })
}
