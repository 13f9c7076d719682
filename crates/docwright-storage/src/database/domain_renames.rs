//! Renames domains. Everything of a domain goes on under the new name, in one transaction.
//!
//! The former name stays known: it redirects if someone asked for that, and what nodes counted under it is added to
//! the new one.

use std::collections::HashMap;

use docwright_types::{
    domain_address::DomainAddress, release::Trigger, site_origin::SiteOrigin, timestamp::Timestamp,
};
use sqlx::{Any, AssertSqlSafe, Row, Transaction};

use super::{
    Database, analytics,
    deletion::WITHOUT_DOMAINS,
    releases::{NewRelease, request},
    retention::placeholders,
    revisions::{Record, revise},
};
use crate::StorageError;

/// A new name of a domain.
#[derive(Debug, Clone, Copy)]
pub struct DomainRename<'a> {
    /// The name.
    pub name: &'a DomainAddress,
    /// Whether the former name redirects to it.
    pub redirects: bool,
    /// Whether the organization must have the host of the new name.
    pub needs_proof: bool,
    /// Fails if the domain hasn't this revision.
    pub revision: Option<i64>,
}

/// Result of renaming a domain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Renamed {
    /// It has the new name.
    Done,
    /// There is no such domain.
    Missing,
    /// Another domain has the name, or another organization its host, or the name redirects to another domain.
    Taken,
    /// The organization hasn't the host of the new name.
    Unverified,
}

/// A former name of a domain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormerDomain {
    /// The name.
    pub name: String,
    /// The name of the domain today.
    pub domain: String,
    /// Whether it redirects there.
    pub redirects: bool,
}

impl Database {
    /// Renames a domain with its site, releases, exports, feedback, questions, keys, and analytics. Requests a
    /// release, since pages contain the address of their site.
    pub async fn rename_domain(
        &self,
        from: &DomainAddress,
        rename: DomainRename<'_>,
        now: Timestamp,
    ) -> Result<Renamed, StorageError> {
        self.attempt(|| Box::pin(self.try_rename_domain(from, rename, now))).await
    }

    async fn try_rename_domain(
        &self,
        from: &DomainAddress,
        rename: DomainRename<'_>,
        now: Timestamp,
    ) -> Result<Renamed, StorageError> {
        let Some(project) = self.project_of_domain(from).await? else {
            return Ok(Renamed::Missing);
        };
        let mut transaction = self.begin().await?;
        // What others add to the domain waits.
        self.lock_for_deletion(&mut transaction, &project.id).await?;
        let renamed = move_domain(&mut transaction, from, rename, now).await?;
        if renamed != Renamed::Done {
            transaction.rollback().await?;
            return Ok(renamed);
        }
        self.record_change(&mut transaction, rename.name.as_str()).await?;
        self.commit_serving(transaction, true).await?;
        Ok(renamed)
    }

    /// Former names that redirect, with the name of their domain.
    pub async fn former_domain_redirects(&self) -> Result<Vec<(String, String)>, StorageError> {
        let sql = "SELECT name, domain FROM former_domains WHERE redirects = 1 ORDER BY name";
        let rows = sqlx::query(sql).fetch_all(&self.pool).await?;
        rows.iter().map(|row| Ok((row.try_get("name")?, row.try_get("domain")?))).collect()
    }

    /// The former names of some domains, by name.
    pub async fn former_domains(
        &self,
        domains: &[&str],
    ) -> Result<Vec<FormerDomain>, StorageError> {
        self.former_domains_where("domain", domains).await
    }

    /// A former name.
    pub async fn former_domain(&self, name: &str) -> Result<Option<FormerDomain>, StorageError> {
        Ok(self.former_domains_where("name", &[name]).await?.pop())
    }

