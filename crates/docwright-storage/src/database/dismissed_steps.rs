//! Next steps of projects that people don't want to see.

use sqlx::Row;

use super::Database;
use crate::StorageError;

impl Database {
    /// The names of the steps that people dismissed for a project.
    pub async fn dismissed_steps(&self, project_id: &str) -> Result<Vec<String>, StorageError> {
        let sql = "SELECT step FROM dismissed_steps WHERE project_id = $1 ORDER BY step";
        let rows = sqlx::query(sql).bind(project_id).fetch_all(&self.pool).await?;
        rows.iter().map(|row| Ok(row.try_get("step")?)).collect()
    }

    /// Dismisses a step. Dismissing it again changes nothing.
    pub async fn dismiss_step(&self, project_id: &str, step: &str) -> Result<(), StorageError> {
        let sql = "INSERT INTO dismissed_steps (project_id, step) SELECT id, $2 FROM projects WHERE id = $1 \
             ON CONFLICT (project_id, step) DO UPDATE SET step = $2";
        let query = sqlx::query(sql).bind(project_id).bind(step);
        self.change_one(query, project_id).await?;
        Ok(())
    }
}
