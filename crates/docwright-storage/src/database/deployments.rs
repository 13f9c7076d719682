//! Deployments: where the site of a project is served, and the features that it has there.

use docwright_types::{
    deployment::{Analytics, DeploymentType, Features},
    timestamp::Timestamp,
};
use sqlx::{Any, AssertSqlSafe, Row, Transaction, any::AnyRow};

use super::{
    Database, new_id, questions,
    revisions::{Record, revise},
    sites::{lock_project, request_of_project},
};
use crate::StorageError;

/// Most deployments of a project.
pub const MAXIMUM_DEPLOYMENTS: i64 = 50;

/// Name of the deployment that a project has from the start.
const FIRST: &str = "cloud";

/// A deployment of a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deployment {
    /// Its id.
    pub id: String,
    /// Its project.
    pub project_id: String,
    /// Its name, unique in the project.
    pub name: String,
    /// Its type.
    pub kind: DeploymentType,
    /// Its reader features.
    pub features: Features,
    /// URL of the site there; `None` for that of the domain.
    pub address: Option<String>,
    /// What its server reported last.
    pub report: Option<DeploymentReport>,
    /// Creation time.
    pub created_at: Timestamp,
    /// Number of its version, which updates increment.
    pub revision: i64,
}

/// What the server of a deployment reported to serve.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeploymentReport {
    /// Id of the export. It can be deleted by now.
    pub job_id: String,
    /// The label of the export.
    pub version: Option<String>,
    /// When it was reported.
    pub at: Timestamp,
}

/// A new deployment.
#[derive(Debug, Clone, Copy)]
#[allow(missing_docs, reason = "as in Deployment")]
pub struct NewDeployment<'a> {
    pub project_id: &'a str,
    pub name: &'a str,
    pub kind: DeploymentType,
    pub features: &'a Features,
    pub address: Option<&'a str>,
}

/// Changes of a deployment; `None` keeps a value.
#[derive(Debug, Clone, Copy, Default)]
pub struct DeploymentChange<'a> {
    /// Its name.
    pub name: Option<&'a str>,
    /// Its reader features.
    pub features: Option<&'a Features>,
    /// URL of the site there; empty for that of the domain.
    pub address: Option<&'a str>,
    /// The revision that it must have.
    pub revision: Option<i64>,
}

const COLUMNS: &str = "id, project_id, name, kind, features, address, reported_job_id, reported_version, reported_at, \
     created_at, revision";

impl Database {
    /// Creates a deployment. Fails if the project has one of this name, or the most that it can have.
    pub async fn create_deployment(
        &self,
        new: NewDeployment<'_>,
        now: Timestamp,
    ) -> Result<Deployment, StorageError> {
        let mut transaction = self.begin().await?;
        lock_project(&mut transaction, new.project_id).await?;
        require_free_name(&mut transaction, new.project_id, new.name, "").await?;
        let sql = "SELECT COUNT(*) AS count FROM deployments WHERE project_id = $1";
        let query = sqlx::query(sql).bind(new.project_id);
        let count: i64 = query.fetch_one(&mut *transaction).await?.try_get("count")?;
        if count >= MAXIMUM_DEPLOYMENTS {
            return Err(StorageError::Exists(format!(
                "the project has {MAXIMUM_DEPLOYMENTS} deployments, the limit; delete one first"
            )));
        }
        let created = insert(&mut transaction, new, now).await?;
        self.record_change(&mut transaction, &created.id).await?;
        transaction.commit().await?;
        Ok(created)
    }

    /// The deployments of a project, oldest first.
    pub async fn deployments(&self, project_id: &str) -> Result<Vec<Deployment>, StorageError> {
        let sql = format!("SELECT {COLUMNS} FROM deployments WHERE project_id = $1 ORDER BY id");
        let query = sqlx::query(AssertSqlSafe(sql)).bind(project_id);
        query.fetch_all(&self.pool).await?.iter().map(read).collect()
    }

