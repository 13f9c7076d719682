//! Projects: documentation repositories.

use docwright_types::{site::Activation, timestamp::Timestamp};
use sqlx::{Any, AssertSqlSafe, Row, Transaction, any::AnyRow};

use super::{
    Database, deployments,
    lists::{Order, PageRequest, Rows, Sort, text},
    new_id,
    plans::{self, Counted},
    revisions::{Record, revise},
    sites::{lock_project, request_of_project},
};
use crate::StorageError;

/// A documentation repository.
#[derive(Debug, Clone)]
pub struct Project {
    /// Its id.
    pub id: String,
    /// The organization it belongs to.
    pub organization_id: String,
    /// Its name.
    pub name: String,
    /// Location of its files, as text: `docwright-repository` parses it.
    pub repository: String,
    /// Folder of the docs root within the repository; empty to find it.
    pub docs_path: String,
    /// Model of its agent jobs; `None` for that of the instance.
    pub model: Option<String>,
    /// How its releases become active.
    pub activation: Activation,
    /// Patterns of files that its agents can change besides documentation.
    pub agent_paths: Vec<String>,
    /// Creation time.
    pub created_at: Timestamp,
    /// Number of its version, which updates increment.
    pub revision: i64,
}

/// A new project.
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

/// Changes of a project; `None` keeps a value.
#[derive(Debug, Clone, Copy, Default)]
pub struct ProjectChange<'a> {
    /// Its name.
    pub name: Option<&'a str>,
    /// Location of its files.
    pub repository: Option<&'a str>,
    /// Folder of the docs root.
    pub docs_path: Option<&'a str>,
    /// Model of its agent jobs; empty for that of the instance.
    pub model: Option<&'a str>,
    /// How its releases become active.
    pub activation: Option<Activation>,
    /// Patterns of files that its agents can change besides documentation.
    pub agent_paths: Option<&'a [String]>,
    /// The revision that it must have.
    pub revision: Option<i64>,
}

/// Selects projects.
#[derive(Debug, Clone, Copy, Default)]
pub struct ProjectFilter<'a> {
    /// Projects of an organization; `None` for all.
    pub organization_id: Option<&'a str>,
    /// Projects with a name; `None` for all.
    pub name: Option<&'a str>,
    /// Ids of projects; empty for all.
    pub only: &'a [String],
    /// The order.
    pub sort: Sort,
}

pub(super) const COLUMNS: &str = "id, organization_id, name, repository, docs_path, model, activation, agent_paths, created_at, revision";

impl Database {
    /// Creates a project. Fails if its organization already has one with this name.
    pub async fn create_project(
        &self,
        new: NewProject<'_>,
        now: Timestamp,
    ) -> Result<Project, StorageError> {
        let id = new_id("prj");
        let mut transaction = self.begin().await?;
        require_free_name(&mut transaction, new.organization_id, new.name, &id).await?;
        sqlx::query("INSERT INTO projects (id, organization_id, name, repository, docs_path, model, activation, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)")
            .bind(&id)
            .bind(new.organization_id)
            .bind(new.name)
            .bind(new.repository)
            .bind(new.docs_path)
            .bind(new.model)
            .bind(new.activation.name())
            .bind(now)
            .execute(&mut *transaction)
            .await?;
        plans::require_room(&mut transaction, new.organization_id, Counted::Projects).await?;
        deployments::insert_first(&mut transaction, &id, now).await?;
        self.request_poll_in(&mut transaction, &id, 0).await?;
        self.record_change(&mut transaction, &id).await?;
        transaction.commit().await?;
        Ok(Project {
            id,
            organization_id: new.organization_id.to_owned(),
            name: new.name.to_owned(),
            repository: new.repository.to_owned(),
            docs_path: new.docs_path.to_owned(),
            model: new.model.map(str::to_owned),
            activation: new.activation,
            agent_paths: Vec::new(),
            created_at: now,
            revision: 1,
        })
    }

