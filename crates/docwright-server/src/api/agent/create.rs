//! `POST /v2/agent/{projectId}/job`.

use axum::{
    Json,
    extract::{Path, State},
    http::{StatusCode, header},
    response::IntoResponse,
};
use docwright_storage::database::{NewAgentJob, Prompted};

use super::{AgentJob, Prompt, prompt, repository_url};
use crate::{
    api::body::JsonBody,
    authorize::Caller,
    error::{ApiError, Error},
    rate_limit,
    request::concerns,
    state::AppState,
};

/// Start an agent job: it edits the project's documentation as the prompt asks for, and opens a pull
/// request.
#[utoipa::path(
    post,
    path = "/v2/agent/{projectId}/job",
    tag = "Agent jobs",
    params(("projectId" = String, Path, description = "Identifier of the project"), ("Idempotency-Key" = Option<String>, Header, description = "Makes sending this twice within 24 hours harmless")),
    request_body = Prompt,
    responses(
        (status = 201, description = "Agent job created", body = AgentJob, headers(("Location" = String), ("RateLimit" = String), ("RateLimit-Policy" = String), ("X-Request-Id" = String))),
        (status = 400, description = "The body does not fit; the sentence names the field", body = Error),
        (status = 401, description = "No key, or one that is unknown, revoked or expired", body = Error, headers(("WWW-Authenticate" = String))),
        (status = 403, description = "The key does not allow it", body = Error),
        (status = 404, description = "There is no such project", body = Error),
        (status = 409, description = "The Idempotency-Key was used with another body", body = Error),
        (status = 413, description = "The body is larger than 1 MiB", body = Error),
        (status = 415, description = "The body is not JSON", body = Error),
        (status = 429, description = "The project has sent 100 prompts within an hour", body = Error, headers(("Retry-After" = i64), ("RateLimit" = String), ("RateLimit-Policy" = String))),
        (status = 500, description = "A fault of the server's own", body = Error),
        (status = 503, description = "The database does not answer, or the disk is nearly full", body = Error, headers(("Retry-After" = String))),
    ),
    security(("key" = []))
)]
pub(crate) async fn create(
    State(app): State<AppState>,
    caller: Caller,
    Path(project_id): Path<String>,
    body: Result<JsonBody, ApiError>,
) -> Result<impl IntoResponse, ApiError> {
    let project = caller.project(&app, &project_id).await?;
    let body = body?;
    app.require_room().await?;
    let new = NewAgentJob {
        organization_id: caller.organization.id,
        repository: repository_url(&app, &project),
        model: project.model.unwrap_or_else(|| app.default_model.to_string()),
        prompt: prompt(&body)?.to_owned(),
        project_id,
        idempotency: body.idempotency,
    };
    match app.database.create_agent_job(&new, app.now()).await? {
        Prompted::Job(job, allowance) => {
            app.agent_wake.notify_one();
            concerns("job", &job.id);
            let location = format!("/v2/agent/{}/job/{}", new.project_id, job.id);
            let headers = (rate_limit::headers(allowance), [(header::LOCATION, location)]);
            Ok((StatusCode::CREATED, headers.0, headers.1, Json(AgentJob::from(*job))))
        }
        Prompted::Limited(allowance) => Err(ApiError::TooManyRequests(allowance)),
        Prompted::Conflict | Prompted::Refused(_) | Prompted::Missing => Err(ApiError::Conflict(
            "This Idempotency-Key was used with another body; use a new one.".to_owned(),
        )),
    }
}
