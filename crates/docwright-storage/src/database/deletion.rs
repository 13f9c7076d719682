//! Deletes a domain, a project, or an organization, with all rows that refer to it.
//!
//! The jobs of a project lose their leases first, so workers stop and write nothing. Rows that others add during
//! the deletion are refused by a foreign key, or make the deletion start over.

use docwright_types::domain_address::DomainAddress;
use futures::future::BoxFuture;
use serde::Serialize;
use sqlx::{Any, AssertSqlSafe, Row, Transaction, any::AnyRow};

use super::{
    Database, analytics, retention::bundle_keys, sites::lock_project,
    storage_usage::uncount_bundles,
};
use crate::StorageError;

/// How often a deletion is tried while others add rows to its object.
const ATTEMPTS: u32 = 20;
/// PostgreSQL's error code for a deadlock.
const DEADLOCK: &str = "40P01";

/// Jobs of a project, as a query; and releases of a domain.
const AGENT_JOBS: &str = "(SELECT id FROM agent_jobs WHERE project_id = $1)";
const DOMAINS: &str = "(SELECT name FROM domains WHERE project_id = $1)";
pub(super) const SITE: &str = "(SELECT sites.id FROM sites JOIN domains ON domains.project_id = sites.project_id \
     AND sites.domain = domains.name WHERE domains.name = $1)";

/// Hosts without domains, also former ones that redirect.
pub(super) const WITHOUT_DOMAINS: &str = "NOT EXISTS (SELECT 1 FROM domains WHERE domains.host = hosts.name) \
     AND NOT EXISTS (SELECT 1 FROM former_domains WHERE former_domains.host = hosts.name AND redirects = 1)";

/// What was deleted, in numbers.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Deleted {
    /// Projects.
    pub projects: u64,
    /// Domains.
    pub domains: u64,
    /// Previews.
    pub previews: u64,
    /// Releases in any state.
    pub releases: u64,
    /// Static export jobs.
    pub export_jobs: u64,
    /// Agent jobs.
    pub agent_jobs: u64,
    /// Pull requests of docwright's own git host.
    pub pull_requests: u64,
    /// Answers of readers.
    pub feedback: u64,
    /// API keys.
    pub keys: u64,
    /// Credentials for git hosts.
    pub credentials: u64,
    /// Keys of the bundles that these rows named; other rows can name them too.
    #[serde(skip)]
    pub bundle_keys: Vec<String>,
}

impl Deleted {
    /// Adds the numbers of another deletion.
    pub fn add(&mut self, other: Self) {
        self.projects += other.projects;
        self.domains += other.domains;
        self.previews += other.previews;
        self.releases += other.releases;
        self.export_jobs += other.export_jobs;
        self.agent_jobs += other.agent_jobs;
        self.pull_requests += other.pull_requests;
        self.feedback += other.feedback;
        self.keys += other.keys;
        self.credentials += other.credentials;
        self.bundle_keys.extend(other.bundle_keys);
    }
}

impl Database {
    /// Deletes a domain with its site: releases, export jobs, feedback, and questions. `None` if there is
    /// no such domain.
    pub async fn delete_domain(
        &self,
        name: &DomainAddress,
    ) -> Result<Option<Deleted>, StorageError> {
        self.attempt(|| Box::pin(self.try_delete_domain(name))).await
    }

