//! Pending domains: domains that organizations want and have not yet verified with a DNS record.
//!
//! A pending domain serves nothing and doesn't block others: several organizations can add the same domain, and
//! the first to verify it gets it.

use docwright_types::{
    domain_address::DomainAddress,
    timestamp::{SECOND, Timestamp},
};
use sqlx::{AssertSqlSafe, Row, any::AnyRow};

use super::{
    Database,
    domain_renames::{DomainRename, Renamed},
    domains,
    lists::{Order, PageRequest, Rows, text},
    new_id,
};
use crate::StorageError;

/// Pending domains per organization.
pub const CLAIMS: i64 = 50;
/// Shortest time between two checks of a record, since anyone can request a check.
const LEAST_PAUSE: i64 = 5 * SECOND;

/// A domain that someone claims to own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DomainClaim {
    /// Its id.
    pub id: String,
    /// Name of the domain: the host, and the base path if there is one.
    pub name: String,
    /// The branch that it will serve; `None` for the repository's default branch.
    pub branch: Option<String>,
    /// Its project.
    pub project_id: String,
    /// Name of the project.
    pub project: String,
    /// The organization.
    pub organization_id: String,
    /// Name of the organization.
    pub organization: String,
    /// The expected value of the record.
    pub token: String,
    /// How often the record was checked.
    pub checks: i64,
    /// The problem of the last check.
    pub problem: Option<String>,
    /// The domain that gets this name once it is verified, and whether the name before then redirects.
    pub renames: Option<(String, bool)>,
    /// Creation time.
    pub created_at: Timestamp,
}

/// Result of adding a domain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Claimed {
    /// The domain belongs to the project: the organization already has the host.
    Domain,
    /// It is pending.
    Claim,
    /// It is pending already.
    Again,
    /// Another project has the domain, or another organization the host.
    Taken,
    /// The organization has reached its limit of pending domains.
    TooMany,
}

const CLAIMS_OF: &str = "SELECT pending_domains.id, pending_domains.name, branch, project_id, projects.name AS project, \
     pending_domains.organization_id, organizations.name AS organization, token, checks, problem, \
     renames, redirects, pending_domains.created_at FROM pending_domains JOIN projects ON projects.id = project_id \
     JOIN organizations ON organizations.id = pending_domains.organization_id";

impl Database {
    /// Gives a domain to a branch of a project if its organization has the host. Otherwise, adds it as pending.
    pub async fn claim_domain(
        &self,
        name: &DomainAddress,
        project_id: &str,
        branch: Option<&str>,
        now: Timestamp,
    ) -> Result<Claimed, StorageError> {
        self.claim_name(name, (project_id, branch), None, now).await
    }

    /// Adds a name of a domain as pending: the domain is renamed once the name is verified. `renames` is its name
    /// before, and whether that redirects then.
    pub async fn claim_domain_rename(
        &self,
        name: &DomainAddress,
        project_id: &str,
        renames: (&DomainAddress, bool),
        now: Timestamp,
    ) -> Result<Claimed, StorageError> {
        self.claim_name(name, (project_id, None), Some(renames), now).await
    }

