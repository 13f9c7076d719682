//! Releases of projects.

mod cancel;
mod changes;
mod log;
mod waiting;

use docwright_repository::web::WebRepository;
use docwright_storage::database::{Project, Requested, release_position};
use docwright_types::{
    release::{self, ReleaseStatus, Trigger},
    site::Site,
    stored_diagnostic::NewDiagnostics,
    timestamp::iso,
};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::HashMap;
use utoipa::{IntoParams, ToSchema};

use crate::{
    Allowed, Caller, Listed, OperationError, Operations,
    audit::Change,
    callers::{no_domain, no_project},
    can,
    diagnostics::{Diagnostic, FoundDiagnostics},
    fields::SiteDomain,
    listed::Item,
    lists::{Page, Search},
    web,
};

pub use cancel::cancel;
pub use changes::{ChangedPage, ComparedWith, PageFate, ReleaseChanges, changes};
pub use log::log;
pub(crate) use waiting::waiting;

/// A release: one commit, built for one site.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Release {
    /// ID of the release.
    #[schema(example = "rel_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    pub id: String,
    /// Number of the release among those of the project, from 1 on.
    #[schema(minimum = 1, example = 12)]
    pub number: i64,
    /// ID of the project.
    #[schema(example = "prj_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    pub project_id: String,
    /// Domain of the site, with its base path, or hostname of the preview.
    #[schema(example = "docs.example.com")]
    pub domain: String,
    /// State of the release.
    #[schema(example = "ready")]
    pub status: ReleaseStatus,
    /// Whether the release is active.
    pub active: bool,
    /// Number of errors for which the release is held, since the active release doesn't have them;
    /// null if it isn't held.
    #[schema(minimum = 1, example = json!(null))]
    pub held_errors: Option<i64>,
    /// Commit of the release; null until it is known.
    #[schema(example = "8f2c1e0b9a7d6c5b4a39281706f5e4d3c2b1a098")]
    pub commit: Option<String>,
    /// URL of the commit on the git host, if known.
    #[schema(
        format = "uri",
        example = "https://github.com/acme/docs/commit/8f2c1e0b9a7d6c5b4a39281706f5e4d3c2b1a098"
    )]
    pub commit_url: Option<String>,
    /// Branch of the commit.
    #[schema(example = "main")]
    pub branch: Option<String>,
    /// First line of the commit message.
    #[schema(example = "Say how to install it")]
    pub message: Option<String>,
    /// Author of the commit.
    #[schema(example = "Ada Lovelace")]
    pub author: Option<String>,
    /// Number of files that the commit changed.
    #[schema(example = 3)]
    pub files_changed: Option<i64>,
    /// Whether it is a release of a whole site without a label. Only such a release can be
    /// activated.
    pub is_whole: bool,
    /// Label of the export that the release was built for.
    #[schema(example = "2026.11")]
    pub version: Option<String>,
    /// Why the release exists, such as `push`.
    #[schema(value_type = String, example = "push")]
    pub trigger: Trigger,
    /// Progress in percent. It never decreases.
    #[schema(minimum = 0, maximum = 100, example = 100)]
    pub progress: i64,
    /// Number of pages built so far.
    #[schema(example = 120)]
    pub pages: i64,
    /// Number of diagnostics in pages.
    #[schema(example = 1)]
    pub warnings: i64,
    /// Reason for the failure.
    #[schema(example = json!(null))]
    pub error: Option<String>,
    /// Time when the release was requested.
    #[schema(format = DateTime)]
    pub created_at: String,
    /// Time when the release finished.
    #[schema(format = DateTime)]
    pub ended_at: Option<String>,
}

/// A release, with its steps and diagnostics.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReleaseDetails {
    /// The release.
    #[serde(flatten)]
    pub release: Release,
    /// URL of the site.
    #[schema(format = "uri", example = "https://docs.example.com")]
    pub address: Option<String>,
    /// Configuration of the build; null until the release is built.
    pub configuration: Option<SiteConfiguration>,
    /// ID of the release that was active before this one, with which it is compared; null for the
    /// first release of a site.
    #[schema(example = "rel_0199a1b2c3d4e5f60718293a4b5c6d7d")]
    pub active_before: Option<String>,
    /// ID of the release that replaced a superseded or skipped release.
    #[schema(example = json!(null))]
    pub replaced_by: Option<String>,
    /// Steps of the release, oldest first.
    pub steps: Vec<Step>,
    /// The first 200 diagnostics in files: new ones first, then those that readers notice.
    pub diagnostics: Vec<Diagnostic>,
    /// Total number of diagnostics.
    #[schema(example = 1)]
    pub diagnostic_count: i64,
    /// Number of diagnostics that the release before it, `activeBefore`, didn't have; null if unknown.
    #[schema(example = 1)]
    pub new_diagnostic_count: Option<i64>,
    /// Reason why the report to the git host failed; null if it succeeded or none was requested.
    #[schema(example = json!(null))]
    pub report_error: Option<String>,
}

