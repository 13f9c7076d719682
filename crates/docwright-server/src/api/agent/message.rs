//! `POST /v2/agent/{projectId}/job/{id}/message`.

use axum::{
    Json,
    extract::{Path, State},
    http::HeaderMap,
};
use docwright_storage::database::Prompted;

use super::{AgentJob, Prompt, missing, prompt};
use crate::{
    api::body::JsonBody,
    authorize::Caller,
    error::{ApiError, Error},
    rate_limit,
    state::AppState,
};

/// Another prompt for a job that has ended: it goes on, on the same branch and the same pull request.
#[utoipa::path(
    post,
    path = "/v2/agent/{projectId}/job/{id}/message",
    tag = "Agent jobs",
    params(("projectId" = String, Path, description = "Identifier of the project"), ("id" = String, Path, description = "Identifier of the agent job"), ("Idempotency-Key" = Option<String>, Header, description = "Makes sending this twice within 24 hours harmless")),
    request_body = Prompt,
    responses(
        (status = 200, description = "The job, active again", body = AgentJob, headers(("RateLimit" = String), ("RateLimit-Policy" = String), ("X-Request-Id" = String))),
        (status = 400, description = "The body does not fit; the sentence names the field", body = Error),
        (status = 401, description = "No key, or one that is unknown, revoked or expired", body = Error, headers(("WWW-Authenticate" = String))),
        (status = 403, description = "The key does not allow it", body = Error),
        (status = 404, description = "There is no such project or job", body = Error),
        (status = 409, description = "The job is active or archived, or the Idempotency-Key was used with another body", body = Error),
        (status = 413, description = "The body is larger than 1 MiB", body = Error),
        (status = 415, description = "The body is not JSON", body = Error),
        (status = 429, description = "The project has sent 100 prompts within an hour", body = Error, headers(("Retry-After" = i64), ("RateLimit" = String), ("RateLimit-Policy" = String))),
        (status = 500, description = "A fault of the server's own", body = Error),
        (status = 503, description = "The database does not answer, or the disk is nearly full", body = Error, headers(("Retry-After" = String))),
    ),
    security(("key" = []))
)]
pub(crate) async fn message(
    State(app): State<AppState>,
    caller: Caller,
    Path((project_id, id)): Path<(String, String)>,
    body: Result<JsonBody, ApiError>,
) -> Result<(HeaderMap, Json<AgentJob>), ApiError> {
    let project = caller.project(&app, &project_id).await?;
    let body = body?;
    let text = prompt(&body)?;
    app.require_room().await?;
    let key = body.idempotency.as_ref();
    let key =
        key.map(|(key, print)| (caller.organization.id.as_str(), key.as_str(), print.as_str()));
    match app.database.follow_up(&project.id, &id, text, key, app.now()).await? {
        Prompted::Job(job, allowance) => {
            app.agent_wake.notify_one();
            Ok((rate_limit::headers(allowance), Json((*job).into())))
        }
        Prompted::Limited(allowance) => Err(ApiError::TooManyRequests(allowance)),
        Prompted::Refused(status) => Err(ApiError::Conflict(format!(
            "The job is {status}; only a completed or failed one takes another message."
        ))),
        Prompted::Missing => Err(missing()),
        Prompted::Conflict => Err(ApiError::Conflict(
            "This Idempotency-Key was used with another body; use a new one.".to_owned(),
        )),
    }
}
