//! What readers say of pages.

use docwright_domain::{
    notification::EventKind,
    timestamp::{HOUR, Timestamp},
};
use sqlx::Row;

use super::{
    Database, new_id,
    notifications::{Subject, record},
};
use crate::StorageError;

/// Most that one site takes in an hour: nobody is asked who they are, so that floods end here.
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
    /// What the reader has to add.
    pub comment: Option<&'a str>,
}

/// What readers say of one page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageFeedback {
    /// Slug of the page.
    pub page: String,
    /// It helped so many.
    pub helpful: i64,
    /// It did not help so many.
    pub unhelpful: i64,
    /// The newest comments first.
    pub comments: Vec<String>,
}

impl Database {
    /// Keeps what a reader said. `false` if the site has had as much as it takes in an hour.
    pub async fn add_feedback(
        &self,
        new: NewFeedback<'_>,
        now: Timestamp,
    ) -> Result<bool, StorageError> {
        let id = new_id("feedback");
        let mut transaction = self.begin().await?;
        let inserted = sqlx::query(
            "INSERT INTO feedback (id, domain, page, helpful, comment, created_at) \
             SELECT $1, $2, $3, $4, $5, $6 WHERE \
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

    /// What readers said of the pages of a domain, the pages that helped least first.
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
}
