//! What belongs to a domain, in numbers that stop at a limit.

use docwright_types::domain_address::DomainAddress;
use sqlx::{AssertSqlSafe, Row};

use super::{Database, deletion::SITE};
use crate::StorageError;

/// Numbers above it aren't counted.
pub const CONTENTS_COUNTED: i64 = 10_000;

/// What is deleted together with a domain.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DomainContents {
    /// Releases in any state.
    pub releases: i64,
    /// Static export jobs.
    pub export_jobs: i64,
    /// Ratings and comments of readers.
    pub feedback: i64,
    /// Questions of readers.
    pub questions: i64,
    /// Keys of the assistant.
    pub assistant_keys: i64,
    /// Days with views.
    pub days: i64,
}

impl Database {
    /// Counts what belongs to a domain.
    pub async fn domain_contents(
        &self,
        name: &DomainAddress,
    ) -> Result<DomainContents, StorageError> {
        let count = |which: &str| {
            format!(
                "(SELECT COUNT(*) FROM (SELECT 1 FROM {which} LIMIT {}) AS counted)",
                CONTENTS_COUNTED + 1
            )
        };
        let sql = format!(
            "SELECT {} AS releases, {} AS export_jobs, {} AS feedback, {} AS questions, {} AS assistant_keys, {} AS days",
            count(&format!("releases WHERE site_id IN {SITE}")),
            count("export_jobs WHERE domain = $1"),
            count("feedback WHERE domain = $1"),
            count("assistant_questions WHERE domain = $1"),
            count("assistant_keys WHERE domain = $1"),
            count(
                "analytics_totals WHERE site IN (SELECT id FROM analytics_sites WHERE domain = $1) \
                 AND folder = 0 AND step = 24 AND human + ai > 0"
            ),
        );
        let query = sqlx::query(AssertSqlSafe(sql)).bind(name.as_str());
        let row = query.fetch_one(&self.pool).await?;
        Ok(DomainContents {
            releases: row.try_get("releases")?,
            export_jobs: row.try_get("export_jobs")?,
            feedback: row.try_get("feedback")?,
            questions: row.try_get("questions")?,
            assistant_keys: row.try_get("assistant_keys")?,
            days: row.try_get("days")?,
        })
    }
}
