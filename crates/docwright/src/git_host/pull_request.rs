//! Pages and buttons of pull requests.

use axum::{
    extract::State,
    http::{StatusCode, header, request::Parts},
    response::{IntoResponse, Response},
};
use docwright_http::{error::ApiError, parameters::Path};
use docwright_operations::audit::Change;
use docwright_types::key::Scope;
use serde_json::json;
use tracing::Instrument;

use super::{GitHostState, Guest, NO_STORE, Refused, follow, page, refuse_other_sites};

/// `GET /git/{project}/pulls`.
pub(super) async fn list(
    State(app): State<GitHostState>,
    guest: Guest,
    Path(project_id): Path<String>,
) -> Result<Response, Refused> {
    let (_, project, _) = guest.repository(&app, &project_id, Scope::Read).await?;
    let all = app.database.pull_requests(&project.id).await.map_err(ApiError::from)?;
    Ok(page::list(&project, &all))
}

/// `GET /git/{project}/pull/{number}`.
pub(super) async fn show(
    State(app): State<GitHostState>,
    guest: Guest,
    Path((project_id, number)): Path<(String, i64)>,
) -> Result<Response, Refused> {
    let (_, project, repository) = guest.repository(&app, &project_id, Scope::Read).await?;
    let view = repository.view(number).await?.ok_or_else(missing)?;
    let comments = app.database.comments(&project.id, number).await.map_err(ApiError::from)?;
    let clone_url = repository.clone_url();
    let texts = page::texts(&view.pull_request, comments);
    let texts = app.markdown.render(&project.organization_id, texts).await;
    // A patch can be long.
    let page =
        tokio::task::spawn_blocking(move || page::show(&project, &clone_url, &view, &texts)).await;
    page.map_err(|error| Refused::Api(ApiError::Internal(error.to_string())))
}

/// `POST /git/{project}/pull/{number}/merge`: the change goes into the main branch, and is published.
pub(super) async fn merge(
    State(app): State<GitHostState>,
    guest: Guest,
    Path((project_id, number)): Path<(String, i64)>,
    parts: Parts,
) -> Result<Response, Refused> {
    refuse_other_sites(&parts)?;
    let (caller, project, repository) = guest.repository(&app, &project_id, Scope::Write).await?;
    let found = app.database.pull_request(&project_id, number).await.map_err(ApiError::from)?;
    let base = found.ok_or_else(missing)?.base;
    // A task of its own runs to its end when the client leaves and this handler is dropped.
    let merge = async move {
        let head = async || Ok::<_, Refused>(json!({ &base: repository.commit(&base).await? }));
        let before = head().await?;
        // The branch moves in git, so the entry comes first.
        let change = Change::of("pull_request.merge", Some(&project.organization_id));
        let subject = format!("{}/{number}", project.id);
        let entry = caller.begin(&app, change.before(before.clone()), &subject).await?;
        let merged = repository.merge(number).await;
        entry.end(merged.is_ok().then_some((before, head().await?))).await?;
        merged?;
        app.release_wake.notify_one();
        follow(&app, &project).await;
        Ok::<_, Refused>(())
    };
    let merged = tokio::spawn(merge.in_current_span()).await;
    merged.map_err(|error| ApiError::Internal(error.to_string()))??;
    Ok(back(&project_id, number))
}

/// `POST /git/{project}/pull/{number}/close`.
pub(super) async fn close(
    State(app): State<GitHostState>,
    guest: Guest,
    Path((project_id, number)): Path<(String, i64)>,
    parts: Parts,
) -> Result<Response, Refused> {
    refuse_other_sites(&parts)?;
    let (caller, project, _) = guest.repository(&app, &project_id, Scope::Write).await?;
    let change = Change::of("pull_request.close", Some(&project.organization_id));
    let database = caller.recording(&app, change);
    let ended = database.close_pull_request(&project.id, number, app.now()).await;
    if !ended.map_err(ApiError::from)? {
        let conflict = "No open pull request has this number.".to_owned();
        return Err(Refused::Api(ApiError::Conflict(conflict)));
    }
    follow(&app, &project).await;
    Ok(back(&project_id, number))
}

fn missing() -> Refused {
    Refused::Api(ApiError::NotFound("Pull request not found.".to_owned()))
}

fn back(project_id: &str, number: i64) -> Response {
    let location = format!("/git/{project_id}/pull/{number}");
    (StatusCode::SEE_OTHER, [NO_STORE], [(header::LOCATION, location)]).into_response()
}
