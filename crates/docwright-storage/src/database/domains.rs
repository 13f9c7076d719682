//! Domains: the addresses of sites, and their projects.
//!
//! A host with all its base paths belongs to one organization. Sites of one host share an origin, so each could
//! read the browser data of the others.

use docwright_types::{
    domain_address::DomainAddress, domain_check::DnsState, domain_name::DomainName,
    timestamp::Timestamp,
};
use sqlx::{Any, AssertSqlSafe, Row, Transaction, any::AnyRow};

use super::{
    Database, Project,
    domain_checks::{self, DomainCheck},
    lists::{Order, PageRequest, Rows, text},
    polls, projects,
    revisions::{Record, revise},
    sites::{change_branch, create_site, lock_project},
};
use crate::StorageError;

/// A domain and its owner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Domain {
    /// Its name: the host and the optional base path.
    pub name: String,
    /// The branch that it shows; `None` for the repository's default branch.
    pub branch: Option<String>,
    /// Id of its active release, if any.
    pub release_id: Option<String>,
    /// Id of its project.
    pub project_id: String,
    /// Name of its project.
    pub project: String,
    /// Id of the organization of the project.
    pub organization_id: String,
    /// Name of the organization.
    pub organization: String,
    /// When it was given to its project.
    pub created_at: Timestamp,
    /// Number of its version, which updates increment.
    pub revision: i64,
    /// Whether the service gave it to the project.
    pub is_default: bool,
    /// The last check of its name; `None` before the first one.
    pub check: Option<DomainCheck>,
}

const DOMAINS: &str = "SELECT domains.name, domains.branch, domains.created_at, domains.revision, domains.dns_state, domains.found, \
     domains.checked_at, sites.active_release_id, \
     CASE WHEN projects.default_domain = domains.name THEN 1 ELSE 0 END AS is_default, projects.id AS project_id, \
     projects.name AS project, organizations.id AS organization_id, organizations.name AS organization FROM domains \
     JOIN projects ON projects.id = domains.project_id \
     JOIN organizations ON organizations.id = projects.organization_id \
     LEFT JOIN sites ON sites.project_id = domains.project_id AND sites.branch = domains.branch \
     AND sites.domain = domains.name";

impl Database {
    /// Gives a domain to a branch of a project; `None` means the repository's default branch. The caller has
    /// checked the ownership. Fails if a project already has the domain, or another organization the host. The
    /// error names the owner, so only operators can see it.
    pub async fn add_domain(
        &self,
        name: &DomainAddress,
        project_id: &str,
        branch: Option<&str>,
        now: Timestamp,
    ) -> Result<(), StorageError> {
        let mut transaction = self.begin().await?;
        let branch = branch.unwrap_or_default();
        if insert(&mut transaction, name, (project_id, branch), now).await? {
            self.record_change(&mut transaction, name.as_str()).await?;
            return self.commit_serving(transaction, true).await;
        }
        transaction.rollback().await?;
        Err(self.taken(name).await?)
    }

    /// Sets the branch of a domain; `None` means the default branch. The domain keeps its release until the first
    /// release of the new branch, which this requests, is ready. Returns whether the domain exists. Fails if it
    /// hasn't the named revision.
    pub async fn set_branch(
        &self,
        name: &DomainAddress,
        branch: Option<&str>,
        revision: Option<i64>,
        now: Timestamp,
    ) -> Result<bool, StorageError> {
        let Some(site) = self.site_of_domain(name).await? else { return Ok(false) };
        let branch = branch.unwrap_or_default();
        let mut transaction = self.begin().await?;
        lock_project(&mut transaction, &site.project_id).await?;
        if !revise(&mut transaction, Record::Domain(name.as_str()), revision).await? {
            return Ok(false);
        }
        let query = sqlx::query("UPDATE domains SET branch = $1 WHERE name = $2 AND branch <> $1");
        let changed = query.bind(branch).bind(name.as_str()).execute(&mut *transaction).await?;
        if changed.rows_affected() == 1 {
            change_branch(&mut transaction, &site.id, branch, now).await?;
        }
        self.record_change(&mut transaction, name.as_str()).await?;
        transaction.commit().await?;
        Ok(true)
    }

    /// The domains of a project, by name.
    pub async fn domains(&self, project_id: &str) -> Result<Vec<Domain>, StorageError> {
        let sql = format!("{DOMAINS} WHERE domains.project_id = $1 ORDER BY domains.name");
        let query = sqlx::query(AssertSqlSafe(sql)).bind(project_id);
        query.fetch_all(&self.pool).await?.iter().map(read).collect()
    }

    /// Domains, optionally of an organization or a project, searched by a part of the name, and sorted by it.
    pub async fn domains_page(
        &self,
        (organization_id, project_id): (Option<&str>, Option<&str>),
        page: PageRequest<'_>,
    ) -> Result<Vec<Domain>, StorageError> {
        const NAME: &str = text!("domains.name");
        // A project implies its organization.
        let organization_id = organization_id.filter(|_| project_id.is_none());
        let rows = Rows::all()
            .with("domains.project_id", project_id)
            .with("projects.organization_id", organization_id)
            .containing(NAME, page);
        rows.read(&self.pool, DOMAINS, Order::by_id(NAME), page, read).await
    }

