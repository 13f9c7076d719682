//! Questions that the pages don't answer: refused ones, and those whose answer didn't help.

use docwright_types::timestamp::Timestamp;
use sqlx::{AssertSqlSafe, Row};

use super::{
    Question,
    read::{COLUMNS, read},
};
use crate::{StorageError, database::Database};

impl Database {
    /// The newest questions of a project in a time that the pages don't answer, at most `limit` of refused ones and
    /// as many of those whose answer didn't help; the oldest first.
    pub async fn unanswered_questions(
        &self,
        project_id: &str,
        (from, to): (Timestamp, Timestamp),
        limit: i64,
    ) -> Result<Vec<Question>, StorageError> {
        let questions = async |condition: &str| {
            let sql = format!(
                "SELECT {COLUMNS} FROM assistant_questions WHERE project_id = $1 AND {condition} \
                 AND asked_at >= $2 AND asked_at < $3 ORDER BY asked_at DESC, id DESC LIMIT $4"
            );
            let query = sqlx::query(AssertSqlSafe(sql)).bind(project_id).bind(from).bind(to);
            let rows = query.bind(limit).fetch_all(&self.pool).await?;
            rows.iter().map(read).collect::<Result<Vec<_>, _>>()
        };
        let (mut questions, unhelpful) =
            tokio::try_join!(questions("kind = 'refused'"), questions("helpful = 0"))?;
        questions.extend(unhelpful);
        let place = |question: &Question| (question.asked.asked_at, question.asked.id.clone());
        questions.sort_by_key(place);
        // A refusal can be rated too.
        questions.dedup_by(|one, other| one.asked.id == other.asked.id);
        Ok(questions)
    }

    /// The number of questions in a range that the assistant refused to answer.
    pub async fn refused_question_count(
        &self,
        project_id: &str,
        (from, to): (Timestamp, Timestamp),
    ) -> Result<i64, StorageError> {
        let sql = "SELECT COUNT(*) AS total FROM assistant_questions WHERE project_id = $1 AND kind = 'refused' \
             AND asked_at >= $2 AND asked_at < $3";
        let query = sqlx::query(sql).bind(project_id).bind(from).bind(to);
        Ok(query.fetch_one(&self.pool).await?.try_get("total")?)
    }
}