    /// The addresses of the client-hosted sites of a domain's project whose pages send reports to another host.
    pub async fn report_addresses(&self, domain: &str) -> Result<Vec<String>, StorageError> {
        let sql = "SELECT deployments.address, features FROM deployments \
             JOIN domains ON domains.project_id = deployments.project_id \
             WHERE domains.name = $1 AND kind = $2 AND deployments.address IS NOT NULL";
        let query = sqlx::query(sql).bind(domain).bind(DeploymentType::ClientHosted.name());
        let mut addresses = Vec::new();
        for row in query.fetch_all(&self.pool).await? {
            let Analytics { mode, address, .. } = features(&row)?.analytics;
            if mode.is_on() && address.is_some() {
                addresses.push(row.try_get("address")?);
            }
        }
        Ok(addresses)
    }

    /// Records that the server of a deployment serves an export. That doesn't change the revision. Returns whether
    /// there is such a deployment.
    pub async fn report_deployment(
        &self,
        id: &str,
        report: &DeploymentReport,
    ) -> Result<bool, StorageError> {
        let query = sqlx::query(
            "UPDATE deployments SET reported_job_id = $1, reported_version = $2, reported_at = $3 WHERE id = $4",
        );
        let query = query.bind(&report.job_id).bind(&report.version).bind(report.at).bind(id);
        self.change_one(query, id).await
    }

    /// The deployment of a project with an id or a name. An id wins over a name.
    pub async fn deployment(
        &self,
        project_id: &str,
        id_or_name: &str,
    ) -> Result<Option<Deployment>, StorageError> {
        let sql = format!(
            "SELECT {COLUMNS} FROM deployments WHERE project_id = $1 AND (id = $2 OR name = $2) \
             ORDER BY CASE WHEN id = $2 THEN 0 ELSE 1 END LIMIT 1"
        );
        let query = sqlx::query(AssertSqlSafe(sql)).bind(project_id).bind(id_or_name);
        query.fetch_optional(&self.pool).await?.as_ref().map(read).transpose()
    }

    /// The features of a project's sites that docwright serves.
    pub async fn cloud_features(&self, project_id: &str) -> Result<Features, StorageError> {
        let sql = "SELECT features FROM deployments WHERE project_id = $1 AND kind = $2";
        let query = sqlx::query(sql).bind(project_id).bind(DeploymentType::Cloud.name());
        match query.fetch_optional(&self.pool).await? {
            Some(row) => features(&row),
            None => Ok(Features::of(DeploymentType::Cloud)),
        }
    }

    /// Changes a deployment. New features of the cloud deployment request a release of each site. Returns whether
    /// there is such a deployment. Fails if another one of the project has the new name, or if it has another
    /// revision than the change names.
    pub async fn update_deployment(
        &self,
        deployment: &Deployment,
        change: DeploymentChange<'_>,
        now: Timestamp,
    ) -> Result<bool, StorageError> {
        let mut transaction = self.begin().await?;
        lock_project(&mut transaction, &deployment.project_id).await?;
        if let Some(name) = change.name {
            require_free_name(&mut transaction, &deployment.project_id, name, &deployment.id)
                .await?;
        }
        if !revise(&mut transaction, Record::Deployment(&deployment.id), change.revision).await? {
            return Ok(false);
        }
        sqlx::query(
            "UPDATE deployments SET name = COALESCE($1, name), features = COALESCE($2, features), \
             address = NULLIF(COALESCE($3, address), '') WHERE id = $4",
        )
        .bind(change.name)
        .bind(change.features.map(text))
        .bind(change.address)
        .bind(&deployment.id)
        .execute(&mut *transaction)
        .await?;
        if let Some(features) = change.features.filter(|_| deployment.kind == DeploymentType::Cloud)
        {
            request_of_project(&mut transaction, &deployment.project_id, now).await?;
            let days = features.assistant.keep_days;
            questions::shorten(&mut transaction, &deployment.project_id, days).await?;
        }
        self.record_change(&mut transaction, &deployment.id).await?;
        transaction.commit().await?;
        Ok(true)
    }