/// The configuration of a site.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct SiteConfiguration {
    /// Path of the configuration file, relative to the root of the repository.
    #[schema(example = "docs/docs.json")]
    pub path: String,
    /// Name of the site.
    #[schema(example = "Acme")]
    pub name: String,
    /// Theme of the site.
    #[schema(example = "mint")]
    pub theme: String,
}

/// A step of a release.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Step {
    /// Time of the step.
    #[schema(format = DateTime)]
    pub at: String,
    /// Description of the step.
    #[schema(example = "8f2c1e0b9a7d is checked out")]
    pub text: String,
}

/// Which releases to list.
#[derive(Debug, Default, Deserialize, Serialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ListReleases {
    /// Return only releases in this state.
    #[param(inline, value_type = ReleaseStatus, required = false)]
    pub status: Option<ReleaseStatus>,
    /// Return only releases with this number, with a commit that starts with this text, or whose
    /// commit message or author contains it, among the newest 2,000. A hash of a commit finds all.
    /// The case of ASCII letters is ignored.
    #[param(value_type = String, required = false, max_length = 200, pattern = r"^[^\x00]*$", example = "8f2c1e0")]
    pub search: Option<Search>,
}

/// Whose releases to list.
#[derive(Debug, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct DomainReleases {
    /// Domain as a bare hostname.
    #[param(inline)]
    pub domain: SiteDomain,
}

/// A release to build.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct CreateRelease {
    /// Domain as a bare hostname.
    pub domain: SiteDomain,
    /// Whether to build every page anew, without results of earlier builds, even if the latest commit
    /// has a release.
    #[serde(default)]
    pub without_cache: bool,
}

/// A requested release.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CreatedRelease {
    /// ID of the release.
    #[schema(example = "rel_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    pub id: String,
    /// ID of the update that includes the release. Use it to get the update's state.
    #[schema(example = "upd_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    pub update_id: String,
    /// State of the release.
    #[schema(value_type = String, example = "queued")]
    pub status: ReleaseStatus,
}

/// A page of releases, newest first.
pub type ReleaseList = Listed<Release>;

impl Item for Release {
    const LIST: &'static str = "ReleaseList";
    const FIELD: &'static str = "releases";
    const PAGE: &'static str = "A page of releases, newest first.";
}

/// Lists the releases of a project.
pub async fn list(
    operations: &Operations,
    caller: &Allowed<can::ListReleases>,
    project_id: &str,
    filter: &ListReleases,
    page: &Page,
) -> Result<ReleaseList, OperationError> {
    let project = caller.project(operations, project_id).await?;
    of_project(operations, &project, filter, page).await
}

/// Lists the releases of the project that has a domain.
pub async fn list_of_domain(
    operations: &Operations,
    caller: &Allowed<can::ListReleasesOfDomain>,
    SiteDomain(domain): &SiteDomain,
    filter: &ListReleases,
    page: &Page,
) -> Result<ReleaseList, OperationError> {
    let project = caller.project_of_domain(operations, domain).await?;
    of_project(operations, &project, filter, page).await
}

async fn of_project(
    operations: &Operations,
    project: &Project,
    filter: &ListReleases,
    page: &Page,
) -> Result<ReleaseList, OperationError> {
    let page = page.of(("releases", &project.id, filter))?;
    let wanted = page.searched(filter.search.as_ref());
    let read = operations.database.releases(&project.id, filter.status, wanted).await?;
    let sites = sites_of(operations, &read).await?;
    let web = web::of_project(operations, project);
    let position = |release: &release::Release| release_position(release, wanted);
    Ok(page.cut(read, position, |release| {
        let site = sites.get(&release.site_id);
        Release::of(release, site, web.as_ref())
    }))
}

/// The sites of some releases, by id.
async fn sites_of(
    operations: &Operations,
    releases: &[release::Release],
) -> Result<HashMap<String, Site>, OperationError> {
    let mut ids: Vec<_> = releases.iter().map(|release| release.site_id.as_str()).collect();
    ids.sort_unstable();
    ids.dedup();
    Ok(operations.database.sites_among(&ids).await?)
}

