//! Weekly reports: which projects want one, and that each week is reported once.

use docwright_types::{
    notification::EventKind,
    timestamp::{Timestamp, iso},
};
use serde_json::{Value, json};
use sqlx::{AssertSqlSafe, Row, any::AnyRow};

use crate::{
    StorageError,
    database::{Database, notifications},
};

/// A project whose week has no report yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WeeklyProject {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Its organization.
    pub organization_id: String,
}

/// Subscriptions to weekly reports that are older than the end of the week (`$1`).
fn subscribed() -> String {
    format!(
        "events LIKE '%\"{}\"%' AND subscriptions.created_at < $1",
        EventKind::AnalyticsWeekly.name()
    )
}

impl Database {
    /// Projects with a subscription to weekly reports that have none of the week that ends at a time: at most a number,
    /// after an id.
    pub async fn weekly_projects(
        &self,
        ends_at: Timestamp,
        (after, limit): (&str, i64),
    ) -> Result<Vec<WeeklyProject>, StorageError> {
        let sql = format!(
            "SELECT projects.id, projects.name, projects.organization_id FROM projects WHERE projects.id > $2 \
             AND EXISTS (SELECT 1 FROM subscriptions WHERE subscriptions.organization_id = projects.organization_id \
             AND (project_id IS NULL OR project_id = projects.id) AND {}) \
             AND NOT EXISTS (SELECT 1 FROM analytics_weeks WHERE analytics_weeks.project_id = projects.id AND ends_at >= $1) \
             ORDER BY projects.id LIMIT {limit}",
            subscribed()
        );
        let query = sqlx::query(AssertSqlSafe(sql)).bind(ends_at).bind(after);
        let read = |row: &AnyRow| {
            Ok(WeeklyProject {
                id: row.try_get("id")?,
                name: row.try_get("name")?,
                organization_id: row.try_get("organization_id")?,
            })
        };
        query.fetch_all(&self.pool).await?.iter().map(read).collect()
    }

    /// Records the report of a project's week for every subscription to it, unless it was recorded before, on this node
    /// or another one. Without data, nothing is sent. Returns whether it was recorded now.
    pub async fn record_week(
        &self,
        project: &WeeklyProject,
        ends_at: Timestamp,
        data: Option<Value>,
        now: Timestamp,
    ) -> Result<bool, StorageError> {
        self.attempt(|| Box::pin(self.try_record_week(project, ends_at, data.clone(), now))).await
    }

    async fn try_record_week(
        &self,
        project: &WeeklyProject,
        ends_at: Timestamp,
        data: Option<Value>,
        now: Timestamp,
    ) -> Result<bool, StorageError> {
        let mut transaction = self.begin().await?;
        let sql = "INSERT INTO analytics_weeks (project_id, ends_at) SELECT id, $2 FROM projects WHERE id = $1 \
             ON CONFLICT (project_id) DO UPDATE SET ends_at = excluded.ends_at \
             WHERE analytics_weeks.ends_at < excluded.ends_at";
        let query = sqlx::query(sql).bind(&project.id).bind(ends_at);
        if query.execute(&mut *transaction).await?.rows_affected() == 0 {
            return Ok(false);
        }
        if let Some(mut data) = data {
            data["organizationId"] = json!(project.organization_id);
            data["projectId"] = json!(project.id);
            data["project"] = json!(project.name);
            let kind = EventKind::AnalyticsWeekly;
            let payload = json!({ "type": kind.name(), "timestamp": iso(now), "data": data });
            let sql = format!(
                "SELECT id FROM subscriptions WHERE organization_id = $2 AND (project_id IS NULL OR project_id = $3) \
                 AND {}",
                subscribed()
            );
            let query = sqlx::query(AssertSqlSafe(sql)).bind(ends_at);
            let query = query.bind(&project.organization_id).bind(&project.id);
            for row in query.fetch_all(&mut *transaction).await? {
                let (id, payload) = (row.try_get::<String, _>("id")?, payload.to_string());
                notifications::insert(&mut transaction, &id, (kind, &payload), now).await?;
            }
        }
        transaction.commit().await?;
        Ok(true)
    }
}
