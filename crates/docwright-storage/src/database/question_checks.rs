//! What a check of the golden questions of a release showed.

use docwright_types::question_check::QuestionCheck;
use sqlx::{AssertSqlSafe, Row};

use super::{
    Database,
    leases::{HELD, Lease},
};
use crate::StorageError;

impl Database {
    /// Records what the golden questions of a claimed release showed.
    pub async fn record_question_check(
        &self,
        lease: &Lease,
        check: &QuestionCheck,
    ) -> Result<(), StorageError> {
        let sql = format!("UPDATE releases SET question_check = $1 WHERE {HELD}");
        let query = sqlx::query(AssertSqlSafe(sql)).bind(serde_json::json!(check).to_string());
        query.bind(&lease.id).bind(lease.number).execute(&self.pool).await?;
        Ok(())
    }

    /// What the golden questions of a release showed; `None` if they were not asked.
    pub async fn question_check(&self, id: &str) -> Result<Option<QuestionCheck>, StorageError> {
        let sql = "SELECT question_check FROM releases WHERE id = $1";
        let row = sqlx::query(sql).bind(id).fetch_optional(&self.pool).await?;
        let text: Option<String> =
            row.map(|row| row.try_get("question_check")).transpose()?.flatten();
        let read = |text: String| {
            serde_json::from_str(&text).map_err(|error| StorageError::Value(error.to_string()))
        };
        text.map(read).transpose()
    }
}
