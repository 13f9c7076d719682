//! What concerns everyone who edits the projects of an organization.

use super::{InboxRow, ROWS};
use crate::{StorageError, database::Database};

/// Releases of an organization among which those that wait are found: the newest.
const RELEASES: i64 = 200;

impl Database {
    /// Repositories that can't be read, of projects that an account can edit.
    pub async fn failing_repositories(
        &self,
        account_id: &str,
    ) -> Result<Vec<InboxRow>, StorageError> {
        // The organization is concatenated so that no index finds it: SQLite would read all projects of the account.
        let sql = format!(
            "SELECT polls.id AS subject, NULL AS title, COALESCE(error_kind, 'repository') AS state, error, NULL AS related, \
             polls.id AS project_id, projects.name AS project, projects.organization_id, \
             COALESCE(failing_since, polls.updated_at) AS happened_at \
             FROM polls JOIN projects ON projects.id = polls.id \
             JOIN members ON members.organization_id = projects.organization_id || '' AND members.account_id = $1 \
             WHERE error IS NOT NULL AND members.role <> 'viewer' ORDER BY failing_since DESC LIMIT {ROWS}"
        );
        self.inbox_rows(sql, [account_id]).await
    }

    /// Hostnames without a certificate because the last order failed, of organizations where an account can edit.
    pub async fn failing_certificates(
        &self,
        account_id: &str,
    ) -> Result<Vec<InboxRow>, StorageError> {
        let sql = format!(
            "SELECT domains.name AS subject, NULL AS title, 'certificate' AS state, certificates.problem AS error, NULL AS related, \
             projects.id AS project_id, projects.name AS project, projects.organization_id, \
             COALESCE(problem_since, order_after) AS happened_at \
             FROM certificates JOIN domains ON domains.host = certificates.host \
             JOIN projects ON projects.id = domains.project_id \
             JOIN members ON members.organization_id = projects.organization_id AND members.account_id = $1 \
             WHERE certificates.problem IS NOT NULL AND members.role <> 'viewer' LIMIT {ROWS}"
        );
        self.inbox_rows(sql, [account_id]).await
    }

    /// Ready releases that wait until someone activates them, newest first: among the newest releases of an
    /// organization, those that are newer than the active release of their site.
    pub async fn waiting_releases_of(
        &self,
        organization_id: &str,
    ) -> Result<Vec<InboxRow>, StorageError> {
        // The state is concatenated so that no index finds it: SQLite would read all ready releases of the instance.
        let sql = format!(
            "SELECT releases.id AS subject, commit_message AS title, CASE WHEN held_errors IS NULL THEN 'waiting' ELSE 'held' END AS state, \
             NULL AS error, sites.id AS related, releases.project_id, projects.name AS project, releases.organization_id, \
             COALESCE(ended_at, releases.updated_at) AS happened_at FROM releases \
             JOIN projects ON projects.id = releases.project_id JOIN sites ON sites.id = releases.site_id \
             WHERE releases.id IN (SELECT id FROM releases WHERE organization_id = $1 ORDER BY id DESC LIMIT {RELEASES}) \
             AND releases.status || '' = 'ready' AND servable = 1 AND trigger_name <> 'preview' \
             AND (head_sequence >= sites.activates_from OR held_errors IS NOT NULL) \
             AND releases.id > COALESCE(sites.active_release_id, '')"
        );
        // At most `RELEASES`, in any order.
        let mut rows = self.inbox_rows(sql, [organization_id]).await?;
        rows.sort_by(|one, other| other.subject.cmp(&one.subject));
        rows.truncate(usize::try_from(ROWS).unwrap_or_default());
        Ok(rows)
    }
}