    async fn try_delete_domain(
        &self,
        name: &DomainAddress,
    ) -> Result<Option<Deleted>, StorageError> {
        let Some(project) = self.project_of_domain(name).await? else { return Ok(None) };
        let said = self.remove_in_batches("feedback", "id", "domain = $1", name.to_string());
        let said = said.await?;
        self.remove_analytics("domain = $1", name.as_str()).await?;
        self.remove_in_batches("assistant_questions", "id", "domain = $1", name.to_string())
            .await?;
        let mut transaction = self.begin().await?;
        self.lock_for_deletion(&mut transaction, &project.id).await?;
        let mut rows = Rows { transaction: &mut transaction, id: name.as_str(), keys: Vec::new() };
        let mut deleted = Deleted {
            feedback: said + rows.remove("feedback WHERE domain = $1").await?,
            export_jobs: rows.remove_export_jobs("domain = $1").await?,
            releases: rows.remove_releases(&project.id, &format!("site_id IN {SITE}")).await?,
            ..Deleted::default()
        };
        rows.remove(&format!("sites WHERE id IN {SITE}")).await?;
        rows.remove("assistant_questions WHERE domain = $1").await?;
        rows.remove("assistant_keys WHERE domain = $1").await?;
        for (table, which) in analytics::rows_of_domains("domain = $1") {
            rows.remove(&format!("{table} WHERE {which}")).await?;
        }
        let former = rows.remove_former_domains().await?;
        rows.remove("pending_domains WHERE renames = $1").await?;
        deleted.domains = rows.remove("domains WHERE name = $1").await?;
        for host in former.iter().map(String::as_str).chain([name.host().as_str()]) {
            rows.id = host;
            rows.remove(&format!("hosts WHERE name = $1 AND {WITHOUT_DOMAINS}")).await?;
        }
        deleted.bundle_keys = rows.keys;
        if deleted.domains == 1 {
            self.record_change(&mut transaction, name.as_str()).await?;
        }
        self.commit_serving(transaction, true).await?;
        Ok((deleted.domains == 1).then_some(deleted))
    }

    /// Deletes a project with its domains, releases, jobs, pull requests, and credentials. `None` if there is no
    /// such project.
    pub async fn delete_project(&self, id: &str) -> Result<Option<Deleted>, StorageError> {
        self.attempt(|| Box::pin(self.try_delete_project(id))).await
    }

    async fn try_delete_project(&self, id: &str) -> Result<Option<Deleted>, StorageError> {
        self.take_leases(id).await?;
        // Rows that can be many are deleted first, in short transactions.
        let of_jobs = format!("job_id IN {AGENT_JOBS}");
        self.remove_in_batches("agent_events", "job_id, number", &of_jobs, id.to_owned()).await?;
        let of_domains = format!("domain IN {DOMAINS}");
        let said = self.remove_in_batches("feedback", "id", &of_domains, id.to_owned()).await?;
        self.remove_analytics(&of_domains, id).await?;
        self.remove_in_batches("assistant_questions", "id", &of_domains, id.to_owned()).await?;
        let mut transaction = self.begin().await?;
        self.lock_for_deletion(&mut transaction, id).await?;
        let mut rows = Rows { transaction: &mut transaction, id, keys: Vec::new() };
        rows.remove(&format!(
            "idempotency_keys WHERE job_id IN {AGENT_JOBS} \
             OR job_id IN (SELECT id FROM export_jobs WHERE project_id = $1) \
             OR job_id IN (SELECT update_id FROM releases WHERE project_id = $1)"
        ))
        .await?;
        rows.remove(&format!("agent_events WHERE {of_jobs}")).await?;
        rows.remove(&format!("agent_messages WHERE {of_jobs}")).await?;
        for (table, which) in analytics::rows_of_domains(&of_domains) {
            rows.remove(&format!("{table} WHERE {which}")).await?;
        }
        rows.remove(&format!("assistant_questions WHERE {of_domains}")).await?;
        rows.remove("assistant_keys WHERE project_id = $1").await?;
        rows.remove("pull_request_comments WHERE project_id = $1").await?;
        rows.remove(&format!("former_domains WHERE {of_domains}")).await?;
        let mut deleted = Deleted {
            agent_jobs: rows.remove("agent_jobs WHERE project_id = $1").await?,
            pull_requests: rows.remove("pull_requests WHERE project_id = $1").await?,
            feedback: said + rows.remove(&format!("feedback WHERE {of_domains}")).await?,
            domains: rows.remove("domains WHERE project_id = $1").await?
                + rows.remove("pending_domains WHERE project_id = $1").await?,
            previews: rows.remove("previews WHERE project_id = $1").await?,
            export_jobs: rows.remove_export_jobs("project_id = $1").await?,
            releases: rows.remove_releases(id, "project_id = $1").await?,
            credentials: rows.remove("credentials WHERE project_id = $1").await?,
            ..Deleted::default()
        };
        rows.remove("polls WHERE id = $1").await?;
        rows.remove("failing_dependencies WHERE project_id = $1").await?;
        rows.remove("dismissed_steps WHERE project_id = $1").await?;
        for table in
            ["analytics_weeks", "branch_heads", "deliveries", "deployments", "webhook_secrets"]
        {
            rows.remove(&format!("{table} WHERE project_id = $1")).await?;
        }
        rows.remove(
            "notifications WHERE subscription_id IN (SELECT id FROM subscriptions WHERE project_id = $1)",
        )
        .await?;
        rows.remove("subscriptions WHERE project_id = $1").await?;
        rows.remove("sites WHERE project_id = $1").await?;
        let owner = "(SELECT organization_id FROM projects WHERE id = $1)";
        rows.remove(&format!("hosts WHERE organization_id = {owner} AND {WITHOUT_DOMAINS}"))
            .await?;
        deleted.projects = rows.remove("projects WHERE id = $1").await?;
        deleted.bundle_keys = rows.keys;
        if deleted.projects == 1 {
            self.record_change(&mut transaction, id).await?;
        }
        let served = deleted.domains + deleted.previews > 0;
        self.commit_serving(transaction, served).await?;
        Ok((deleted.projects == 1).then_some(deleted))
    }

