//! Limits of plans, and usage of organizations.

use docwright_types::{
    plan::{Limits, Plan},
    timestamp::Timestamp,
};
use sqlx::{Any, AssertSqlSafe, Row, Transaction, any::AnyRow};

use super::{
    Database,
    revisions::{Record, revise},
};
use crate::StorageError;

const COLUMNS: &str = "static_export, projects, members, prompts_an_hour, storage_bytes, revision";

/// The stored limits of a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlanLimits {
    /// The limits.
    pub limits: Limits,
    /// Number of their version, which updates increment.
    pub revision: i64,
}

/// A record whose number a plan limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Counted {
    Projects,
    Members,
}

/// Usage is counted up to this number, so that pages don't wait for a count of millions.
pub const USAGE_COUNTED: i64 = 10_000;

/// How much of everything an organization has, and has used since a time: [`USAGE_COUNTED`] if it is as much or
/// more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Usage {
    /// Projects that it has.
    pub projects: i64,
    /// Members that it has.
    pub members: i64,
    /// Requested releases.
    pub releases: i64,
    /// Prompts that were sent.
    pub prompts: i64,
    /// Exports that were started.
    pub exports: i64,
}

impl Database {
    /// The limits of a plan.
    pub async fn plan_limits(&self, plan: Plan) -> Result<PlanLimits, StorageError> {
        let sql = format!("SELECT {COLUMNS} FROM plans WHERE name = $1");
        let query = sqlx::query(AssertSqlSafe(sql)).bind(plan.to_string());
        read(&query.fetch_one(&self.pool).await?)
    }

    /// Changes the limits of a plan. Organizations keep everything above a new limit. Returns whether the plan
    /// exists. Fails if it hasn't the named revision.
    pub async fn set_plan_limits(
        &self,
        plan: Plan,
        limits: Limits,
        revision: Option<i64>,
    ) -> Result<bool, StorageError> {
        let name = plan.name();
        let mut transaction = self.begin().await?;
        if !revise(&mut transaction, Record::Plan(name), revision).await? {
            return Ok(false);
        }
        let query = sqlx::query(
            "UPDATE plans SET static_export = $1, projects = $2, members = $3, prompts_an_hour = $4, storage_bytes = $5 \
             WHERE name = $6",
        )
        .bind(i64::from(limits.static_export))
        .bind(limits.projects)
        .bind(limits.members)
        .bind(limits.prompts_an_hour)
        .bind(limits.storage_bytes)
        .bind(name);
        query.execute(&mut *transaction).await?;
        self.record_change(&mut transaction, name).await?;
        transaction.commit().await?;
        Ok(true)
    }

    /// What an organization has, and its usage since a time.
    pub async fn usage(
        &self,
        organization_id: &str,
        since: Timestamp,
    ) -> Result<Usage, StorageError> {
        // Ids start with the time, so an index is enough for the count.
        let first = |prefix: &str| format!("{prefix}_{:012x}", since.max(0));
        let used = |rows: &str| {
            format!("(SELECT COUNT(*) FROM (SELECT 1 FROM {rows} LIMIT {USAGE_COUNTED}) AS used)")
        };
        let sql = format!(
            "SELECT (SELECT COUNT(*) FROM projects WHERE organization_id = $1) AS projects, \
             (SELECT COUNT(*) FROM members WHERE organization_id = $1) AS members, \
             {} AS releases, {} AS exports, {} AS prompts",
            used("releases WHERE organization_id = $1 AND id >= $2"),
            used("export_jobs WHERE organization_id = $1 AND id >= $3"),
            used(
                "agent_messages JOIN projects ON projects.id = project_id \
                 WHERE organization_id = $1 AND agent_messages.created_at >= $4"
            ),
        );
        let row = sqlx::query(AssertSqlSafe(sql))
            .bind(organization_id)
            .bind(first("rel"))
            .bind(first("exp"))
            .bind(since)
            .fetch_one(&self.pool)
            .await?;
        Ok(Usage {
            projects: row.try_get("projects")?,
            members: row.try_get("members")?,
            releases: row.try_get("releases")?,
            prompts: row.try_get("prompts")?,
            exports: row.try_get("exports")?,
        })
    }
}

/// Fails if an organization exceeds a limit of its plan. Callers add the record first, in a transaction that
/// started with a write to the organization, so of two parallel requests one sees the other.
pub(super) async fn require_room(
    transaction: &mut Transaction<'_, Any>,
    organization_id: &str,
    counted: Counted,
) -> Result<(), StorageError> {
    let table = match counted {
        Counted::Projects => "projects",
        Counted::Members => "members",
    };
    let sql = format!(
        "SELECT plan, plans.{table} AS room FROM organizations JOIN plans ON plans.name = plan WHERE organizations.id = $1"
    );
    let query = sqlx::query(AssertSqlSafe(sql)).bind(organization_id);
    let Some(row) = query.fetch_optional(&mut **transaction).await? else { return Ok(()) };
    let Some(room) = row.try_get::<Option<i64>, _>("room")? else { return Ok(()) };
    let sql = format!("SELECT COUNT(*) AS has FROM {table} WHERE organization_id = $1");
    let query = sqlx::query(AssertSqlSafe(sql)).bind(organization_id);
    let has: i64 = query.fetch_one(&mut **transaction).await?.try_get("has")?;
    if has <= room {
        return Ok(());
    }
    let plan: String = row.try_get("plan")?;
    Err(StorageError::PlanLimit(format!(
        "the plan of this organization, {plan}, includes {room} {table}; remove some, or ask the operator for a higher limit"
    )))
}

fn read(row: &AnyRow) -> Result<PlanLimits, StorageError> {
    let limits = Limits {
        static_export: row.try_get::<i64, _>("static_export")? == 1,
        projects: row.try_get("projects")?,
        members: row.try_get("members")?,
        prompts_an_hour: row.try_get("prompts_an_hour")?,
        storage_bytes: row.try_get("storage_bytes")?,
    };
    Ok(PlanLimits { limits, revision: row.try_get("revision")? })
}
