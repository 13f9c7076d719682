//! Previews: sites of pull requests and branches. [`sync`] and [`of_branch`] open and close them, [`served`]
//! describes them for serving, and [`report`] for comments on pull requests.

mod end;
mod of_branch;
mod report;
mod served;
mod sync;

use docwright_types::{
    preview::{Preview, PreviewAddresses, PreviewName, PreviewSource, PreviewState},
    release::Trigger,
    timestamp::Timestamp,
};
use sqlx::{Any, AssertSqlSafe, Row, Transaction, any::AnyRow};

use super::{
    Database,
    lists::{Order, PageRequest, Rows, text},
    new_id,
    releases::{NewRelease, request},
};
use crate::StorageError;

pub use of_branch::{PreviewOfBranch, StartedPreview};
pub use report::PreviewReport;
pub(in crate::database) use served::BASE;
pub use served::ServedPreview;
pub use sync::{PreviewSync, WantedPreview};

const COLUMNS: &str = "previews.id, previews.project_id, previews.site_id, pull_request, title, previews.branch, base, git_ref, \
     fork, is_fork, head, host, comment_id, state, closed_because, previews.created_at, changed_at, closed_at";

impl Database {
    /// The preview of an id, if a project has it.
    pub async fn preview(
        &self,
        project_id: &str,
        id: &str,
    ) -> Result<Option<Preview>, StorageError> {
        let sql = format!("SELECT {COLUMNS} FROM previews WHERE id = $1 AND project_id = $2");
        let query = sqlx::query(AssertSqlSafe(sql)).bind(id).bind(project_id);
        query.fetch_optional(&self.pool).await?.as_ref().map(read).transpose()
    }

    /// The preview at a host, open or closed.
    pub async fn preview_at(&self, host: &str) -> Result<Option<Preview>, StorageError> {
        let sql = format!("SELECT {COLUMNS} FROM previews WHERE host = $1");
        let query = sqlx::query(AssertSqlSafe(sql)).bind(host);
        query.fetch_optional(&self.pool).await?.as_ref().map(read).transpose()
    }

    /// The preview of a site; `None` if the site is of a domain.
    pub async fn preview_of_site(&self, site_id: &str) -> Result<Option<Preview>, StorageError> {
        let sql = format!("SELECT {COLUMNS} FROM previews WHERE site_id = $1");
        let query = sqlx::query(AssertSqlSafe(sql)).bind(site_id);
        query.fetch_optional(&self.pool).await?.as_ref().map(read).transpose()
    }

    /// The preview of a pull request.
    pub async fn preview_of_pull_request(
        &self,
        project_id: &str,
        number: i64,
    ) -> Result<Option<Preview>, StorageError> {
        let sql =
            format!("SELECT {COLUMNS} FROM previews WHERE project_id = $1 AND pull_request = $2");
        let query = sqlx::query(AssertSqlSafe(sql)).bind(project_id).bind(number);
        query.fetch_optional(&self.pool).await?.as_ref().map(read).transpose()
    }

    /// Previews of a project, newest first, searched by a part of the branch or the title. `state` filters them.
    pub async fn previews(
        &self,
        project_id: &str,
        state: Option<PreviewState>,
        page: PageRequest<'_>,
    ) -> Result<Vec<Preview>, StorageError> {
        const BRANCH: &str = text!("branch");
        const TITLE: &str = text!("title");
        let select = format!("SELECT {COLUMNS} FROM previews");
        let rows = Rows::all()
            .with("project_id", Some(project_id))
            .with("state", state.map(PreviewState::name))
            .containing_one(&[BRANCH, TITLE], page);
        rows.read(&self.pool, &select, Order::grouped(BRANCH, "id", page), page, read).await
    }

    /// Whether a project has a preview of a pull request that is open.
    pub async fn has_open_previews(&self, project_id: &str) -> Result<bool, StorageError> {
        let sql = "SELECT 1 FROM previews WHERE project_id = $1 AND pull_request IS NOT NULL AND state = 'open' LIMIT 1";
        let row = sqlx::query(sql).bind(project_id).fetch_optional(&self.pool).await?;
        Ok(row.is_some())
    }

    /// Sets the password of a project's previews, given as its hash; `None` removes it. Returns whether there is
    /// such a project.
    pub async fn set_preview_password(
        &self,
        project_id: &str,
        hash: Option<&str>,
    ) -> Result<bool, StorageError> {
        let mut transaction = self.begin().await?;
        let query = sqlx::query("UPDATE projects SET preview_password = $1 WHERE id = $2");
        let query = query.bind(hash).bind(project_id);
        let found = query.execute(&mut *transaction).await?.rows_affected() == 1;
        if found {
            self.record_change(&mut transaction, project_id).await?;
        }
        self.commit_serving(transaction, found).await?;
        Ok(found)
    }

