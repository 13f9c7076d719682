//! Default domains: the hostname that the service gives each project, below the domain that the operator chose.
//!
//! A default domain serves the site until another domain of the project does; then it redirects there.

use docwright_types::{
    default_domain::SitesDomain, domain_address::DomainAddress, release::Trigger,
    timestamp::Timestamp,
};
use sqlx::{Any, AssertSqlSafe, Row, Transaction, any::AnyArguments, query::Query};

use super::{
    Database, domains,
    releases::{NewRelease, request},
    retention::placeholders,
    sites::lock_project,
};
use crate::StorageError;

/// Numbers that are tried for a name, in order.
const NUMBERS: u32 = 1000;

/// Default domains, with the domains that they can redirect to: the project's other domains of the same branch that
/// have an active release and a name that leads here. The oldest one counts.
const REDIRECTS: &str = "SELECT projects.default_domain AS name, own.name AS target FROM projects \
     JOIN domains ON domains.name = projects.default_domain \
     JOIN sites ON sites.project_id = projects.id AND sites.branch = domains.branch AND sites.active_release_id IS NOT NULL \
     JOIN domains AS own ON own.name = sites.domain AND own.project_id = projects.id AND own.branch = domains.branch \
     AND own.name <> domains.name AND own.dns_state = 'correct'";

impl Database {
    /// Gives a project its default domain, unless it has one. Names that are taken get a number. Returns the new
    /// domain; `None` if there is none, because the project has one or is gone.
    pub async fn give_default_domain(
        &self,
        project_id: &str,
        sites: &SitesDomain,
        now: Timestamp,
    ) -> Result<Option<String>, StorageError> {
        let mut transaction = self.begin().await?;
        lock_project(&mut transaction, project_id).await?;
        let sql = "SELECT name FROM projects WHERE id = $1 AND default_domain IS NULL";
        let row = sqlx::query(sql).bind(project_id).fetch_optional(&mut *transaction).await?;
        let Some(row) = row else { return Ok(None) };
        let name: String = row.try_get("name")?;
        for number in 1..=NUMBERS {
            let domain = DomainAddress::from(sites.default_domain(&name, number));
            if !domains::insert(&mut transaction, &domain, (project_id, ""), now).await? {
                continue;
            }
            let query = sqlx::query("UPDATE projects SET default_domain = $1 WHERE id = $2");
            let query = query.bind(domain.as_str()).bind(project_id);
            query.execute(&mut *transaction).await?;
            request_if_built(&mut transaction, (project_id, &domain), now).await?;
            self.record_change(&mut transaction, domain.as_str()).await?;
            self.commit_serving(transaction, true).await?;
            return Ok(Some(domain.as_str().to_owned()));
        }
        let sentence = format!("the first {NUMBERS} default domains of {name} are taken");
        Err(StorageError::Exists(sentence))
    }

    /// Projects without a default domain, up to a number.
    pub async fn projects_without_default_domain(
        &self,
        limit: i64,
    ) -> Result<Vec<String>, StorageError> {
        let sql = "SELECT id FROM projects WHERE default_domain IS NULL ORDER BY id LIMIT $1";
        let rows = sqlx::query(sql).bind(limit).fetch_all(&self.pool).await?;
        rows.iter().map(|row| Ok(row.try_get("id")?)).collect()
    }

    /// Every default domain that redirects, and the domain that it redirects to.
    pub async fn domain_redirects(&self) -> Result<Vec<(String, String)>, StorageError> {
        let sql = format!("{REDIRECTS} ORDER BY projects.id, own.created_at, own.name");
        self.first_targets(sqlx::query(AssertSqlSafe(sql))).await
    }

    /// The same of some projects.
    pub async fn domain_redirects_of(
        &self,
        projects: &[&str],
    ) -> Result<Vec<(String, String)>, StorageError> {
        if projects.is_empty() {
            return Ok(Vec::new());
        }
        let list = placeholders(1, projects.len());
        let sql = format!(
            "{REDIRECTS} WHERE projects.id IN ({list}) ORDER BY projects.id, own.created_at, own.name"
        );
        let mut query = sqlx::query(AssertSqlSafe(sql));
        for id in projects {
            query = query.bind(*id);
        }
        self.first_targets(query).await
    }

    /// Default domains with the first domain that each can redirect to.
    async fn first_targets(
        &self,
        query: Query<'_, Any, AnyArguments>,
    ) -> Result<Vec<(String, String)>, StorageError> {
        let mut redirects: Vec<(String, String)> = Vec::new();
        for row in query.fetch_all(&self.pool).await? {
            let (from, to): (String, String) = (row.try_get("name")?, row.try_get("target")?);
            if redirects.last().is_none_or(|(last, _)| *last != from) {
                redirects.push((from, to));
            }
        }
        Ok(redirects)
    }
}

/// Requests a release of a new site if its project was built before: no new commit would request one.
async fn request_if_built(
    transaction: &mut Transaction<'_, Any>,
    (project_id, domain): (&str, &DomainAddress),
    now: Timestamp,
) -> Result<(), StorageError> {
    let sql = "SELECT id FROM sites WHERE project_id = $1 AND branch = '' AND domain = $2 \
         AND EXISTS (SELECT 1 FROM releases WHERE releases.project_id = $1)";
    let query = sqlx::query(sql).bind(project_id).bind(domain.as_str());
    let Some(row) = query.fetch_optional(&mut **transaction).await? else { return Ok(()) };
    let site_id: String = row.try_get("id")?;
    request(transaction, NewRelease::of_site(&site_id, None, Trigger::Manual), now).await.map(drop)
}