    /// The domains of a host, of any owner, by name.
    pub async fn domains_of_host(&self, host: &DomainName) -> Result<Vec<Domain>, StorageError> {
        let sql = format!("{DOMAINS} WHERE domains.host = $1 ORDER BY domains.name");
        let query = sqlx::query(AssertSqlSafe(sql)).bind(host.as_str());
        query.fetch_all(&self.pool).await?.iter().map(read).collect()
    }

    /// A domain.
    pub async fn domain(&self, name: &DomainAddress) -> Result<Option<Domain>, StorageError> {
        let sql = format!("{DOMAINS} WHERE domains.name = $1");
        let query = sqlx::query(AssertSqlSafe(sql)).bind(name.as_str());
        query.fetch_optional(&self.pool).await?.as_ref().map(read).transpose()
    }

    /// The error that names the owner of a domain or its host.
    async fn taken(&self, name: &DomainAddress) -> Result<StorageError, StorageError> {
        if let Some(Domain { project_id, project, organization_id, organization, .. }) =
            self.domain(name).await?
        {
            return Ok(StorageError::Exists(format!(
                "the domain {name} already belongs to the project {project} ({project_id}) of the organization {organization} ({organization_id})"
            )));
        }
        let sql = "SELECT organizations.id, organizations.name FROM hosts \
             JOIN organizations ON organizations.id = hosts.organization_id WHERE hosts.name = $1";
        let query = sqlx::query(sql).bind(name.host().as_str());
        let Some(owner) = query.fetch_optional(&self.pool).await? else {
            return Ok(StorageError::Exists(format!("the domain {name} was just taken")));
        };
        let (id, owner): (String, String) = (owner.try_get("id")?, owner.try_get("name")?);
        Ok(StorageError::Exists(format!(
            "the host {} belongs to the organization {owner} ({id}) with all its base paths",
            name.host()
        )))
    }

    /// The project that a domain belongs to.
    pub async fn project_of_domain(
        &self,
        name: &DomainAddress,
    ) -> Result<Option<Project>, StorageError> {
        let columns = projects::COLUMNS
            .split(", ")
            .map(|column| format!("projects.{column}"))
            .collect::<Vec<_>>()
            .join(", ");
        let sql = format!(
            "SELECT {columns} FROM projects JOIN domains ON domains.project_id = projects.id WHERE domains.name = $1"
        );
        let row =
            sqlx::query(AssertSqlSafe(sql)).bind(name.as_str()).fetch_optional(&self.pool).await?;
        row.as_ref().map(projects::read).transpose()
    }
}

/// The state of a new name before its first check. Names below `localhost` lead to their own machine.
pub(super) fn first_state(name: &DomainAddress) -> Option<&'static str> {
    name.host().as_str().ends_with(".localhost").then_some(DnsState::Correct.name())
}

/// Gives a domain to a branch of a project, with its host and a site. Returns `false` if another owner has the
/// domain or its host, or the name redirects to a domain.
pub(super) async fn insert(
    transaction: &mut Transaction<'_, Any>,
    name: &DomainAddress,
    (project_id, branch): (&str, &str),
    now: Timestamp,
) -> Result<bool, StorageError> {
    // Parallel transactions for the same host wait at its row.
    let host = sqlx::query(
        "INSERT INTO hosts (name, organization_id, verified_at) \
         SELECT $1, organization_id, $2 FROM projects WHERE id = $3 \
         ON CONFLICT (name) DO UPDATE SET verified_at = hosts.verified_at \
         WHERE hosts.organization_id = excluded.organization_id",
    );
    let host = host.bind(name.host().as_str()).bind(now).bind(project_id);
    if host.execute(&mut **transaction).await?.rows_affected() == 0 {
        return Ok(false);
    }
    let domain = sqlx::query(
        "INSERT INTO domains (name, host, project_id, branch, created_at, dns_state) SELECT $1, $2, $3, $4, $5, $6 \
         WHERE NOT EXISTS (SELECT 1 FROM former_domains WHERE name = $1 AND redirects = 1) ON CONFLICT DO NOTHING",
    );
    let domain = domain.bind(name.as_str()).bind(name.host().as_str());
    let domain = domain.bind(project_id).bind(branch).bind(now).bind(first_state(name));
    if domain.execute(&mut **transaction).await?.rows_affected() == 0 {
        return Ok(false);
    }
    let former = sqlx::query("DELETE FROM former_domains WHERE name = $1").bind(name.as_str());
    former.execute(&mut **transaction).await?;
    // Other pending domains of this name can't be verified any more.
    let claims = sqlx::query("DELETE FROM pending_domains WHERE name = $1").bind(name.as_str());
    claims.execute(&mut **transaction).await?;
    create_site(transaction, project_id, (branch, name), now).await?;
    polls::request(transaction, project_id, now).await?;
    Ok(true)
}

fn read(row: &AnyRow) -> Result<Domain, StorageError> {
    let branch: String = row.try_get("branch")?;
    let is_default: i32 = row.try_get("is_default")?;
    Ok(Domain {
        name: row.try_get("name")?,
        branch: Some(branch).filter(|branch| !branch.is_empty()),
        release_id: row.try_get("active_release_id")?,
        project_id: row.try_get("project_id")?,
        project: row.try_get("project")?,
        organization_id: row.try_get("organization_id")?,
        organization: row.try_get("organization")?,
        created_at: row.try_get("created_at")?,
        revision: row.try_get("revision")?,
        is_default: is_default == 1,
        check: domain_checks::read(row)?,
    })
}
