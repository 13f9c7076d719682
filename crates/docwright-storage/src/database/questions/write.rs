//! Stores, rates, and deletes questions.

use docwright_types::timestamp::Timestamp;
use serde_json::json;
use sqlx::{Any, AssertSqlSafe, Transaction};

use super::{NewQuestion, Rating};
use crate::{
    StorageError,
    database::{Database, retention::BATCH},
};

impl Database {
    /// Stores questions. Those of domains that are gone are left out, as are those that are stored already. Returns
    /// how many were stored.
    pub async fn add_questions(&self, questions: &[NewQuestion]) -> Result<u64, StorageError> {
        self.attempt(|| Box::pin(self.try_add_questions(questions))).await
    }

    async fn try_add_questions(&self, questions: &[NewQuestion]) -> Result<u64, StorageError> {
        let (mut transaction, mut stored) = (self.begin().await?, 0);
        for question in questions {
            stored += insert(&mut transaction, question).await?;
        }
        transaction.commit().await?;
        Ok(stored)
    }

    /// Rates the answer of a question in a thread of a domain; a later rating replaces an earlier one. Returns whether
    /// the question is stored and hasn't expired.
    pub async fn rate_question(
        &self,
        (domain, thread, id): (&str, &str, &str),
        rating: &Rating,
        now: Timestamp,
    ) -> Result<bool, StorageError> {
        let query = sqlx::query(
            "UPDATE assistant_questions SET helpful = $1, reason = $2, comment = $3 \
             WHERE id = $4 AND domain = $5 AND thread = $6 AND expires_at > $7",
        );
        let query = query.bind(i64::from(rating.helpful));
        let query = query
            .bind(rating.reason.map(docwright_types::assistant::RatingReason::name))
            .bind(&rating.comment);
        let query = query.bind(id).bind(domain).bind(thread).bind(now);
        Ok(query.execute(&self.pool).await?.rows_affected() == 1)
    }

    /// Deletes the questions of a project, or those of one of its threads. Returns how many.
    pub async fn delete_questions(
        &self,
        project_id: &str,
        thread: Option<&str>,
    ) -> Result<u64, StorageError> {
        let which = match thread {
            Some(_) => "project_id = $1 AND thread = $2",
            None => "project_id = $1",
        };
        // A project can have many: short transactions, the last of which has the entry.
        let sql = format!(
            "DELETE FROM assistant_questions WHERE id IN \
             (SELECT id FROM assistant_questions WHERE {which} LIMIT {BATCH})"
        );
        let mut deleted = 0;
        loop {
            let mut transaction = self.begin().await?;
            let query = sqlx::query(AssertSqlSafe(sql.clone())).bind(project_id);
            let query = match thread {
                Some(thread) => query.bind(thread),
                None => query,
            };
            let count = query.execute(&mut *transaction).await?.rows_affected();
            deleted += count;
            if count < BATCH.unsigned_abs() {
                if deleted > 0 {
                    self.record_change(&mut transaction, thread.unwrap_or(project_id)).await?;
                }
                transaction.commit().await?;
                return Ok(deleted);
            }
            transaction.commit().await?;
        }
    }
}

/// Stores a question, if its domain exists.
async fn insert(
    transaction: &mut Transaction<'_, Any>,
    new: &NewQuestion,
) -> Result<u64, StorageError> {
    let query = sqlx::query(
        "INSERT INTO assistant_questions (id, project_id, domain, thread, asked_at, expires_at, question, answer, kind, \
         sources, asked_from, page, language, version) \
         SELECT $1, project_id, name, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13 FROM domains WHERE name = $2 \
         ON CONFLICT (id) DO NOTHING",
    );
    let query = query.bind(&new.id).bind(&new.domain).bind(&new.thread).bind(new.asked_at);
    let query = query.bind(new.expires_at).bind(&new.question).bind(&new.answer);
    let query = query.bind(new.kind.name()).bind(json!(new.sources).to_string());
    let query = query.bind(new.asked_from.name());
    let query = query.bind(&new.page).bind(&new.language).bind(&new.version);
    Ok(query.execute(&mut **transaction).await?.rows_affected())
}