    async fn claim_name(
        &self,
        name: &DomainAddress,
        (project_id, branch): (&str, Option<&str>),
        renames: Option<(&DomainAddress, bool)>,
        now: Timestamp,
    ) -> Result<Claimed, StorageError> {
        let branch = branch.unwrap_or_default();
        let mut transaction = self.begin().await?;
        let query = sqlx::query(
            "SELECT projects.organization_id, hosts.organization_id AS owner FROM projects \
             LEFT JOIN hosts ON hosts.name = $1 WHERE projects.id = $2",
        );
        let query = query.bind(name.host().as_str()).bind(project_id);
        let row = query.fetch_one(&mut *transaction).await?;
        let organization: String = row.try_get("organization_id")?;
        let owner: Option<String> = row.try_get("owner")?;
        if let Some(owner) = owner {
            let project = (project_id, branch);
            if owner == organization
                && renames.is_none()
                && domains::insert(&mut transaction, name, project, now).await?
            {
                self.record_change(&mut transaction, name.as_str()).await?;
                self.commit_serving(transaction, true).await?;
                return Ok(Claimed::Domain);
            }
            transaction.rollback().await?;
            return Ok(Claimed::Taken);
        }
        let inserted = sqlx::query(
            "INSERT INTO pending_domains (id, name, host, organization_id, project_id, branch, token, checks, check_after, \
             checked_at, created_at, renames, redirects) SELECT $1, $2, $3, $4, $5, $6, $7, 0, $8, 0, $8, $10, $11 \
             WHERE (SELECT COUNT(*) FROM pending_domains WHERE organization_id = $4) < $9 \
             ON CONFLICT (organization_id, name) DO NOTHING",
        )
        .bind(new_id("claim"))
        .bind(name.as_str())
        .bind(name.host().as_str())
        .bind(&organization)
        .bind(project_id)
        .bind(branch)
        .bind(token()?)
        .bind(now)
        .bind(CLAIMS)
        .bind(renames.map(|(before, _)| before.as_str()))
        .bind(i64::from(renames.is_some_and(|(_, redirects)| redirects)))
        .execute(&mut *transaction)
        .await?;
        let is_new = inserted.rows_affected() == 1;
        if is_new {
            self.record_change(&mut transaction, name.as_str()).await?;
        }
        transaction.commit().await?;
        if is_new {
            return Ok(Claimed::Claim);
        }
        let known = self.domain_claims_to(name).await?;
        let is_known = known.iter().any(|claim| claim.organization_id == organization);
        Ok(if is_known { Claimed::Again } else { Claimed::TooMany })
    }

    /// The pending domains with a name.
    pub async fn domain_claims_to(
        &self,
        name: &DomainAddress,
    ) -> Result<Vec<DomainClaim>, StorageError> {
        let sql =
            format!("{CLAIMS_OF} WHERE pending_domains.name = $1 ORDER BY pending_domains.id");
        let query = sqlx::query(AssertSqlSafe(sql)).bind(name.as_str());
        query.fetch_all(&self.pool).await?.iter().map(read).collect()
    }

    /// Pending domains, optionally of an organization or a project, searched by a part of the name, and sorted
    /// by it. Equal names of several organizations are adjacent.
    pub async fn pending_domains(
        &self,
        (organization_id, project_id): (Option<&str>, Option<&str>),
        page: PageRequest<'_>,
    ) -> Result<Vec<DomainClaim>, StorageError> {
        const NAME: &str = text!("pending_domains.name");
        let rows = Rows::all()
            .with("pending_domains.organization_id", organization_id)
            .with("project_id", project_id)
            .containing(NAME, page);
        rows.read(&self.pool, CLAIMS_OF, Order::by_id(NAME), page, read).await
    }

    /// Pending domains to check, those that have waited longest first.
    pub async fn due_domain_claims(
        &self,
        now: Timestamp,
        limit: i64,
    ) -> Result<Vec<DomainClaim>, StorageError> {
        let sql = format!("{CLAIMS_OF} WHERE check_after <= $1 ORDER BY check_after LIMIT $2");
        let query = sqlx::query(AssertSqlSafe(sql)).bind(now).bind(limit);
        query.fetch_all(&self.pool).await?.iter().map(read).collect()
    }

    /// Starts a check of a record, and schedules the next one. `false` if another check has just started, or the
    /// pending domain is gone.
    pub async fn begin_domain_check(
        &self,
        id: &str,
        now: Timestamp,
        next: Timestamp,
    ) -> Result<bool, StorageError> {
        let query = sqlx::query(
            "UPDATE pending_domains SET checks = checks + 1, checked_at = $1, check_after = $2 \
             WHERE id = $3 AND checked_at <= $4",
        );
        let query = query.bind(now).bind(next).bind(id).bind(now - LEAST_PAUSE);
        Ok(query.execute(&self.pool).await?.rows_affected() == 1)
    }