    /// Whether previews of a project need a password.
    pub async fn has_preview_password(&self, project_id: &str) -> Result<bool, StorageError> {
        let sql = "SELECT 1 FROM projects WHERE id = $1 AND preview_password IS NOT NULL";
        let row = sqlx::query(sql).bind(project_id).fetch_optional(&self.pool).await?;
        Ok(row.is_some())
    }
}

/// The source of a preview.
struct NewPreview<'a> {
    project_id: &'a str,
    pull_request: Option<i64>,
    title: Option<&'a str>,
    branch: &'a str,
    base: &'a str,
    source: &'a PreviewSource,
    head: Option<&'a str>,
}

impl NewPreview<'_> {
    /// The branch name of its site. Heads of a fork's branch are distinguished from a branch of the same name by a
    /// character that no branch name has.
    fn site_branch(&self) -> String {
        match (&self.source.fork, self.pull_request) {
            (Some(_), Some(number)) => format!("fork:{number}"),
            _ => self.source.git_ref.clone(),
        }
    }
}

/// Opens a preview with a site, at an unguessable host. Returns the id of the site.
async fn open(
    transaction: &mut Transaction<'_, Any>,
    new: &NewPreview<'_>,
    addresses: &PreviewAddresses,
    now: Timestamp,
) -> Result<String, StorageError> {
    let name = PreviewName::generate().map_err(|error| StorageError::Random(error.to_string()))?;
    let host = addresses.host(&name);
    let site_id = new_id("site");
    sqlx::query(
        "INSERT INTO sites (id, project_id, branch, domain, activates_from, created_at) VALUES ($1, $2, $3, $4, 0, $5)",
    )
    .bind(&site_id)
    .bind(new.project_id)
    .bind(new.site_branch())
    .bind(&host)
    .bind(now)
    .execute(&mut **transaction)
    .await?;
    sqlx::query(
        "INSERT INTO previews (id, project_id, site_id, pull_request, title, branch, base, git_ref, fork, is_fork, head, \
         host, state, created_at, changed_at) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, 'open', $13, $13)",
    )
    .bind(new_id("prv"))
    .bind(new.project_id)
    .bind(&site_id)
    .bind(new.pull_request)
    .bind(new.title)
    .bind(new.branch)
    .bind(new.base)
    .bind(&new.source.git_ref)
    .bind(new.source.fork.as_deref())
    .bind(i64::from(new.source.is_fork))
    .bind(new.head)
    .bind(host)
    .bind(now)
    .execute(&mut **transaction)
    .await?;
    Ok(site_id)
}

/// Updates the data of a preview, and opens it if it is closed.
async fn refresh(
    transaction: &mut Transaction<'_, Any>,
    site_id: &str,
    new: &NewPreview<'_>,
    now: Timestamp,
) -> Result<(), StorageError> {
    sqlx::query(
        "UPDATE previews SET title = $1, branch = $2, base = $3, git_ref = $4, fork = $5, is_fork = $6, head = $7, \
         state = 'open', closed_because = NULL, closed_at = NULL, changed_at = $8 WHERE site_id = $9",
    )
    .bind(new.title)
    .bind(new.branch)
    .bind(new.base)
    .bind(&new.source.git_ref)
    .bind(new.source.fork.as_deref())
    .bind(i64::from(new.source.is_fork))
    .bind(new.head)
    .bind(now)
    .bind(site_id)
    .execute(&mut **transaction)
    .await?;
    let query = sqlx::query("UPDATE sites SET branch = $1 WHERE id = $2").bind(new.site_branch());
    query.bind(site_id).execute(&mut **transaction).await?;
    Ok(())
}

/// Requests a release of a preview's site.
async fn request_release(
    transaction: &mut Transaction<'_, Any>,
    (site_id, update_id): (&str, Option<&str>),
    now: Timestamp,
) -> Result<(), StorageError> {
    let new = NewRelease::of_site(site_id, update_id, Trigger::Preview);
    request(transaction, new, now).await.map(drop)
}

fn read(row: &AnyRow) -> Result<Preview, StorageError> {
    let state: String = row.try_get("state")?;
    let end: Option<String> = row.try_get("closed_because")?;
    Ok(Preview {
        id: row.try_get("id")?,
        project_id: row.try_get("project_id")?,
        site_id: row.try_get("site_id")?,
        pull_request: row.try_get("pull_request")?,
        title: row.try_get("title")?,
        branch: row.try_get("branch")?,
        base: row.try_get("base")?,
        source: PreviewSource {
            git_ref: row.try_get("git_ref")?,
            fork: row.try_get("fork")?,
            is_fork: row.try_get::<i64, _>("is_fork")? != 0,
        },
        head: row.try_get("head")?,
        host: row.try_get("host")?,
        comment_id: row.try_get("comment_id")?,
        state: state.parse().map_err(StorageError::Value)?,
        end: end.map(|end| end.parse()).transpose().map_err(StorageError::Value)?,
        created_at: row.try_get("created_at")?,
        changed_at: row.try_get("changed_at")?,
        closed_at: row.try_get("closed_at")?,
    })
}
