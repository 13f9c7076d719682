//! Clone, fetch and push: `git http-backend` does the work, as it does behind any web server.
//! <https://git-scm.com/docs/git-http-backend>
//!
//! Owns who may do what, and that a push is published whatever becomes of who pushed. Leaves running
//! git to [`super::backend`].

use axum::{
    body::Body,
    extract::{Request, State},
    response::Response,
};
use docwright_domain::key::Scope;
use tracing::Instrument;

use super::{
    Refused, Visitor,
    backend::{Call, answer},
};
use crate::{error::ApiError, parameters::Path, state::AppState};

/// Longest answer to a push, in bytes.
const MAXIMUM_ANSWER: usize = 64 * 1024 * 1024;

/// `GET …/info/refs?service=…`.
pub(super) async fn info_refs(
    State(app): State<AppState>,
    visitor: Visitor,
    Path(name): Path<String>,
    request: Request,
) -> Result<Response, Refused> {
    let pushes = request.uri().query().is_some_and(|query| query.contains("git-receive-pack"));
    let scope = if pushes { Scope::Write } else { Scope::Read };
    let (_, repository) = visitor.repository(&app, id(&name)?, scope).await?;
    Ok(answer(Call { repository: &repository, service: "info/refs", scope }, request).await?)
}

/// `POST …/git-upload-pack`: somebody fetches.
pub(super) async fn upload_pack(
    State(app): State<AppState>,
    visitor: Visitor,
    Path(name): Path<String>,
    request: Request,
) -> Result<Response, Refused> {
    let (_, repository) = visitor.repository(&app, id(&name)?, Scope::Read).await?;
    let call = Call { repository: &repository, service: "git-upload-pack", scope: Scope::Read };
    Ok(answer(call, request).await?)
}

/// `POST …/git-receive-pack`: somebody pushes. A push to a branch of a site publishes.
pub(super) async fn receive_pack(
    State(app): State<AppState>,
    visitor: Visitor,
    Path(name): Path<String>,
    request: Request,
) -> Result<Response, Refused> {
    let (_, repository) = visitor.repository(&app, id(&name)?, Scope::Write).await?;
    // A task of its own runs to its end when the client leaves and this handler is dropped.
    let push = async move {
        let before = repository.branches().await?;
        let call =
            Call { repository: &repository, service: "git-receive-pack", scope: Scope::Write };
        let response = answer(call, request).await?;
        // The answer is read to its end: only then has git moved the branches.
        let (parts, body) = response.into_parts();
        let bytes = axum::body::to_bytes(body, MAXIMUM_ANSWER).await;
        // Git may have moved them even where its answer breaks off.
        if repository.record_push(&before).await? {
            app.release_wake.notify_one();
        }
        let bytes = bytes.map_err(|error| ApiError::Internal(error.to_string()))?;
        Ok::<_, Refused>(Response::from_parts(parts, Body::from(bytes)))
    };
    let pushed = tokio::spawn(push.in_current_span());
    pushed.await.unwrap_or_else(|error| Err(ApiError::Internal(error.to_string()).into()))
}

fn id(name: &str) -> Result<&str, ApiError> {
    let missing = || ApiError::NotFound("There is no such repository.".to_owned());
    name.strip_suffix(".git").ok_or_else(missing)
}