    /// Deletes an organization without projects, with its keys and credentials. `None` if there is no such
    /// organization.
    pub async fn delete_organization(&self, id: &str) -> Result<Option<Deleted>, StorageError> {
        let mut transaction = self.begin().await?;
        let mut rows = Rows { transaction: &mut transaction, id, keys: Vec::new() };
        let deleted = Deleted {
            keys: rows.remove("api_keys WHERE organization_id = $1").await?,
            credentials: rows.remove("credentials WHERE organization_id = $1").await?,
            ..Deleted::default()
        };
        rows.remove(
            "notifications WHERE subscription_id IN (SELECT id FROM subscriptions WHERE organization_id = $1)",
        )
        .await?;
        rows.remove("subscriptions WHERE organization_id = $1").await?;
        rows.remove("members WHERE organization_id = $1").await?;
        rows.remove("invitations WHERE organization_id = $1").await?;
        rows.remove("idempotency_keys WHERE organization_id = $1").await?;
        rows.remove("limited_requests WHERE organization_id = $1").await?;
        rows.remove("assistant_tokens WHERE organization_id = $1").await?;
        let found = rows.remove("organizations WHERE id = $1").await? == 1;
        if found {
            self.record_change(&mut transaction, id).await?;
        }
        transaction.commit().await?;
        Ok(found.then_some(deleted))
    }

    /// Removes sums of domains, which can be many rows, in short transactions. Their numbers go with the domains, since a
    /// node that writes now still needs them.
    async fn remove_analytics(&self, domains: &str, id: &str) -> Result<(), StorageError> {
        for (table, key, which) in analytics::sums_of_domains(domains) {
            self.remove_in_batches(table, key, &which, id.to_owned()).await?;
        }
        Ok(())
    }

    /// Locks a project, so transactions that write rows of its jobs and domains wait and then find them gone.
    /// SQLite has only one writer anyway.
    pub(super) async fn lock_for_deletion(
        &self,
        transaction: &mut Transaction<'_, Any>,
        project_id: &str,
    ) -> Result<(), StorageError> {
        lock_project(transaction, project_id).await?;
        if !self.postgres {
            return Ok(());
        }
        for sql in [
            "SELECT id FROM agent_jobs WHERE project_id = $1 ORDER BY id FOR UPDATE",
            "SELECT name FROM domains WHERE project_id = $1 ORDER BY name FOR UPDATE",
        ] {
            sqlx::query(sql).bind(project_id).execute(&mut **transaction).await?;
        }
        Ok(())
    }

