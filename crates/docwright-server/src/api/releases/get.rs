//! `GET /v1/releases/{releaseId}`.

use axum::{Json, extract::State};
use docwright_domain::{release::SiteConfiguration, timestamp::iso};
use serde::Serialize;
use utoipa::ToSchema;

use super::{Release, ReleasePath, find, project_of};
use crate::{
    api::{
        diagnostic::{Diagnostic, Found},
        web,
    },
    authorize::Reader,
    error::{ApiError, Error},
    parameters::Path,
    state::AppState,
};

/// A release, with what happened to it and what its build found.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ReleaseDetails {
    #[serde(flatten)]
    release: Release,
    /// Where its site is.
    #[schema(format = "uri", example = "https://docs.example.com")]
    address: Option<String>,
    /// The configuration that it was built with; null until it is built.
    configuration: Option<Configuration>,
    /// The release that took its place, where it was superseded or skipped.
    #[schema(example = json!(null))]
    replaced_by: Option<String>,
    /// What happened to it, oldest first.
    steps: Vec<Step>,
    /// The first 200 mistakes in files: new ones first, then those that readers notice.
    diagnostics: Vec<Diagnostic>,
    /// How many mistakes there are in all.
    #[schema(example = 1)]
    diagnostic_count: i64,
    /// How many of them the release before it did not have; null if that is not known.
    #[schema(example = 1)]
    new_diagnostic_count: Option<i64>,
    /// Why it could not be reported to the git host; null if it was, or if nobody asked for it.
    #[schema(example = json!(null))]
    report_error: Option<String>,
}

/// The configuration of a site.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = SiteConfiguration)]
pub(crate) struct Configuration {
    /// Its file, below the root of the repository.
    #[schema(example = "docs/docs.json")]
    path: String,
    /// The name that it gives the site.
    #[schema(example = "Acme")]
    name: String,
    /// Its theme.
    #[schema(example = "mint")]
    theme: String,
}

/// Something that happened to a release.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Step {
    /// When.
    #[schema(format = DateTime)]
    at: String,
    /// What.
    #[schema(example = "8f2c1e0b9a7d is checked out")]
    text: String,
}

/// Get a release
///
/// With the steps of its build, and the mistakes that it found.
#[utoipa::path(
    get,
    path = "/v1/releases/{releaseId}",
    tag = "Releases",
    operation_id = "getRelease",
    params(ReleasePath),
    responses(
        (status = 200, description = "The release", body = ReleaseDetails),
        (status = 404, description = "There is no such release", body = Error),
    ),
)]
pub(crate) async fn get(
    State(app): State<AppState>,
    caller: Reader,
    Path(ReleasePath { release_id }): Path<ReleasePath>,
) -> Result<Json<ReleaseDetails>, ApiError> {
    let release = find(&app, &caller, &release_id).await?;
    let database = &app.database;
    let site = database.site(&release.site_id).await?;
    let address = site.as_ref().and_then(|site| app.site_address(&site.domain));
    let active = site.map(|site| site.active_release_id);
    let is_active = active.flatten().as_deref() == Some(&release.id);
    let project = project_of(&app, &release).await?;
    let web = web::of_project(&app, &project);
    let new = database.new_findings(&release.id).await?;
    let Found { diagnostics, count, new } = Found::by(&app, &release, new, web.as_ref()).await?;
    let configuration = database.configuration_of(&release.id).await?;
    let steps = database.release_log(&release.id).await?;
    let steps = steps.into_iter().map(|(at, text)| Step { at: iso(at), text });
    Ok(Json(ReleaseDetails {
        address,
        configuration: configuration.map(|SiteConfiguration { path, name, theme }| Configuration {
            path,
            name,
            theme,
        }),
        replaced_by: release.replaced_by.clone(),
        steps: steps.collect(),
        diagnostics,
        diagnostic_count: count,
        new_diagnostic_count: new,
        report_error: database.report(&release.id).await?.and_then(|report| report.error),
        release: Release::of(release, is_active, web.as_ref()),
    }))
}
