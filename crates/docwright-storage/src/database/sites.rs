//! Sites, and the recorded heads of branches.

use std::collections::HashMap;

use docwright_types::{
    domain_address::DomainAddress, release::Trigger, site::Site, timestamp::Timestamp,
};
use sqlx::{Any, AssertSqlSafe, Row, Transaction, any::AnyRow};

use super::{
    Database, Limited, RequestLimit, idempotency, new_id,
    releases::{NewRelease, request},
    retention::placeholders,
};
use crate::StorageError;

/// Position of the last recorded head of a branch; 0 if there is none.
const LAST_PLACE: &str = "SELECT COALESCE(MAX(sequence), 0) AS last FROM branch_heads WHERE project_id = $1 AND branch = $2";

/// Result of recording a head.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HeadUpdate {
    /// The branch has it for the first time; releases were requested.
    New,
    /// The branch had it before.
    Same,
    /// Another head was recorded since the poll: poll again.
    Outdated,
}

/// Result of requesting an update of a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Requested {
    /// The id of the update, new or that of the same earlier request.
    Update(String),
    /// The project has no site to update.
    NoSite,
    /// The idempotency key was used for another request.
    Conflict,
}

/// A site of a domain.
pub(super) const NO_PREVIEW: &str =
    "NOT EXISTS (SELECT 1 FROM previews WHERE previews.site_id = sites.id)";

const COLUMNS: &str =
    "sites.id, sites.project_id, sites.branch, sites.domain, sites.active_release_id";

impl Database {
    /// The site that a domain serves.
    pub async fn site_of_domain(&self, name: &DomainAddress) -> Result<Option<Site>, StorageError> {
        let sql = format!(
            "SELECT {COLUMNS} FROM sites JOIN domains ON domains.project_id = sites.project_id \
             AND domains.branch = sites.branch AND sites.domain = domains.name WHERE domains.name = $1"
        );
        let query = sqlx::query(AssertSqlSafe(sql)).bind(name.as_str());
        query.fetch_optional(&self.pool).await?.as_ref().map(read).transpose()
    }

    /// The site of an id.
    pub async fn site(&self, id: &str) -> Result<Option<Site>, StorageError> {
        let sql = format!("SELECT {COLUMNS} FROM sites WHERE id = $1");
        let query = sqlx::query(AssertSqlSafe(sql)).bind(id);
        query.fetch_optional(&self.pool).await?.as_ref().map(read).transpose()
    }

    /// The sites of a project's domains, by domain. Sites of previews are left out.
    pub async fn sites(&self, project_id: &str) -> Result<Vec<Site>, StorageError> {
        let sql = format!(
            "SELECT {COLUMNS} FROM sites WHERE project_id = $1 AND {NO_PREVIEW} ORDER BY domain"
        );
        let query = sqlx::query(AssertSqlSafe(sql)).bind(project_id);
        query.fetch_all(&self.pool).await?.iter().map(read).collect()
    }

    /// The sites of some ids, by id.
    pub async fn sites_among(&self, ids: &[&str]) -> Result<HashMap<String, Site>, StorageError> {
        if ids.is_empty() {
            return Ok(HashMap::new());
        }
        let list = placeholders(1, ids.len());
        let sql = format!("SELECT {COLUMNS} FROM sites WHERE id IN ({list})");
        let mut query = sqlx::query(AssertSqlSafe(sql));
        for id in ids {
            query = query.bind(*id);
        }
        let rows = query.fetch_all(&self.pool).await?;
        rows.iter().map(|row| read(row).map(|site| (site.id.clone(), site))).collect()
    }

    /// Requests a release of every site of a project, or of one. `idempotency` is the requesting organization, its
    /// key, and a fingerprint of the request.
    pub async fn request_update(
        &self,
        project_id: &str,
        site_id: Option<&str>,
        trigger: Trigger,
        idempotency: Option<(&str, &str, &str)>,
        now: Timestamp,
    ) -> Result<Requested, StorageError> {
        let mut sites = self.sites(project_id).await?;
        if let Some(id) = site_id {
            sites.retain(|site| site.id == id);
        }
        if sites.is_empty() {
            return Ok(Requested::NoSite);
        }
        let (mut transaction, update) =
            match self.begin_update(project_id, idempotency, now).await? {
                UpdateStart::Anew(transaction, update) => (transaction, update),
                UpdateStart::Before(requested) => return Ok(requested),
            };
        request_each(&mut transaction, &sites, (&update, trigger), now).await?;
        self.record_change(&mut transaction, &update).await?;
        transaction.commit().await?;
        Ok(Requested::Update(update))
    }

