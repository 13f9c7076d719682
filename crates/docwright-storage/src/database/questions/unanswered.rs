//! Questions that the pages don't answer: refused ones, and those whose answer didn't help.

use docwright_types::{assistant::AnswerKind, timestamp::Timestamp};
use sqlx::{AssertSqlSafe, Row, any::AnyRow};

use super::{QuestionSource, read::sources};
use crate::{StorageError, database::Database};

/// A question that the pages don't answer, without its answer: thousands are read at once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnansweredQuestion {
    /// ID of its answer.
    pub id: String,
    /// Domain of the site.
    pub domain: String,
    /// When it was asked.
    pub asked_at: Timestamp,
    /// Its text.
    pub question: String,
    /// Whether the assistant refused to answer.
    pub refused: bool,
    /// Whether the reader rated the answer as not helpful.
    pub not_helpful: bool,
    /// The sections nearest to it.
    pub sources: Vec<QuestionSource>,
    /// Language of the page, or of the widget.
    pub language: Option<String>,
    /// Version or product of the page.
    pub version: Option<String>,
}

impl UnansweredQuestion {
    fn read(row: &AnyRow) -> Result<Self, StorageError> {
        Ok(Self {
            id: row.try_get("id")?,
            domain: row.try_get("domain")?,
            asked_at: row.try_get("asked_at")?,
            question: row.try_get("question")?,
            refused: row.try_get::<String, _>("kind")? == AnswerKind::Refused.name(),
            not_helpful: row.try_get::<Option<i64>, _>("helpful")? == Some(0),
            sources: sources(row)?,
            language: row.try_get("language")?,
            version: row.try_get("version")?,
        })
    }
}

impl Database {
    /// The newest questions of a project in a time that the pages don't answer, at most `limit` of refused ones and
    /// as many of those whose answer didn't help; the oldest first.
    pub async fn unanswered_questions(
        &self,
        project_id: &str,
        (from, to): (Timestamp, Timestamp),
        limit: i64,
    ) -> Result<Vec<UnansweredQuestion>, StorageError> {
        let questions = async |condition: &str| {
            let sql = format!(
                "SELECT id, domain, asked_at, question, kind, helpful, sources, language, version FROM assistant_questions WHERE project_id = $1 AND {condition} \
                 AND asked_at >= $2 AND asked_at < $3 ORDER BY asked_at DESC, id DESC LIMIT $4"
            );
            let query = sqlx::query(AssertSqlSafe(sql)).bind(project_id).bind(from).bind(to);
            let rows = query.bind(limit).fetch_all(&self.pool).await?;
            rows.iter().map(UnansweredQuestion::read).collect::<Result<Vec<_>, _>>()
        };
        let (mut questions, unhelpful) =
            tokio::try_join!(questions("kind = 'refused'"), questions("helpful = 0"))?;
        questions.extend(unhelpful);
        let place = |question: &UnansweredQuestion| (question.asked_at, question.id.clone());
        questions.sort_by_key(place);
        // A refusal can be rated too.
        questions.dedup_by(|one, other| one.id == other.id);
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