/// Releases of a project among which the newest one of a site is found. Others belong to previews.
const NEWEST: i64 = 10;

/// The newest release of the sites of a project, or the one that replaced it.
pub(crate) async fn newest_of_sites(
    operations: &Operations,
    project_id: &str,
) -> Result<Option<release::Release>, OperationError> {
    let database = &operations.database;
    let page = Page::new(Some(NEWEST), None)?;
    let page = page.of("releases")?;
    let releases = database.releases(project_id, None, page.of_all()).await?;
    let newest = releases.into_iter().find(|release| release.trigger != Trigger::Preview);
    // A release that another one replaced is in no state of its own.
    match newest.as_ref().and_then(|release| release.replaced_by.as_deref()) {
        Some(id) => Ok(database.release(id).await?.or(newest)),
        None => Ok(newest),
    }
}

/// Builds the latest commit of the branch of a domain.
pub async fn create(
    operations: &Operations,
    caller: &Allowed<can::CreateRelease>,
    input: CreateRelease,
) -> Result<CreatedRelease, OperationError> {
    let CreateRelease { domain: SiteDomain(domain), without_cache } = input;
    let project = caller.project_of_domain(operations, &domain).await?;
    operations.require_room().await?;
    let site = operations.database.site_of_domain(&domain).await?;
    let site = site.ok_or_else(|| no_domain(&domain))?;
    let change = Change::of("update.create", Some(&project.organization_id))
        .after(json!({ "projectId": project.id, "domain": domain.as_str(), "withoutCache": without_cache }));
    let database = caller.recording(operations, change);
    let (trigger, now) = (Trigger::Manual, operations.now());
    let update_id = if without_cache {
        database.request_rebuild(&site, trigger, now).await?
    } else {
        let of = Some(site.id.as_str());
        let requested = database.request_update(&project.id, of, trigger, None, now).await?;
        let Requested::Update(update_id) = requested else { return Err(no_domain(&domain)) };
        update_id
    };
    operations.wakes.releases.notify_one();
    let releases = operations.database.releases_of_update(&update_id).await?;
    let release = releases.into_iter().next().ok_or_else(|| no_domain(&domain))?;
    Ok(CreatedRelease { id: release.id, update_id, status: release.status })
}

/// Returns a release with its steps and diagnostics.
pub async fn get(
    operations: &Operations,
    caller: &Allowed<can::GetRelease>,
    id: &str,
) -> Result<ReleaseDetails, OperationError> {
    let release = find(operations, caller, id).await?;
    let database = &operations.database;
    let site = database.site(&release.site_id).await?;
    let address = site.as_ref().and_then(|site| operations.site_address(&site.domain));
    let project = project_of(operations, &release).await?;
    let web = web::of_project(operations, &project);
    let before = release_before(operations, &release).await?;
    let new = new_since(operations, &release, before.as_ref()).await?;
    let found = FoundDiagnostics::of(operations, &release, new, web.as_ref()).await?;
    let configuration = database.configuration_of(&release.id).await?;
    let steps = database.release_log(&release.id).await?;
    let steps = steps.into_iter().map(|(at, text)| Step { at: iso(at), text });
    Ok(ReleaseDetails {
        address,
        configuration: configuration.map(SiteConfiguration::from),
        active_before: before.map(|before| before.id),
        replaced_by: release.replaced_by.clone(),
        steps: steps.collect(),
        diagnostics: found.diagnostics,
        diagnostic_count: found.count,
        new_diagnostic_count: found.new,
        report_error: database.report(&release.id).await?.and_then(|report| report.error),
        release: Release::of(release, site.as_ref(), web.as_ref()),
    })
}

/// Activates a ready release of a whole site.
pub async fn activate(
    operations: &Operations,
    caller: &Allowed<can::ActivateRelease>,
    id: &str,
) -> Result<Release, OperationError> {
    let release = find(operations, caller, id).await?;
    if let Some(bundle) = &release.bundle
        && operations.lost_bundles.is_lost(&bundle.key).await?
    {
        return Err(OperationError::Conflict(format!(
            "The bundle of release {id} was lost and is being rebuilt. Activate the release when it is ready."
        )));
    }
    let site = operations.database.site(&release.site_id).await?;
    let active = site.and_then(|site| site.active_release_id);
    let change = Change::of("release.activate", Some(&release.organization_id))
        .before(json!({ "projectId": release.project_id, "activeReleaseId": active }))
        .after(json!({ "projectId": release.project_id, "activeReleaseId": release.id }));
    let database = caller.recording(operations, change);
    if !database.activate_release(&release.id, operations.now()).await? {
        return Err(OperationError::Conflict(format!(
            "Release {id} can't be activated. It isn't a ready release of a whole site, or retention removed it."
        )));
    }
    let release = find(operations, caller, id).await?;
    shown(operations, release).await
}