    /// The same for the API, of every site, limited by [`RequestLimit::UPDATES`]. Refused and repeated requests
    /// use nothing up.
    pub async fn request_limited_update(
        &self,
        project_id: &str,
        idempotency: Option<(&str, &str, &str)>,
        now: Timestamp,
    ) -> Result<Limited<Requested>, StorageError> {
        let limit = RequestLimit::UPDATES;
        let sites = self.sites(project_id).await?;
        if sites.is_empty() {
            let mut transaction = self.begin().await?;
            let allowance = self.allowance(&mut transaction, project_id, limit).await?;
            return Ok(Limited::Taken(Requested::NoSite, allowance));
        }
        let (mut transaction, update) =
            match self.begin_update(project_id, idempotency, now).await? {
                UpdateStart::Anew(transaction, update) => (transaction, update),
                UpdateStart::Before(requested) => {
                    let mut transaction = self.begin().await?;
                    let allowance = self.allowance(&mut transaction, project_id, limit).await?;
                    return Ok(Limited::Taken(requested, allowance));
                }
            };
        let allowance = match self.count_request(&mut transaction, project_id, limit).await? {
            Limited::Taken((), allowance) => allowance,
            Limited::Refused(allowance) => return Ok(Limited::Refused(allowance)),
        };
        request_each(&mut transaction, &sites, (&update, Trigger::Api), now).await?;
        self.record_change(&mut transaction, &update).await?;
        transaction.commit().await?;
        Ok(Limited::Taken(Requested::Update(update), allowance))
    }

    /// Starts an update with its own id under the project's lock, unless the same request did before.
    pub(super) async fn begin_update(
        &self,
        project_id: &str,
        idempotency: Option<(&str, &str, &str)>,
        now: Timestamp,
    ) -> Result<UpdateStart, StorageError> {
        let update = new_id("upd");
        let mut transaction = self.begin().await?;
        lock_project(&mut transaction, project_id).await?;
        if let Some((organization, key, fingerprint)) = idempotency {
            let claimed =
                idempotency::claim(&mut transaction, organization, key, fingerprint, &update, now);
            if !claimed.await? {
                transaction.rollback().await?;
                return Ok(UpdateStart::Before(
                    match self.used_idempotency(organization, key).await? {
                        Some((first, update)) if first == fingerprint => Requested::Update(update),
                        _ => Requested::Conflict,
                    },
                ));
            }
        }
        self.require_storage_in(&mut *transaction, project_id).await?;
        Ok(UpdateStart::Anew(transaction, update))
    }

    /// Records a head of a branch. If the branch has it for the first time, requests a release of each of its
    /// domains' sites. `default` says whether it is the repository's default branch.
    pub async fn record_pushed_head(
        &self,
        project_id: &str,
        (branch, default): (&str, bool),
        (commit, trigger): (&str, Trigger),
        now: Timestamp,
    ) -> Result<bool, StorageError> {
        let mut transaction = self.begin().await?;
        let moved = record_pushed_head(
            &mut transaction,
            project_id,
            (branch, default),
            (commit, trigger),
            now,
        );
        let moved = moved.await?;
        transaction.commit().await?;
        Ok(moved)
    }

    /// Like [`Self::record_pushed_head`], for a poll of the branch of a site. `seen_position` is the position that
    /// [`Self::last_head_position`] returned before.
    pub async fn record_polled_head(
        &self,
        site: &Site,
        (branch, commit): (&str, &str),
        seen_position: i64,
        now: Timestamp,
    ) -> Result<HeadUpdate, StorageError> {
        let mut transaction = self.begin().await?;
        lock_project(&mut transaction, &site.project_id).await?;
        let key = (site.project_id.as_str(), site.branch.as_deref().unwrap_or_default());
        if has_moved(&mut transaction, key, Some(commit), seen_position).await? {
            return Ok(HeadUpdate::Outdated);
        }
        let (named, found) = ((branch, site.branch.is_none()), (commit, Trigger::Poll));
        let moved =
            record_pushed_head(&mut transaction, &site.project_id, named, found, now).await?;
        transaction.commit().await?;
        Ok(if moved { HeadUpdate::New } else { HeadUpdate::Same })
    }