    /// Takes the jobs of a project from their workers, who notice at their next renewal.
    async fn take_leases(&self, project_id: &str) -> Result<(), StorageError> {
        let mut transaction = self.begin().await?;
        lock_project(&mut transaction, project_id).await?;
        for sql in [
            "UPDATE agent_jobs SET status = 'failed', lease_expires_at = NULL WHERE project_id = $1 AND status = 'active'",
            "UPDATE releases SET status = 'failed', lease_expires_at = NULL \
             WHERE project_id = $1 AND status IN ('queued', 'building')",
        ] {
            sqlx::query(sql).bind(project_id).execute(&mut *transaction).await?;
        }
        Ok(transaction.commit().await?)
    }

    /// Tries again while others add rows that refer to deleted ones, or take locks in another order.
    pub(super) async fn attempt<'a, T>(
        &self,
        mut deletion: impl FnMut() -> BoxFuture<'a, Result<T, StorageError>> + Send,
    ) -> Result<T, StorageError> {
        for _ in 1..ATTEMPTS {
            match deletion().await {
                Err(StorageError::Database(sqlx::Error::Database(error)))
                    if error.is_foreign_key_violation()
                        || error.code().as_deref() == Some(DEADLOCK) => {}
                ended => return ended,
            }
        }
        deletion().await
    }
}

/// The rows that refer to one id, in one transaction.
struct Rows<'a, 'c> {
    transaction: &'a mut Transaction<'c, Any>,
    id: &'a str,
    /// Bundles that removed rows named.
    keys: Vec<String>,
}

impl Rows<'_, '_> {
    /// Removes rows; returns how many. `which` is a table and a condition that binds the id as `$1`.
    async fn remove(&mut self, which: &str) -> Result<u64, StorageError> {
        let query = sqlx::query(AssertSqlSafe(format!("DELETE FROM {which}"))).bind(self.id);
        Ok(query.execute(&mut **self.transaction).await?.rows_affected())
    }

    /// Removes the former names of a domain. Returns their hosts.
    async fn remove_former_domains(&mut self) -> Result<Vec<String>, StorageError> {
        let sql = "DELETE FROM former_domains WHERE domain = $1 RETURNING host";
        let rows = sqlx::query(sql).bind(self.id).fetch_all(&mut **self.transaction).await?;
        rows.iter().map(|row| Ok(row.try_get("host")?)).collect()
    }

    /// The same for export jobs, with the keys of their bundles.
    async fn remove_export_jobs(&mut self, which: &str) -> Result<u64, StorageError> {
        let removed = self.remove_with_bundles(&format!("export_jobs WHERE {which}")).await?;
        Ok(removed.len() as u64)
    }

    /// The same for releases of a project, whose bundles no longer count.
    async fn remove_releases(
        &mut self,
        project_id: &str,
        which: &str,
    ) -> Result<u64, StorageError> {
        let removed = self.remove_with_bundles(&format!("releases WHERE {which}")).await?;
        uncount_bundles(self.transaction, project_id, &removed).await?;
        Ok(removed.len() as u64)
    }

    async fn remove_with_bundles(&mut self, which: &str) -> Result<Vec<AnyRow>, StorageError> {
        let sql = format!("DELETE FROM {which} RETURNING bundle_key, bundle_size");
        let query = sqlx::query(AssertSqlSafe(sql)).bind(self.id);
        let rows = query.fetch_all(&mut **self.transaction).await?;
        self.keys.extend(bundle_keys(&rows)?);
        Ok(rows)
    }
}