    async fn former_domains_where(
        &self,
        column: &str,
        values: &[&str],
    ) -> Result<Vec<FormerDomain>, StorageError> {
        if values.is_empty() {
            return Ok(Vec::new());
        }
        let list = placeholders(1, values.len());
        let sql = format!(
            "SELECT name, domain, redirects FROM former_domains WHERE {column} IN ({list}) ORDER BY name"
        );
        let mut query = sqlx::query(AssertSqlSafe(sql));
        for value in values {
            query = query.bind(*value);
        }
        let rows = query.fetch_all(&self.pool).await?;
        let read = |row: &sqlx::any::AnyRow| {
            let redirects: i64 = row.try_get("redirects")?;
            Ok(FormerDomain {
                name: row.try_get("name")?,
                domain: row.try_get("domain")?,
                redirects: redirects == 1,
            })
        };
        rows.iter().map(read).collect()
    }

    /// Ends the redirect of a former name of a domain. Its host becomes free if nothing else uses it. Returns whether
    /// there was one.
    pub async fn end_domain_redirect(
        &self,
        name: &str,
        domain: &str,
    ) -> Result<bool, StorageError> {
        let mut transaction = self.begin().await?;
        let sql = "UPDATE former_domains SET redirects = 0 WHERE name = $1 AND domain = $2 AND redirects = 1 \
             RETURNING host";
        let query = sqlx::query(sql).bind(name).bind(domain);
        let Some(row) = query.fetch_optional(&mut *transaction).await? else { return Ok(false) };
        let host: String = row.try_get("host")?;
        free_host(&mut transaction, &host).await?;
        self.record_change(&mut transaction, domain).await?;
        self.commit_serving(transaction, true).await?;
        Ok(true)
    }
}

/// Today's names of domains that were renamed, among some names.
pub(super) async fn names_today(
    transaction: &mut Transaction<'_, Any>,
    names: &[&str],
) -> Result<HashMap<String, String>, StorageError> {
    let list = placeholders(1, names.len());
    let sql = format!("SELECT name, domain FROM former_domains WHERE name IN ({list})");
    let mut query = sqlx::query(AssertSqlSafe(sql));
    for name in names {
        query = query.bind(*name);
    }
    let rows = query.fetch_all(&mut **transaction).await?;
    rows.iter().map(|row| Ok((row.try_get("name")?, row.try_get("domain")?))).collect()
}

/// Renames a domain within a transaction that holds the lock of its project.
pub(super) async fn move_domain(
    transaction: &mut Transaction<'_, Any>,
    from: &DomainAddress,
    rename: DomainRename<'_>,
    now: Timestamp,
) -> Result<Renamed, StorageError> {
    if !revise(transaction, Record::Domain(from.as_str()), rename.revision).await? {
        return Ok(Renamed::Missing);
    }
    let (old, new) = (from.as_str(), rename.name.as_str());
    if rename.needs_proof && !has_host(transaction, rename.name).await? {
        return Ok(Renamed::Unverified);
    }
    if !take_name(transaction, old, rename.name, now).await? {
        return Ok(Renamed::Taken);
    }
    let sql = "UPDATE sites SET domain = $1 WHERE domain = $2 AND project_id = \
         (SELECT project_id FROM domains WHERE name = $1) RETURNING id";
    let query = sqlx::query(sql).bind(new).bind(old);
    let site = query.fetch_optional(&mut **transaction).await?;
    let of_domain = ["feedback", "assistant_questions", "assistant_keys", "export_jobs"];
    let counted = analytics::tables_with_domains();
    for table in of_domain.into_iter().chain(counted).chain(["former_domains"]) {
        let sql = format!("UPDATE {table} SET domain = $1 WHERE domain = $2");
        sqlx::query(AssertSqlSafe(sql)).bind(new).bind(old).execute(&mut **transaction).await?;
    }
    for sql in
        ["DELETE FROM pending_domains WHERE renames = $1", "DELETE FROM domains WHERE name = $1"]
    {
        sqlx::query(sql).bind(old).execute(&mut **transaction).await?;
    }
    let query = sqlx::query(
        "INSERT INTO former_domains (name, host, domain, redirects, created_at) VALUES ($1, $2, $3, $4, $5)",
    );
    let query = query.bind(old).bind(from.host().as_str()).bind(new);
    query.bind(i64::from(rename.redirects)).bind(now).execute(&mut **transaction).await?;
    free_host(transaction, from.host().as_str()).await?;
    if let Some(site) = site {
        rebuild(transaction, &site.try_get::<String, _>("id")?, (old, new), now).await?;
    }
    Ok(Renamed::Done)
}