    /// Changes a project. Returns whether there is such a project. Fails if another one of the organization has
    /// the new name, or if it has another revision than the change names.
    pub async fn update_project(
        &self,
        id: &str,
        change: ProjectChange<'_>,
        now: Timestamp,
    ) -> Result<bool, StorageError> {
        let Some(project) = self.project(id).await? else { return Ok(false) };
        let mut transaction = self.begin().await?;
        if let Some(name) = change.name {
            require_free_name(&mut transaction, &project.organization_id, name, id).await?;
        }
        if !revise(&mut transaction, Record::Project(id), change.revision).await? {
            return Ok(false);
        }
        let query = sqlx::query(
            "UPDATE projects SET name = COALESCE($1, name), repository = COALESCE($2, repository), \
             docs_path = COALESCE($3, docs_path), model = NULLIF(COALESCE($4, model), ''), \
             activation = COALESCE($5, activation), agent_paths = COALESCE($6, agent_paths) WHERE id = $7",
        )
        .bind(change.name)
        .bind(change.repository)
        .bind(change.docs_path)
        .bind(change.model)
        .bind(change.activation.map(Activation::name))
        .bind(change.agent_paths.map(|paths| serde_json::json!(paths).to_string()))
        .bind(id);
        query.execute(&mut *transaction).await?;
        let has_moved = change.docs_path.is_some_and(|path| path != project.docs_path);
        if change.repository.is_some() || has_moved {
            self.request_poll_in(&mut transaction, id, 0).await?;
        }
        if has_moved {
            // No commit changes, so no poll would request a release of the other folder.
            lock_project(&mut transaction, id).await?;
            request_of_project(&mut transaction, id, now).await?;
        }
        self.record_change(&mut transaction, id).await?;
        transaction.commit().await?;
        Ok(true)
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

    /// Projects with the names of their organizations, searched by a part of the name, and sorted.
    pub async fn projects_page(
        &self,
        filter: ProjectFilter<'_>,
        page: PageRequest<'_>,
    ) -> Result<Vec<(Project, String)>, StorageError> {
        const NAME: &str = text!("projects.name");
        let columns = COLUMNS.replace(", ", ", projects.");
        let select = format!(
            "SELECT projects.{columns}, organizations.name AS organization FROM projects \
             JOIN organizations ON organizations.id = projects.organization_id"
        );
        // A name is found through the index of searches.
        let searched = filter.name.map(str::to_ascii_lowercase);
        let rows = Rows::all()
            .with("projects.organization_id", filter.organization_id)
            // A name is found by its text.
            .with(NAME, filter.name.map(str::to_ascii_lowercase))
            .with("projects.name", filter.name)
            .with(NAME, searched.as_deref())
            .with_one_of("projects.id", filter.only)
            .containing(NAME, page);
        let order = Order::sorted(filter.sort, NAME, "projects.id");
        let read = |row: &AnyRow| Ok((read(row)?, row.try_get("organization")?));
        rows.read(&self.pool, &select, order, page, read).await
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
}

pub(super) fn read(row: &AnyRow) -> Result<Project, StorageError> {
    let activation: String = row.try_get("activation")?;
    let agent_paths: String = row.try_get("agent_paths")?;
    let agent_paths = serde_json::from_str(&agent_paths);
    Ok(Project {
        id: row.try_get("id")?,
        organization_id: row.try_get("organization_id")?,
        name: row.try_get("name")?,
        repository: row.try_get("repository")?,
        docs_path: row.try_get("docs_path")?,
        model: row.try_get("model")?,
        activation: activation.parse().map_err(StorageError::Value)?,
        agent_paths: agent_paths.map_err(|error| StorageError::Value(error.to_string()))?,
        created_at: row.try_get("created_at")?,
        revision: row.try_get("revision")?,
    })
}

/// Fails if another project of an organization has a name. Duplicate names from before this check stay.
async fn require_free_name(
    transaction: &mut Transaction<'_, Any>,
    organization_id: &str,
    name: &str,
    id: &str,
) -> Result<(), StorageError> {
    // A write to the organization comes first, so of simultaneous requests one continues.
    sqlx::query("UPDATE organizations SET name = name WHERE id = $1")
        .bind(organization_id)
        .execute(&mut **transaction)
        .await?;
    let sql = "SELECT id FROM projects WHERE organization_id = $1 AND name = $2 AND id <> $3";
    let query = sqlx::query(sql).bind(organization_id).bind(name).bind(id);
    let Some(row) = query.fetch_optional(&mut **transaction).await? else { return Ok(()) };
    let taken: String = row.try_get("id")?;
    Err(StorageError::Exists(format!(
        "the organization already has a project `{name}`, {taken}; choose another name, or change that project"
    )))
}