    /// Records that a check did not find the record, or failed.
    pub async fn fail_domain_check(&self, id: &str, problem: &str) -> Result<(), StorageError> {
        let query = sqlx::query("UPDATE pending_domains SET problem = $1 WHERE id = $2");
        query.bind(problem).bind(id).execute(&self.pool).await?;
        Ok(())
    }

    /// Verifies a pending domain: the domain belongs to the project, and other pending domains of its name are
    /// removed. Returns `false` if another organization got it in the meantime, or if it is gone.
    pub async fn grant_domain(&self, id: &str, now: Timestamp) -> Result<bool, StorageError> {
        let sql = format!("{CLAIMS_OF} WHERE pending_domains.id = $1");
        let mut transaction = self.begin().await?;
        let query = sqlx::query(AssertSqlSafe(sql)).bind(id);
        let claim =
            query.fetch_optional(&mut *transaction).await?.as_ref().map(read).transpose()?;
        let Some(claim) = claim else { return Ok(false) };
        let name = parse(&claim.name)?;
        if let Some((before, redirects)) = &claim.renames {
            transaction.rollback().await?;
            return self.grant_rename((&claim.id, &parse(before)?), (&name, *redirects), now).await;
        }
        let project = (claim.project_id.as_str(), claim.branch.as_deref().unwrap_or_default());
        if !domains::insert(&mut transaction, &name, project, now).await? {
            transaction.rollback().await?;
            return Ok(false);
        }
        self.record_change(&mut transaction, name.as_str()).await?;
        self.commit_serving(transaction, true).await?;
        Ok(true)
    }

    /// Gives a verified name to the domain that is renamed. Without the domain, the pending name is removed.
    async fn grant_rename(
        &self,
        (id, before): (&str, &DomainAddress),
        (name, redirects): (&DomainAddress, bool),
        now: Timestamp,
    ) -> Result<bool, StorageError> {
        let rename = DomainRename { name, redirects, needs_proof: false, revision: None };
        match self.rename_domain(before, rename, now).await? {
            Renamed::Done => Ok(true),
            Renamed::Missing => {
                let query = sqlx::query("DELETE FROM pending_domains WHERE id = $1").bind(id);
                query.execute(&self.pool).await?;
                Ok(false)
            }
            Renamed::Taken | Renamed::Unverified => Ok(false),
        }
    }

    /// Removes a pending domain. Returns whether there was one.
    pub async fn remove_domain_claim(&self, claim: &DomainClaim) -> Result<bool, StorageError> {
        let query = sqlx::query("DELETE FROM pending_domains WHERE id = $1").bind(&claim.id);
        self.change_one(query, &claim.name).await
    }

    /// Removes the pending domains that were created before a time. Returns how many there were.
    pub async fn remove_domain_claims_before(&self, time: Timestamp) -> Result<u64, StorageError> {
        let query = sqlx::query("DELETE FROM pending_domains WHERE created_at < $1").bind(time);
        Ok(query.execute(&self.pool).await?.rows_affected())
    }
}

fn parse(name: &str) -> Result<DomainAddress, StorageError> {
    DomainAddress::parse(name)
        .map_err(|error| StorageError::Value(format!("the domain {name}: {error}")))
}

/// An unguessable value.
fn token() -> Result<String, StorageError> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|error| StorageError::Random(error.to_string()))?;
    Ok(hex::encode(bytes))
}

fn read(row: &AnyRow) -> Result<DomainClaim, StorageError> {
    let branch: String = row.try_get("branch")?;
    let renames: Option<String> = row.try_get("renames")?;
    let redirects: i64 = row.try_get("redirects")?;
    Ok(DomainClaim {
        id: row.try_get("id")?,
        name: row.try_get("name")?,
        branch: Some(branch).filter(|branch| !branch.is_empty()),
        project_id: row.try_get("project_id")?,
        project: row.try_get("project")?,
        organization_id: row.try_get("organization_id")?,
        organization: row.try_get("organization")?,
        token: row.try_get("token")?,
        checks: row.try_get("checks")?,
        problem: row.try_get("problem")?,
        renames: renames.map(|before| (before, redirects == 1)),
        created_at: row.try_get("created_at")?,
    })
}
