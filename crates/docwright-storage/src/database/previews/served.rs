//! Data of each preview for serving. Its active release is listed with those of domains.

use docwright_types::{
    export_job::StoredBundle,
    preview::{PreviewEnd, PreviewState},
};
use sqlx::{AssertSqlSafe, Row, any::AnyRow};

use crate::{
    StorageError,
    database::{
        Database,
        leases::{HELD, Lease},
    },
};

/// The active release of a domain of a preview's project, preferably of the target branch of its pull request.
macro_rules! active {
    () => {
        "(SELECT release_id FROM (SELECT active_release_id AS release_id, sites.domain AS domain, \
         CASE sites.branch WHEN previews.base THEN 0 WHEN '' THEN 1 ELSE 2 END AS place FROM sites \
         WHERE sites.project_id = previews.project_id AND active_release_id IS NOT NULL \
         AND NOT EXISTS (SELECT 1 FROM previews AS other WHERE other.site_id = sites.id)) AS shown \
         ORDER BY place, domain LIMIT 1)"
    };
}

/// The release that a preview is compared with: the one that its commit is based on, so that later changes of the
/// target branch don't count as its own. Without one, it is the active release.
pub(in crate::database) const BASE: &str = concat!(
    "COALESCE((SELECT based_on.id FROM releases AS based_on WHERE based_on.id = previews.base_release_id \
     AND based_on.bundle_key IS NOT NULL), ",
    active!(),
    ")"
);

/// Releases that a preview's commit can be based on: the newest of a site.
const COMPARED: i64 = 200;

/// A preview as it is served.
#[derive(Clone, PartialEq, Eq)]
pub struct ServedPreview {
    /// Its host.
    pub host: String,
    /// Its id.
    pub id: String,
    /// Whether it is served.
    pub state: PreviewState,
    /// Why it is closed.
    pub end: Option<PreviewEnd>,
    /// Number and title of its pull request.
    pub pull_request: Option<(i64, String)>,
    /// The branch.
    pub branch: String,
    /// Name of its project.
    pub project: String,
    /// Hash of its password.
    pub password: Option<String>,
    /// The bundle that it is compared with.
    pub base: Option<StoredBundle>,
}

impl std::fmt::Debug for ServedPreview {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut shown = formatter.debug_struct("ServedPreview");
        shown.field("id", &self.id).field("state", &self.state).finish_non_exhaustive()
    }
}

impl Database {
    /// Whether a host belongs to a preview, so it can't be a domain.
    pub async fn has_preview_host(&self, host: &str) -> Result<bool, StorageError> {
        let sql = "SELECT 1 FROM previews WHERE host = $1";
        Ok(sqlx::query(sql).bind(host).fetch_optional(&self.pool).await?.is_some())
    }

    /// Every preview, open or closed. Closed previews have no comparison.
    pub async fn served_previews(&self) -> Result<Vec<ServedPreview>, StorageError> {
        let sql = format!(
            "SELECT host, previews.id, state, closed_because, pull_request, title, previews.branch, projects.name AS project, \
             preview_password, bundle_key, bundle_size, bundle_sha256, commit_sha FROM previews \
             JOIN projects ON projects.id = previews.project_id \
             LEFT JOIN releases ON previews.state = 'open' AND bundle_key IS NOT NULL AND releases.id = {BASE} \
             ORDER BY host"
        );
        sqlx::query(AssertSqlSafe(sql)).fetch_all(&self.pool).await?.iter().map(read).collect()
    }

    /// The newest ready releases of the site that a preview changes, as commit and id, the newest first.
    pub async fn bases_of_preview(&self, id: &str) -> Result<Vec<(String, String)>, StorageError> {
        let sql = format!(
            "SELECT releases.commit_sha, releases.id FROM previews JOIN releases AS active ON active.id = {} \
             JOIN releases ON releases.site_id = active.site_id WHERE previews.id = $1 AND releases.status = 'ready' \
             AND releases.servable = 1 AND releases.bundle_key IS NOT NULL AND releases.commit_sha IS NOT NULL \
             ORDER BY releases.head_sequence DESC, releases.id DESC LIMIT {COMPARED}",
            active!()
        );
        let rows = sqlx::query(AssertSqlSafe(sql)).bind(id).fetch_all(&self.pool).await?;
        rows.iter().map(|row| Ok((row.try_get("commit_sha")?, row.try_get("id")?))).collect()
    }

    /// Records the release that the commit of a preview's claimed release is based on, if there is one.
    pub async fn record_base_of_preview(
        &self,
        lease: &Lease,
        base_id: Option<&str>,
    ) -> Result<(), StorageError> {
        let sql = format!(
            "UPDATE previews SET base_release_id = $1 WHERE site_id = (SELECT site_id FROM releases WHERE {HELD})"
        );
        let query = sqlx::query(AssertSqlSafe(sql)).bind(base_id).bind(&lease.id);
        query.bind(lease.number).execute(&self.pool).await?;
        Ok(())
    }

    /// Id of the release that a preview is compared with; `None` while no domain serves one.
    pub async fn base_of_preview(&self, id: &str) -> Result<Option<String>, StorageError> {
        let sql = format!("SELECT {BASE} AS base_release FROM previews WHERE id = $1");
        let row = sqlx::query(AssertSqlSafe(sql)).bind(id).fetch_optional(&self.pool).await?;
        Ok(row.map(|row| row.try_get("base_release")).transpose()?.flatten())
    }
}

fn read(row: &AnyRow) -> Result<ServedPreview, StorageError> {
    let state: String = row.try_get("state")?;
    let end: Option<String> = row.try_get("closed_because")?;
    let number: Option<i64> = row.try_get("pull_request")?;
    let title: Option<String> = row.try_get("title")?;
    let base = match row.try_get::<Option<String>, _>("bundle_key")? {
        Some(key) => Some(StoredBundle {
            key,
            size: row.try_get("bundle_size")?,
            sha256: row.try_get("bundle_sha256")?,
            commit: row.try_get("commit_sha")?,
        }),
        None => None,
    };
    Ok(ServedPreview {
        host: row.try_get("host")?,
        id: row.try_get("id")?,
        state: state.parse().map_err(StorageError::Value)?,
        end: end.map(|end| end.parse()).transpose().map_err(StorageError::Value)?,
        pull_request: number.map(|number| (number, title.unwrap_or_default())),
        branch: row.try_get("branch")?,
        project: row.try_get("project")?,
        password: row.try_get("preview_password")?,
        base,
    })
}