/// Whether the organization of the project that has a domain of this host is known: someone verified it.
async fn has_host(
    transaction: &mut Transaction<'_, Any>,
    name: &DomainAddress,
) -> Result<bool, StorageError> {
    let query = sqlx::query("SELECT 1 FROM hosts WHERE name = $1").bind(name.host().as_str());
    Ok(query.fetch_optional(&mut **transaction).await?.is_some())
}

/// Adds the row of a domain under its new name. Returns `false` if someone else has the name or its host.
async fn take_name(
    transaction: &mut Transaction<'_, Any>,
    old: &str,
    name: &DomainAddress,
    now: Timestamp,
) -> Result<bool, StorageError> {
    let host = sqlx::query(
        "INSERT INTO hosts (name, organization_id, verified_at) \
         SELECT $1, organization_id, $2 FROM projects WHERE id = (SELECT project_id FROM domains WHERE name = $3) \
         ON CONFLICT (name) DO UPDATE SET verified_at = hosts.verified_at \
         WHERE hosts.organization_id = excluded.organization_id",
    );
    let host = host.bind(name.host().as_str()).bind(now).bind(old);
    if host.execute(&mut **transaction).await?.rows_affected() == 0 {
        return Ok(false);
    }
    // A domain can get a former name of its own back.
    let former = "DELETE FROM former_domains WHERE name = $1 AND (redirects = 0 OR domain = $2)";
    let query = sqlx::query(former).bind(name.as_str()).bind(old);
    query.execute(&mut **transaction).await?;
    let domain = sqlx::query(
        "INSERT INTO domains (name, host, project_id, branch, created_at, revision, dns_state) \
         SELECT $1, $2, project_id, branch, created_at, revision, $3 FROM domains WHERE name = $4 \
         AND NOT EXISTS (SELECT 1 FROM former_domains WHERE name = $1) ON CONFLICT DO NOTHING",
    );
    let domain = domain.bind(name.as_str()).bind(name.host().as_str());
    let domain = domain.bind(super::domains::first_state(name)).bind(old);
    if domain.execute(&mut **transaction).await?.rows_affected() == 0 {
        return Ok(false);
    }
    let claims = sqlx::query("DELETE FROM pending_domains WHERE name = $1").bind(name.as_str());
    claims.execute(&mut **transaction).await?;
    Ok(true)
}

/// Deletes a host without domains.
async fn free_host(transaction: &mut Transaction<'_, Any>, host: &str) -> Result<(), StorageError> {
    let sql = format!("DELETE FROM hosts WHERE name = $1 AND {WITHOUT_DOMAINS}");
    sqlx::query(AssertSqlSafe(sql)).bind(host).execute(&mut **transaction).await?;
    Ok(())
}

/// Builds a site again if it was built before. Releases that aren't ready start over with the new address.
async fn rebuild(
    transaction: &mut Transaction<'_, Any>,
    site_id: &str,
    (old, new): (&str, &str),
    now: Timestamp,
) -> Result<(), StorageError> {
    let origin = super::site_origin::origin(transaction).await?;
    let address = |name: &str| origin.map(|origin: SiteOrigin| origin.address(name));
    let query = sqlx::query(
        "UPDATE releases SET status = 'queued', lease_expires_at = NULL, address = $1 \
         WHERE site_id = $2 AND status IN ('queued', 'building') AND bundle_lost_at IS NULL \
         AND (address = $3 OR address IS NULL)",
    );
    let query = query.bind(address(new)).bind(site_id).bind(address(old));
    query.execute(&mut **transaction).await?;
    let sql = "SELECT 1 FROM releases WHERE site_id = $1 LIMIT 1";
    if sqlx::query(sql).bind(site_id).fetch_optional(&mut **transaction).await?.is_none() {
        return Ok(());
    }
    let new = NewRelease::of_site(site_id, None, Trigger::Manual);
    request(transaction, new, now).await.map(drop)
}
