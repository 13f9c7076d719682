//! Reads questions: of a project, of a thread, and their numbers.

use docwright_types::{
    assistant::{AnswerKind, AskedFrom},
    timestamp::Timestamp,
};
use sqlx::{Row, any::AnyRow};

use super::{NewQuestion, Question, QuestionSource, Rating};
use crate::{
    StorageError,
    database::{
        Database,
        lists::{Order, PageRequest, Rows},
    },
};

const COLUMNS: &str = "id, domain, thread, asked_at, expires_at, question, answer, kind, sources, asked_from, page, \
     language, version, helpful, reason, comment";

/// Which questions to read.
#[derive(Debug, Clone, Copy)]
pub struct QuestionFilter<'a> {
    /// Asked from this time on.
    pub from: Timestamp,
    /// Asked before this time.
    pub to: Timestamp,
    /// With this kind of answer; `None` for all.
    pub kind: Option<AnswerKind>,
    /// Of this thread; `None` for all.
    pub thread: Option<&'a str>,
}

/// The number of questions from a place with a kind of answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QuestionCount {
    /// Where they were asked.
    pub asked_from: AskedFrom,
    /// The kind of their answers.
    pub kind: AnswerKind,
    /// How many.
    pub questions: i64,
}

impl QuestionFilter<'_> {
    /// All questions.
    pub const ALL: QuestionFilter<'static> =
        QuestionFilter { from: i64::MIN, to: i64::MAX, kind: None, thread: None };
}

impl Database {
    /// The questions of a project, newest first. The position of a question is its time and id.
    pub async fn questions(
        &self,
        project_id: &str,
        filter: QuestionFilter<'_>,
        page: PageRequest<'_>,
    ) -> Result<Vec<Question>, StorageError> {
        let select = format!("SELECT {COLUMNS} FROM assistant_questions");
        let mut rows = Rows::all()
            .with("project_id", Some(project_id))
            .with("thread", filter.thread)
            .with("kind", filter.kind.map(AnswerKind::name));
        if filter.from > i64::MIN {
            rows = rows.later("asked_at", filter.from - 1);
        }
        if filter.to < i64::MAX {
            rows = rows.earlier("asked_at", filter.to);
        }
        let order = Order::by_time("asked_at", "id", true);
        rows.read(&self.pool, &select, order, page, read).await
    }

    /// Counts the questions of a project in a time, by place and kind of answer.
    pub async fn count_questions(
        &self,
        project_id: &str,
        (from, to): (Timestamp, Timestamp),
    ) -> Result<Vec<QuestionCount>, StorageError> {
        let sql = "SELECT asked_from, kind, COUNT(*) AS questions FROM assistant_questions \
             WHERE project_id = $1 AND asked_at >= $2 AND asked_at < $3 \
             GROUP BY asked_from, kind ORDER BY asked_from, kind";
        let query = sqlx::query(sql).bind(project_id).bind(from).bind(to);
        let counted = |row: &AnyRow| {
            Ok(QuestionCount {
                asked_from: parsed(row, "asked_from")?,
                kind: parsed(row, "kind")?,
                questions: row.try_get("questions")?,
            })
        };
        query.fetch_all(&self.pool).await?.iter().map(counted).collect()
    }
}

fn read(row: &AnyRow) -> Result<Question, StorageError> {
    let asked = NewQuestion {
        id: row.try_get("id")?,
        domain: row.try_get("domain")?,
        thread: row.try_get("thread")?,
        asked_at: row.try_get("asked_at")?,
        expires_at: row.try_get("expires_at")?,
        question: row.try_get("question")?,
        answer: row.try_get("answer")?,
        kind: parsed(row, "kind")?,
        sources: sources(row)?,
        asked_from: parsed(row, "asked_from")?,
        page: row.try_get("page")?,
        language: row.try_get("language")?,
        version: row.try_get("version")?,
    };
    let helpful: Option<i64> = row.try_get("helpful")?;
    let rating = match helpful {
        Some(helpful) => {
            let reason: Option<String> = row.try_get("reason")?;
            let reason = reason.map(|name| name.parse()).transpose();
            let reason = reason.map_err(StorageError::Value)?;
            Some(Rating { helpful: helpful != 0, reason, comment: row.try_get("comment")? })
        }
        None => None,
    };
    Ok(Question { asked, rating })
}

/// The sources of an answer.
pub(super) fn sources(row: &AnyRow) -> Result<Vec<QuestionSource>, StorageError> {
    let sources: String = row.try_get("sources")?;
    serde_json::from_str(&sources).map_err(|error| StorageError::Value(error.to_string()))
}

/// A value by its name.
fn parsed<T: std::str::FromStr<Err = String>>(
    row: &AnyRow,
    column: &str,
) -> Result<T, StorageError> {
    let name: String = row.try_get(column)?;
    name.parse().map_err(StorageError::Value)
}
