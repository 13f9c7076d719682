//! Feedback of readers on pages.

use docwright_types::{
    feedback::{FeedbackState, GivenFrom},
    notification::EventKind,
    timestamp::{HOUR, Timestamp},
};
use sqlx::{AssertSqlSafe, Row, any::AnyRow};

use super::{
    Database,
    lists::{Order, PageRequest, Rows, text},
    new_id,
    notifications::{Subject, record},
    revisions::{Record, revise},
};
use crate::StorageError;

/// Limit of new entries per site and hour. Readers are anonymous, so this stops floods.
pub const FEEDBACK_AN_HOUR: i64 = 1_000;

/// Whether a page helped a reader.
#[derive(Debug, Clone, Copy)]
pub struct NewFeedback<'a> {
    /// The site's domain.
    pub domain: &'a str,
    /// Slug of the page.
    pub page: &'a str,
    /// It helped.
    pub helpful: bool,
    /// The reader's comment.
    pub comment: Option<&'a str>,
    /// Where it was given.
    pub given_from: GivenFrom,
}

/// Feedback on one page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageFeedback {
    /// Slug of the page.
    pub page: String,
    /// The number of readers that it helped.
    pub helpful: i64,
    /// The number of readers that it did not help.
    pub unhelpful: i64,
    /// The newest comments first.
    pub comments: Vec<String>,
}

/// One reader's feedback on a page, with its state and the authors' note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Feedback {
    /// Its id.
    pub id: String,
    /// The domain of the site.
    pub domain: String,
    /// Slug of the page.
    pub page: String,
    /// Whether the page helped.
    pub helpful: bool,
    /// The reader's comment.
    pub comment: Option<String>,
    /// Where it was given.
    pub given_from: GivenFrom,
    /// The state of processing.
    pub state: FeedbackState,
    /// The authors' note.
    pub note: Option<String>,
    /// Time of the feedback.
    pub created_at: Timestamp,
    /// When the authors changed its state or their note last.
    pub changed_at: Option<Timestamp>,
    /// Number of its version, which updates increment.
    pub revision: i64,
}

/// Changes of a feedback entry; `None` keeps a value.
#[derive(Debug, Clone, Copy, Default)]
pub struct FeedbackChange<'a> {
    /// Its state.
    pub state: Option<FeedbackState>,
    /// The authors' note, empty to remove it.
    pub note: Option<&'a str>,
    /// The revision that it must have.
    pub revision: Option<i64>,
}

pub(super) const COLUMNS: &str =
    "id, domain, page, helpful, comment, given_from, state, note, created_at, changed_at, revision";

impl Database {
    /// Stores feedback. Returns `false` if the site reached its hourly limit, or if its domain is gone.
    pub async fn add_feedback(
        &self,
        new: NewFeedback<'_>,
        now: Timestamp,
    ) -> Result<bool, StorageError> {
        let id = new_id("feedback");
        let mut transaction = self.begin().await?;
        let inserted = sqlx::query(
            "INSERT INTO feedback (id, domain, project_id, page, helpful, comment, created_at, given_from) \
             SELECT $1, $2, project_id, $3, $4, $5, $6, $9 FROM domains WHERE name = $2 AND \
             (SELECT COUNT(*) FROM feedback WHERE domain = $2 AND created_at > $7) < $8",
        )
        .bind(&id)
        .bind(new.domain)
        .bind(new.page)
        .bind(i64::from(new.helpful))
        .bind(new.comment)
        .bind(now)
        .bind(now - HOUR)
        .bind(FEEDBACK_AN_HOUR)
        .bind(new.given_from.name())
        .execute(&mut *transaction)
        .await?;
        let kept = inserted.rows_affected() == 1;
        if kept {
            record(&mut transaction, Subject::Feedback(&id), EventKind::FeedbackCreated, now)
                .await?;
        }
        transaction.commit().await?;
        Ok(kept)
    }

