//! Organisations and their plans.

use docwright_domain::{plan::Plan, timestamp::Timestamp};
use sqlx::{Row, any::AnyRow};

use super::{Database, new_id};
use crate::StorageError;

/// Those who own projects and keys.
#[derive(Debug, Clone)]
pub struct Organization {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Its plan.
    pub plan: Plan,
}

impl Database {
    /// Makes an organisation.
    pub async fn create_organization(
        &self,
        name: &str,
        plan: Plan,
        now: Timestamp,
    ) -> Result<Organization, StorageError> {
        let organization = Organization { id: new_id("org"), name: name.to_owned(), plan };
        sqlx::query(
            "INSERT INTO organizations (id, name, plan, created_at) VALUES ($1, $2, $3, $4)",
        )
        .bind(&organization.id)
        .bind(name)
        .bind(plan.to_string())
        .bind(now)
        .execute(&self.pool)
        .await?;
        Ok(organization)
    }

    /// Every organisation, oldest first.
    pub async fn organizations(&self) -> Result<Vec<Organization>, StorageError> {
        let rows = sqlx::query("SELECT id, name, plan FROM organizations ORDER BY created_at, id")
            .fetch_all(&self.pool)
            .await?;
        rows.iter().map(read).collect()
    }

    /// The organisation of an id.
    pub async fn organization(&self, id: &str) -> Result<Option<Organization>, StorageError> {
        let row = sqlx::query("SELECT id, name, plan FROM organizations WHERE id = $1")
            .bind(id)
            .fetch_optional(&self.pool)
            .await?;
        row.as_ref().map(read).transpose()
    }

    /// Changes name and plan where one is given. Returns whether there is such an organisation.
    pub async fn update_organization(
        &self,
        id: &str,
        name: Option<&str>,
        plan: Option<Plan>,
    ) -> Result<bool, StorageError> {
        let query = sqlx::query(
            "UPDATE organizations SET name = COALESCE($1, name), plan = COALESCE($2, plan) WHERE id = $3",
        );
        let query = query.bind(name).bind(plan.map(|plan| plan.to_string())).bind(id);
        Ok(query.execute(&self.pool).await?.rows_affected() == 1)
    }
}

fn read(row: &AnyRow) -> Result<Organization, StorageError> {
    let plan: String = row.try_get("plan")?;
    Ok(Organization {
        id: row.try_get("id")?,
        name: row.try_get("name")?,
        plan: plan.parse().map_err(StorageError::Value)?,
    })
}