    /// Deletes a deployment. Its exports stay until retention removes them. Returns whether there was such a
    /// deployment.
    pub async fn delete_deployment(&self, id: &str) -> Result<bool, StorageError> {
        let mut transaction = self.begin().await?;
        let sql = "DELETE FROM deployments WHERE id = $1 AND kind <> $2";
        let query = sqlx::query(sql).bind(id).bind(DeploymentType::Cloud.name());
        let deleted = query.execute(&mut *transaction).await?.rows_affected() == 1;
        if deleted {
            self.record_change(&mut transaction, id).await?;
        }
        transaction.commit().await?;
        Ok(deleted)
    }
}

/// Adds the deployment that each project has: docwright's own hosts.
pub(super) async fn insert_first(
    transaction: &mut Transaction<'_, Any>,
    project_id: &str,
    now: Timestamp,
) -> Result<(), StorageError> {
    let kind = DeploymentType::Cloud;
    let features = &Features::of(kind);
    let new = NewDeployment { project_id, name: FIRST, kind, features, address: None };
    insert(transaction, new, now).await?;
    Ok(())
}

async fn insert(
    transaction: &mut Transaction<'_, Any>,
    new: NewDeployment<'_>,
    now: Timestamp,
) -> Result<Deployment, StorageError> {
    let id = new_id("dpl");
    sqlx::query(
        "INSERT INTO deployments (id, project_id, name, kind, features, address, created_at) \
         VALUES ($1, $2, $3, $4, $5, $6, $7)",
    )
    .bind(&id)
    .bind(new.project_id)
    .bind(new.name)
    .bind(new.kind.name())
    .bind(text(new.features))
    .bind(new.address)
    .bind(now)
    .execute(&mut **transaction)
    .await?;
    Ok(Deployment {
        id,
        project_id: new.project_id.to_owned(),
        name: new.name.to_owned(),
        kind: new.kind,
        features: new.features.clone(),
        address: new.address.map(str::to_owned),
        report: None,
        created_at: now,
        revision: 1,
    })
}

fn read(row: &AnyRow) -> Result<Deployment, StorageError> {
    let kind: String = row.try_get("kind")?;
    Ok(Deployment {
        id: row.try_get("id")?,
        project_id: row.try_get("project_id")?,
        name: row.try_get("name")?,
        kind: kind.parse().map_err(StorageError::Value)?,
        features: features(row)?,
        address: row.try_get("address")?,
        report: report(row)?,
        created_at: row.try_get("created_at")?,
        revision: row.try_get("revision")?,
    })
}

fn report(row: &AnyRow) -> Result<Option<DeploymentReport>, StorageError> {
    let job: Option<String> = row.try_get("reported_job_id")?;
    let Some(job_id) = job else { return Ok(None) };
    let (version, at) = (row.try_get("reported_version")?, row.try_get("reported_at")?);
    Ok(Some(DeploymentReport { job_id, version, at }))
}

/// Features as the database stores them.
pub(super) fn text(features: &Features) -> String {
    serde_json::json!(features).to_string()
}

fn features(row: &AnyRow) -> Result<Features, StorageError> {
    let text: String = row.try_get("features")?;
    serde_json::from_str(&text).map_err(|error| StorageError::Value(error.to_string()))
}

/// Fails if another deployment of a project has a name, or an id that equals it.
async fn require_free_name(
    transaction: &mut Transaction<'_, Any>,
    project_id: &str,
    name: &str,
    own: &str,
) -> Result<(), StorageError> {
    let sql =
        "SELECT id FROM deployments WHERE project_id = $1 AND (name = $2 OR id = $2) AND id <> $3";
    let query = sqlx::query(sql).bind(project_id).bind(name).bind(own);
    if query.fetch_optional(&mut **transaction).await?.is_none() {
        return Ok(());
    }
    Err(StorageError::Exists(format!(
        "the project already has a deployment `{name}`; choose another name"
    )))
}