    /// The feedback of a domain by page. The pages that helped least come first.
    pub async fn feedback(&self, domain: &str) -> Result<Vec<PageFeedback>, StorageError> {
        let rows = sqlx::query(
            "SELECT page, helpful, comment FROM feedback WHERE domain = $1 \
             ORDER BY page, created_at DESC, id DESC",
        )
        .bind(domain)
        .fetch_all(&self.pool)
        .await?;
        let mut pages: Vec<PageFeedback> = Vec::new();
        for row in rows {
            let page: String = row.try_get("page")?;
            if pages.last().is_none_or(|last| last.page != page) {
                pages.push(PageFeedback { page, helpful: 0, unhelpful: 0, comments: Vec::new() });
            }
            let Some(last) = pages.last_mut() else { continue };
            match row.try_get::<i64, _>("helpful")? {
                0 => last.unhelpful += 1,
                _ => last.helpful += 1,
            }
            last.comments.extend(row.try_get::<Option<String>, _>("comment")?);
        }
        pages.sort_by_key(|page| page.helpful - page.unhelpful);
        Ok(pages)
    }

    /// The feedback of a project, newest first, searched by page, and optionally in one state.
    pub async fn feedback_of_project(
        &self,
        project_id: &str,
        state: Option<FeedbackState>,
        page: PageRequest<'_>,
    ) -> Result<Vec<Feedback>, StorageError> {
        const PAGE: &str = text!("page");
        let select = format!("SELECT {COLUMNS} FROM feedback");
        let rows = Rows::all()
            .with("project_id", Some(project_id))
            .with("state", state.map(FeedbackState::name))
            .searched(PAGE, page);
        rows.read(&self.pool, &select, Order::grouped(PAGE, "id", page), page, read).await
    }

    /// One entry, if it belongs to the project.
    pub async fn feedback_of_id(
        &self,
        project_id: &str,
        id: &str,
    ) -> Result<Option<Feedback>, StorageError> {
        let sql = format!("SELECT {COLUMNS} FROM feedback WHERE id = $1 AND project_id = $2");
        let query = sqlx::query(AssertSqlSafe(sql)).bind(id).bind(project_id);
        query.fetch_optional(&self.pool).await?.as_ref().map(read).transpose()
    }

    /// Changes a feedback entry. Returns whether the project has it. Fails if it hasn't the revision that the change
    /// names.
    pub async fn update_feedback(
        &self,
        (project_id, id): (&str, &str),
        change: FeedbackChange<'_>,
        now: Timestamp,
    ) -> Result<bool, StorageError> {
        let mut transaction = self.begin().await?;
        let record = Record::Feedback(project_id, id);
        if !revise(&mut transaction, record, change.revision).await? {
            return Ok(false);
        }
        let query = sqlx::query(
            "UPDATE feedback SET state = COALESCE($1, state), note = NULLIF(COALESCE($2, note), ''), changed_at = $3 \
             WHERE id = $4",
        );
        let query = query.bind(change.state.map(FeedbackState::name)).bind(change.note);
        query.bind(now).bind(id).execute(&mut *transaction).await?;
        self.record_change(&mut transaction, id).await?;
        transaction.commit().await?;
        Ok(true)
    }
}

pub(super) fn read(row: &AnyRow) -> Result<Feedback, StorageError> {
    let state: String = row.try_get("state")?;
    let given_from: String = row.try_get("given_from")?;
    Ok(Feedback {
        id: row.try_get("id")?,
        domain: row.try_get("domain")?,
        page: row.try_get("page")?,
        helpful: row.try_get::<i64, _>("helpful")? != 0,
        comment: row.try_get("comment")?,
        given_from: given_from.parse().map_err(StorageError::Value)?,
        state: state.parse().map_err(StorageError::Value)?,
        note: row.try_get("note")?,
        created_at: row.try_get("created_at")?,
        changed_at: row.try_get("changed_at")?,
        revision: row.try_get("revision")?,
    })
}
