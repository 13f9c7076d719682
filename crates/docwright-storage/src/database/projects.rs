//! Projects: documentation repositories, and the domains they are served under.

use docwright_domain::{domain_name::DomainName, site::Activation, timestamp::Timestamp};
use sqlx::{AssertSqlSafe, Row, any::AnyRow};

use super::{
    Database, new_id,
    sites::{change_branch, create_site, lock_project},
};
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

/// What is to be changed of a project; what is `None` stays.
#[derive(Debug, Clone, Copy, Default)]
pub struct ProjectChange<'a> {
    /// Its name.
    pub name: Option<&'a str>,
    /// Where its files are.
    pub repository: Option<&'a str>,
    /// Folder of the docs root.
    pub docs_path: Option<&'a str>,
    /// Model of its agent jobs; empty for that of the install.
    pub model: Option<&'a str>,
    /// How its releases become active.
    pub activation: Option<Activation>,
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

    /// Changes a project. Returns whether there is such a project.
    pub async fn update_project(
        &self,
        id: &str,
        change: ProjectChange<'_>,
    ) -> Result<bool, StorageError> {
        let query = sqlx::query(
            "UPDATE projects SET name = COALESCE($1, name), repository = COALESCE($2, repository), \
             docs_path = COALESCE($3, docs_path), model = NULLIF(COALESCE($4, model), ''), \
             activation = COALESCE($5, activation) WHERE id = $6",
        )
        .bind(change.name)
        .bind(change.repository)
        .bind(change.docs_path)
        .bind(change.model)
        .bind(change.activation.map(Activation::name))
        .bind(id);
        Ok(query.execute(&self.pool).await?.rows_affected() == 1)
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

    /// Lets a domain show another branch; `None` stands for the default one. It goes on with its
    /// release until the first of the new branch is ready, which is asked for. Returns whether there is
    /// such a domain.
    pub async fn set_branch(
        &self,
        name: &DomainName,
        branch: Option<&str>,
        now: Timestamp,
    ) -> Result<bool, StorageError> {
        let Some(site) = self.site_of_domain(name).await? else { return Ok(false) };
        let branch = branch.unwrap_or_default();
        let mut transaction = self.begin().await?;
        lock_project(&mut transaction, &site.project_id).await?;
        let query = sqlx::query("UPDATE domains SET branch = $1 WHERE name = $2 AND branch <> $1");
        let changed = query.bind(branch).bind(name.as_str()).execute(&mut *transaction).await?;
        if changed.rows_affected() == 1 {
            change_branch(&mut transaction, &site.id, branch, now).await?;
        }
        transaction.commit().await?;
        Ok(true)
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
