//! Cancels the build of a release, or builds the site of one anew.

use axum::{
    extract::{Path, State},
    http::StatusCode,
    response::Response,
};
use docwright_operations::{
    OperationError,
    fields::field,
    releases::{self, CreateRelease},
};

use super::{find, show};
use crate::{
    Dashboard, pages::diagnostics::DiagnosticFilter, project_context::ProjectContext,
    refusal::Refusal, words::Done,
};

pub(in crate::pages) async fn cancel(
    State(dashboard): State<Dashboard>,
    place: ProjectContext,
    Path((_, id)): Path<(String, String)>,
) -> Result<Response, Refusal> {
    let release = find(&dashboard, &place, &id).await?.release;
    let caller = place.of.caller.allowed()?;
    let here = place.path(&format!("releases/{}", release.id));
    match releases::cancel(&dashboard.operations, &caller, &id).await {
        Ok(_) => Ok(place.of.person.browser.done(Done::ReleaseCanceled, &here)),
        Err(error) => refused(&dashboard, &place, &id, error).await,
    }
}

/// Builds the latest commit of the site of a release without results of earlier builds.
pub(in crate::pages) async fn rebuild(
    State(dashboard): State<Dashboard>,
    place: ProjectContext,
    Path((_, id)): Path<(String, String)>,
) -> Result<Response, Refusal> {
    let release = find(&dashboard, &place, &id).await?.release;
    let caller = place.of.caller.allowed()?;
    let created = match field("domain", &release.domain) {
        Ok(domain) => {
            let input = CreateRelease { domain, without_cache: true };
            releases::create(&dashboard.operations, &caller, input).await
        }
        Err(error) => Err(error),
    };
    match created {
        Ok(created) => {
            let path = place.path(&format!("releases/{}", created.id));
            Ok(place.of.person.browser.done(Done::BuildStarted, &path))
        }
        Err(error) => refused(&dashboard, &place, &id, error).await,
    }
}

/// The page of the release, with the reason.
async fn refused(
    dashboard: &Dashboard,
    place: &ProjectContext,
    id: &str,
    error: OperationError,
) -> Result<Response, Refusal> {
    let sentence = Refusal::from(error).into_problem()?;
    let details = find(dashboard, place, id).await?;
    let filter = DiagnosticFilter::default();
    let body = show::body(dashboard, place, (&details, &filter), Some(&sentence));
    Ok(place.page_with(StatusCode::CONFLICT, "releases", &show::title(&details), &body))
}