/// A release as callers get it.
async fn shown(
    operations: &Operations,
    release: release::Release,
) -> Result<Release, OperationError> {
    let site = operations.database.site(&release.site_id).await?;
    let project = project_of(operations, &release).await?;
    let web = web::of_project(operations, &project);
    Ok(Release::of(release, site.as_ref(), web.as_ref()))
}

/// The release that was active before another one: before it became active, or else when it became ready. For a
/// release that could never be active it is the ready one of an earlier head.
async fn release_before(
    operations: &Operations,
    release: &release::Release,
) -> Result<Option<release::Release>, OperationError> {
    let base = match release.base_id.as_deref().filter(|base| *base != release.id) {
        Some(base) => operations.database.release(base).await?,
        None => None,
    };
    Ok(match base {
        Some(base) => Some(base),
        None => operations.database.release_before(release).await?,
    })
}

/// The diagnostics that the release before one doesn't have. Those of a preview were found when it was built, since it
/// has a base of its own.
async fn new_since(
    operations: &Operations,
    release: &release::Release,
    before: Option<&release::Release>,
) -> Result<Option<NewDiagnostics>, OperationError> {
    let database = &operations.database;
    let before = before.filter(|_| release.trigger != Trigger::Preview);
    let Some(before) = before else { return Ok(database.new_diagnostics(&release.id).await?) };
    let known = database.diagnostics(&before.id).await?;
    let Some((known, now)) = known.zip(database.diagnostics(&release.id).await?) else {
        return Ok(None);
    };
    let first: Vec<_> = now.each_new_since(&known).into_iter().cloned().collect();
    Ok(Some(NewDiagnostics { count: i64::try_from(first.len()).unwrap_or(i64::MAX), first }))
}

impl Release {
    fn of(release: release::Release, site: Option<&Site>, web: Option<&WebRepository>) -> Self {
        let active = site.and_then(|site| site.active_release_id.as_deref());
        let is_active = active == Some(&release.id) && release.trigger != Trigger::Preview;
        let sha = release.commit.sha.as_deref();
        Self {
            commit_url: sha.and_then(|sha| Some(web?.commit(sha).into())),
            branch: release.commit.branch,
            files_changed: release.commit.files_changed,
            is_whole: release.servable,
            version: release.version,
            progress: release.progress,
            ended_at: release.ended_at.map(iso),
            id: release.id,
            number: release.number,
            project_id: release.project_id,
            domain: site.map(|site| site.domain.clone()).unwrap_or_default(),
            status: release.status,
            active: is_active,
            held_errors: release.held_errors,
            commit: release.commit.sha,
            message: release.commit.message,
            author: release.commit.author,
            trigger: release.trigger,
            pages: release.page_count,
            warnings: release.warning_count,
            error: release.error,
            created_at: iso(release.created_at),
        }
    }

    /// Whether it is queued or building.
    pub fn is_running(&self) -> bool {
        !self.status.is_final()
    }

    /// Whether someone canceled it.
    pub fn is_canceled(&self) -> bool {
        self.status == ReleaseStatus::Failed && self.error.as_deref() == Some(release::CANCELED)
    }

    /// Whether its bundle exists.
    pub fn is_ready(&self) -> bool {
        self.status == ReleaseStatus::Ready
    }

    /// Whether it belongs to a site of a domain, not of a preview.
    pub fn is_of_site(&self) -> bool {
        self.trigger != Trigger::Preview
    }
}

impl From<release::SiteConfiguration> for SiteConfiguration {
    fn from(release::SiteConfiguration { path, name, theme }: release::SiteConfiguration) -> Self {
        Self { path, name, theme }
    }
}

/// The project of a release.
async fn project_of(
    operations: &Operations,
    release: &release::Release,
) -> Result<Project, OperationError> {
    operations.database.project(&release.project_id).await?.ok_or_else(no_project)
}

/// The release with an ID, if the caller can access its project.
async fn find(
    operations: &Operations,
    caller: &Caller,
    id: &str,
) -> Result<release::Release, OperationError> {
    let release = operations.database.release(id).await?;
    let own = release.filter(|own| caller.reaches(&own.organization_id, &own.project_id));
    own.ok_or_else(|| OperationError::NotFound(format!("Release {id} not found.")))
}
