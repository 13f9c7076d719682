//! Limits how often an organization can request something. The count is exact: requests of one organization wait
//! for each other, also on several nodes, and the database's clock measures the time.

use docwright_types::timestamp::{HOUR, MINUTE, SECOND, Timestamp};
use sqlx::{Any, AssertSqlSafe, Row, Transaction};

use super::Database;
use crate::StorageError;

/// A limit of requests in any span of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RequestLimit {
    /// Name of the limit, as clients read it.
    pub name: &'static str,
    /// How many requests.
    pub quota: i64,
    /// In this time, in milliseconds.
    pub window: Timestamp,
}

impl RequestLimit {
    /// Updates through the API.
    pub const UPDATES: Self = Self { name: "updates", quota: 10, window: 10 * SECOND };
    /// Previews through the API.
    pub const PREVIEWS: Self = Self { name: "previews", quota: 5, window: MINUTE };
    /// Invitations to an organization: each can be an unwanted email.
    pub const INVITATIONS: Self = Self { name: "invitations", quota: 100, window: HOUR };
    /// Checks of repositories: each sends requests, and perhaps credentials, to a host that the caller names.
    pub const REPOSITORY_CHECKS: Self = Self { name: "repository checks", quota: 60, window: HOUR };
}

/// The rest of a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Allowance {
    /// Requests allowed in the whole time.
    pub quota: i64,
    /// Requests allowed now.
    pub remaining: i64,
    /// Milliseconds until another request is allowed.
    pub reset: Timestamp,
}

/// Result of a limited request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Limited<T> {
    /// It was accepted; this much is left.
    Taken(T, Allowance),
    /// It was refused: the limit is reached.
    Refused(Allowance),
}

impl Database {
    /// Counts a request of a project's organization. A rollback of the transaction removes the count. The
    /// project's lock comes first.
    pub(super) async fn count_request(
        &self,
        transaction: &mut Transaction<'_, Any>,
        project_id: &str,
        limit: RequestLimit,
    ) -> Result<Limited<()>, StorageError> {
        let allowance = self.allowance(transaction, project_id, limit).await?;
        if allowance.remaining == 0 {
            return Ok(Limited::Refused(allowance));
        }
        let sql = format!(
            "INSERT INTO limited_requests (organization_id, kind, made_at) \
             SELECT organization_id, $1, {} FROM projects WHERE id = $2",
            self.clock()
        );
        let query = sqlx::query(AssertSqlSafe(sql)).bind(limit.name).bind(project_id);
        query.execute(&mut **transaction).await?;
        let left = Allowance { remaining: allowance.remaining - 1, ..allowance };
        Ok(Limited::Taken((), left))
    }

    /// Counts a request of an organization that changes nothing else.
    pub async fn take_request(
        &self,
        organization_id: &str,
        limit: RequestLimit,
    ) -> Result<Limited<()>, StorageError> {
        let mut transaction = self.begin().await?;
        // Parallel requests of one organization wait for each other here.
        let turn = sqlx::query("UPDATE organizations SET name = name WHERE id = $1");
        turn.bind(organization_id).execute(&mut *transaction).await?;
        let taken = self.count_request_of(&mut transaction, organization_id, limit).await?;
        transaction.commit().await?;
        Ok(taken)
    }

    /// Counts a request of an organization, whose lock comes first.
    pub(super) async fn count_request_of(
        &self,
        transaction: &mut Transaction<'_, Any>,
        organization_id: &str,
        limit: RequestLimit,
    ) -> Result<Limited<()>, StorageError> {
        let allowance = self.allowance_of(transaction, organization_id, limit).await?;
        if allowance.remaining == 0 {
            return Ok(Limited::Refused(allowance));
        }
        let sql = format!(
            "INSERT INTO limited_requests (organization_id, kind, made_at) VALUES ($1, $2, {})",
            self.clock()
        );
        let query = sqlx::query(AssertSqlSafe(sql)).bind(organization_id).bind(limit.name);
        query.execute(&mut **transaction).await?;
        let left = Allowance { remaining: allowance.remaining - 1, ..allowance };
        Ok(Limited::Taken((), left))
    }

    /// The rest of a limit of a project's organization. Expired requests are removed.
    pub(super) async fn allowance(
        &self,
        transaction: &mut Transaction<'_, Any>,
        project_id: &str,
        limit: RequestLimit,
    ) -> Result<Allowance, StorageError> {
        // A write to the organization comes first, so of parallel requests one continues.
        let lock = "UPDATE organizations SET name = name \
             WHERE id = (SELECT organization_id FROM projects WHERE id = $1) RETURNING id";
        let locked = sqlx::query(lock).bind(project_id).fetch_optional(&mut **transaction).await?;
        let Some(organization) = locked else {
            let RequestLimit { quota, window, .. } = limit;
            return Ok(Allowance { quota, remaining: quota, reset: window });
        };
        let organization: String = organization.try_get("id")?;
        self.allowance_of(transaction, &organization, limit).await
    }

    async fn allowance_of(
        &self,
        transaction: &mut Transaction<'_, Any>,
        organization_id: &str,
        RequestLimit { name, quota, window }: RequestLimit,
    ) -> Result<Allowance, StorageError> {
        let clock = self.clock();
        // Requests in the future are from before the clock was set back.
        let ended = format!(
            "DELETE FROM limited_requests WHERE organization_id = $1 AND kind = $2 \
             AND (made_at <= {clock} - $3 OR made_at > {clock})"
        );
        let query = sqlx::query(AssertSqlSafe(ended)).bind(organization_id).bind(name).bind(window);
        query.execute(&mut **transaction).await?;
        let counted = format!(
            "SELECT COUNT(*) AS used, MIN(made_at) - {clock} AS first FROM limited_requests \
             WHERE organization_id = $1 AND kind = $2"
        );
        let query = sqlx::query(AssertSqlSafe(counted)).bind(organization_id).bind(name);
        let row = query.fetch_one(&mut **transaction).await?;
        let used: i64 = row.try_get("used")?;
        let first: Option<i64> = row.try_get("first")?;
        let reset = first.map_or(window, |first| (first + window).clamp(0, window));
        Ok(Allowance { quota, remaining: (quota - used).max(0), reset })
    }
}