    /// The last recorded commit of a branch; `None` means the default branch.
    pub async fn last_head(
        &self,
        project_id: &str,
        branch: Option<&str>,
    ) -> Result<Option<String>, StorageError> {
        let sql = "SELECT commit_sha FROM branch_heads WHERE project_id = $1 AND branch = $2 \
             ORDER BY sequence DESC LIMIT 1";
        let query = sqlx::query(sql).bind(project_id).bind(branch.unwrap_or_default());
        match query.fetch_optional(&self.pool).await? {
            Some(row) => Ok(row.try_get("commit_sha")?),
            None => Ok(None),
        }
    }

    /// Position of the last recorded head of a site's branch; 0 if there is none.
    pub async fn last_head_position(&self, site: &Site) -> Result<i64, StorageError> {
        let branch = site.branch.as_deref().unwrap_or_default();
        let query = sqlx::query(LAST_PLACE).bind(&site.project_id).bind(branch);
        Ok(query.fetch_one(&self.pool).await?.try_get("last")?)
    }
}

/// The start of a request for an update.
pub(super) enum UpdateStart {
    /// A transaction that holds the project's lock, and the id of the update.
    Anew(Transaction<'static, Any>, String),
    /// The same request was made before, or its idempotency key was used for another one.
    Before(Requested),
}

async fn request_each(
    transaction: &mut Transaction<'_, Any>,
    sites: &[Site],
    (update, trigger): (&str, Trigger),
    now: Timestamp,
) -> Result<(), StorageError> {
    for site in sites {
        let new = NewRelease::of_site(&site.id, Some(update), trigger);
        request(transaction, new, now).await?;
    }
    Ok(())
}

/// Requests a release of each site of a project, since its settings changed.
pub(super) async fn request_of_project(
    transaction: &mut Transaction<'_, Any>,
    project_id: &str,
    now: Timestamp,
) -> Result<(), StorageError> {
    let sql = format!("SELECT id FROM sites WHERE project_id = $1 AND {NO_PREVIEW} ORDER BY id");
    let query = sqlx::query(AssertSqlSafe(sql)).bind(project_id);
    for row in query.fetch_all(&mut **transaction).await? {
        let site_id: String = row.try_get("id")?;
        request(transaction, NewRelease::of_site(&site_id, None, Trigger::Manual), now).await?;
    }
    Ok(())
}

/// Creates the site of a domain if it is missing.
pub(super) async fn create_site(
    transaction: &mut Transaction<'_, Any>,
    project_id: &str,
    (branch, domain): (&str, &DomainAddress),
    now: Timestamp,
) -> Result<(), StorageError> {
    sqlx::query(
        "INSERT INTO sites (id, project_id, branch, domain, activates_from, created_at) \
         VALUES ($1, $2, $3, $4, 0, $5) ON CONFLICT DO NOTHING",
    )
    .bind(new_id("site"))
    .bind(project_id)
    .bind(branch)
    .bind(domain.as_str())
    .bind(now)
    .execute(&mut **transaction)
    .await?;
    Ok(())
}

/// Changes the branch of a site, under the project's lock. Its releases so far precede every head of that branch;
/// unbuilt releases are built from it.
pub(super) async fn change_branch(
    transaction: &mut Transaction<'_, Any>,
    site_id: &str,
    branch: &str,
    now: Timestamp,
) -> Result<(), StorageError> {
    for sql in [
        "UPDATE releases SET status = 'queued', lease_expires_at = NULL, head_sequence = NULL \
         WHERE site_id = $1 AND status IN ('queued', 'building') AND bundle_lost_at IS NULL",
        "UPDATE releases SET held_errors = NULL WHERE site_id = $1 AND held_errors IS NOT NULL",
        "UPDATE releases SET head_sequence = head_sequence - 1 - (SELECT MAX(head_sequence) FROM releases WHERE site_id = $1) \
         WHERE site_id = $1 AND head_sequence >= 0",
    ] {
        sqlx::query(sql).bind(site_id).execute(&mut **transaction).await?;
    }
    let sql = "UPDATE sites SET branch = $1, activates_from = 0 WHERE id = $2";
    sqlx::query(sql).bind(branch).bind(site_id).execute(&mut **transaction).await?;
    let new = NewRelease::of_site(site_id, None, Trigger::Manual);
    request(transaction, new, now).await.map(drop)
}

/// A write to the project comes first where an order matters, so of simultaneous transactions one continues and
/// the others wait, on SQLite and on `PostgreSQL`.
pub(super) async fn lock_project(
    transaction: &mut Transaction<'_, Any>,
    project_id: &str,
) -> Result<(), StorageError> {
    let query = sqlx::query("UPDATE projects SET name = name WHERE id = $1").bind(project_id);
    query.execute(&mut **transaction).await?;
    Ok(())
}

/// Locks the project of a release.
pub(super) async fn lock_project_of(
    transaction: &mut Transaction<'_, Any>,
    release_id: &str,
) -> Result<(), StorageError> {
    let sql = "UPDATE projects SET name = name WHERE id = (SELECT project_id FROM releases WHERE id = $1)";
    sqlx::query(sql).bind(release_id).execute(&mut **transaction).await?;
    Ok(())
}

/// Records a head of a branch under the project's lock and returns its position. The last head keeps its position;
/// a head without commit is always new.
pub(super) async fn record_head(
    transaction: &mut Transaction<'_, Any>,
    (project_id, branch): (&str, &str),
    commit: Option<&str>,
    now: Timestamp,
) -> Result<i64, StorageError> {
    let sql = "SELECT sequence, commit_sha FROM branch_heads WHERE project_id = $1 AND branch = $2 \
         ORDER BY sequence DESC LIMIT 1";
    let query = sqlx::query(sql).bind(project_id).bind(branch);
    let last = query.fetch_optional(&mut **transaction).await?;
    let mut sequence = 1;
    if let Some(last) = last {
        let known: Option<String> = last.try_get("commit_sha")?;
        sequence = last.try_get("sequence")?;
        if commit.is_some() && known.as_deref() == commit {
            return Ok(sequence);
        }
        sequence += 1;
    }
    sqlx::query(
        "INSERT INTO branch_heads (project_id, branch, sequence, commit_sha, seen_at) VALUES ($1, $2, $3, $4, $5)",
    )
    .bind(project_id)
    .bind(branch)
    .bind(sequence)
    .bind(commit)
    .bind(now)
    .execute(&mut **transaction)
    .await?;
    Ok(sequence)
}

/// Whether a branch got another head than a commit after a position. Then it isn't known which of the two is
/// newer. A branch without a commit is always polled again.
pub(super) async fn has_moved(
    transaction: &mut Transaction<'_, Any>,
    (project_id, branch): (&str, &str),
    commit: Option<&str>,
    place: i64,
) -> Result<bool, StorageError> {
    let sql = "SELECT commit_sha FROM branch_heads WHERE project_id = $1 AND branch = $2 AND sequence > $3 \
         ORDER BY sequence DESC LIMIT 1";
    let query = sqlx::query(sql).bind(project_id).bind(branch).bind(place);
    let Some(last) = query.fetch_optional(&mut **transaction).await? else { return Ok(false) };
    let last: Option<String> = last.try_get("commit_sha")?;
    Ok(commit.is_some() && last.as_deref() != commit)
}

/// See [`Database::record_pushed_head`].
pub(super) async fn record_pushed_head(
    transaction: &mut Transaction<'_, Any>,
    project_id: &str,
    (branch, default): (&str, bool),
    (commit, trigger): (&str, Trigger),
    now: Timestamp,
) -> Result<bool, StorageError> {
    lock_project(transaction, project_id).await?;
    let mut moved = false;
    // The default branch is recorded by its name and as the default branch.
    for key in [Some(branch), default.then_some("")].into_iter().flatten() {
        let query = sqlx::query(LAST_PLACE).bind(project_id).bind(key);
        let last: i64 = query.fetch_one(&mut **transaction).await?.try_get("last")?;
        if record_head(transaction, (project_id, key), Some(commit), now).await? == last {
            continue;
        }
        moved = true;
        let sql = format!(
            "SELECT id FROM sites WHERE project_id = $1 AND branch = $2 AND {NO_PREVIEW} ORDER BY id"
        );
        let query = sqlx::query(AssertSqlSafe(sql)).bind(project_id).bind(key);
        for row in query.fetch_all(&mut **transaction).await? {
            let site_id: String = row.try_get("id")?;
            request(transaction, NewRelease::of_site(&site_id, None, trigger), now).await?;
        }
    }
    Ok(moved)
}

fn read(row: &AnyRow) -> Result<Site, StorageError> {
    let branch: String = row.try_get("branch")?;
    Ok(Site {
        id: row.try_get("id")?,
        project_id: row.try_get("project_id")?,
        branch: Some(branch).filter(|branch| !branch.is_empty()),
        domain: row.try_get("domain")?,
        active_release_id: row.try_get("active_release_id")?,
    })
}
