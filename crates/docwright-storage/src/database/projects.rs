//! Projects: documentation repositories, and the domains they are served under.

use docwright_domain::{domain_name::DomainName, site::Activation, timestamp::Timestamp};
use sqlx::{AssertSqlSafe, Row, any::AnyRow};

use super::{Database, new_id, sites::create_site};
use crate::StorageError;

/// A documentation repository.
#[derive(Debug, Clone)]
pub struct Project {
    /// Its id.
    pub id: String,
    /// The organisation it belongs to.
    pub organization_id: String,
    /// Its name.
    pub name: String,
    /// Where its files are, as text: `docwright-repository` reads it.
    pub repository: String,
    /// Folder of the docs root within the repository; empty for the root, or to look for it.
    pub docs_path: String,
    /// Model of its agent jobs; `None` for that of the install.
    pub model: Option<String>,
    /// How its releases become active.
    pub activation: Activation,
}

/// A project to be made.
#[derive(Debug, Clone, Copy)]
#[allow(missing_docs, reason = "as in Project")]
pub struct NewProject<'a> {
    pub organization_id: &'a str,
    pub name: &'a str,
    pub repository: &'a str,
    pub docs_path: &'a str,
    pub model: Option<&'a str>,
    pub activation: Activation,
}

const COLUMNS: &str = "id, organization_id, name, repository, docs_path, model, activation";

impl Database {
    /// Makes a project.
    pub async fn create_project(
        &self,
        new: NewProject<'_>,
        now: Timestamp,
    ) -> Result<Project, StorageError> {
        let id = new_id("prj");
        sqlx::query("INSERT INTO projects (id, organization_id, name, repository, docs_path, model, activation, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)")
            .bind(&id)
            .bind(new.organization_id)
            .bind(new.name)
            .bind(new.repository)
            .bind(new.docs_path)
            .bind(new.model)
            .bind(new.activation.name())
            .bind(now)
            .execute(&self.pool)
            .await?;
        Ok(Project {
            id,
            organization_id: new.organization_id.to_owned(),
            name: new.name.to_owned(),
            repository: new.repository.to_owned(),
            docs_path: new.docs_path.to_owned(),
            model: new.model.map(str::to_owned),
            activation: new.activation,
        })
    }

    /// Every project, oldest first.
    pub async fn projects(&self) -> Result<Vec<Project>, StorageError> {
        let rows = sqlx::query(AssertSqlSafe(format!(
            "SELECT {COLUMNS} FROM projects ORDER BY created_at, id"
        )))
        .fetch_all(&self.pool)
        .await?;
        rows.iter().map(read).collect()
    }

    /// The project of an id.
    pub async fn project(&self, id: &str) -> Result<Option<Project>, StorageError> {
        let row =
            sqlx::query(AssertSqlSafe(format!("SELECT {COLUMNS} FROM projects WHERE id = $1")))
                .bind(id)
                .fetch_optional(&self.pool)
                .await?;
        row.as_ref().map(read).transpose()
    }

    /// Gives a domain to a branch of a project; `None` stands for the repository's default branch.
    pub async fn add_domain(
        &self,
        name: &DomainName,
        project_id: &str,
        branch: Option<&str>,
        now: Timestamp,
    ) -> Result<(), StorageError> {
        let branch = branch.unwrap_or_default();
        let mut transaction = self.begin().await?;
        let query = sqlx::query(
            "INSERT INTO domains (name, project_id, branch, created_at) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING",
        );
        let query = query.bind(name.as_str()).bind(project_id).bind(branch).bind(now);
        if query.execute(&mut *transaction).await?.rows_affected() == 0 {
            return Err(StorageError::Exists(format!("the domain {name} is taken already")));
        }
        create_site(&mut transaction, project_id, (branch, name), now).await?;
        self.commit_serving(transaction, true).await
    }

    /// The domains of a project.
    pub async fn domains(&self, project_id: &str) -> Result<Vec<String>, StorageError> {
        let sql = "SELECT name FROM domains WHERE project_id = $1 ORDER BY name";
        let rows = sqlx::query(sql).bind(project_id).fetch_all(&self.pool).await?;
        rows.iter().map(|row| Ok(row.try_get("name")?)).collect()
    }

    /// The project that a domain belongs to.
    pub async fn project_of_domain(
        &self,
        name: &DomainName,
    ) -> Result<Option<Project>, StorageError> {
        let columns = COLUMNS
            .split(", ")
            .map(|column| format!("projects.{column}"))
            .collect::<Vec<_>>()
            .join(", ");
        let sql = format!(
            "SELECT {columns} FROM projects JOIN domains ON domains.project_id = projects.id WHERE domains.name = $1"
        );
        let row =
            sqlx::query(AssertSqlSafe(sql)).bind(name.as_str()).fetch_optional(&self.pool).await?;
        row.as_ref().map(read).transpose()
    }
}

fn read(row: &AnyRow) -> Result<Project, StorageError> {
    let activation: String = row.try_get("activation")?;
    Ok(Project {
        id: row.try_get("id")?,
        organization_id: row.try_get("organization_id")?,
        name: row.try_get("name")?,
        repository: row.try_get("repository")?,
        docs_path: row.try_get("docs_path")?,
        model: row.try_get("model")?,
        activation: activation.parse().map_err(StorageError::Value)?,
    })
}
