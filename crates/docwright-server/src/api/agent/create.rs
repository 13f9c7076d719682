//! `POST /v2/agent/{projectId}/job`.

use axum::{
    Json,
    extract::State,
    http::{StatusCode, header},
    response::IntoResponse,
};
use docwright_storage::database::{NewAgentJob, Prompted};
use serde_json::json;

use super::{AgentJob, Prompt, repository_url};
use crate::{
    api::{
        ProjectPath,
        body::{Body, IdempotencyKey},
    },
    audit::Change,
    authorize::Writer,
    error::{ApiError, Error},
    parameters::Path,
    rate_limit::{self, Policy},
    request::concerns,
    state::AppState,
};

/// Start an agent job
///
/// An agent edits the documentation of the project as the prompt asks, and opens a pull request. The answer
/// is the job; poll it at the address in `Location` until its `status` is not `active` any more.
///
/// A project takes 100 prompts an hour, messages included.
#[utoipa::path(
    post,
    path = "/v2/agent/{projectId}/job",
    tag = "Agent jobs",
    operation_id = "createAgentJob",
    security(("key" = ["write"])),
    params(ProjectPath, IdempotencyKey),
    request_body = Prompt,
    responses(
        (status = 201, description = "Agent job created", body = AgentJob, headers(("Location" = String), ("RateLimit" = String), ("RateLimit-Policy" = String))),
        (status = 404, description = "There is no such project", body = Error),
        (status = 409, description = "The Idempotency-Key was used with another body", body = Error),
        (status = 429, description = "The project has sent 100 prompts within an hour", body = Error, headers(("Retry-After" = i64), ("RateLimit" = String), ("RateLimit-Policy" = String))),
    ),
)]
pub(crate) async fn create(
    State(app): State<AppState>,
    caller: Writer,
    Path(ProjectPath { project_id }): Path<ProjectPath>,
    body: Result<Body<Prompt>, ApiError>,
) -> Result<impl IntoResponse, ApiError> {
    let project = caller.project(&app, &project_id).await?;
    let Body { value, idempotency } = body?;
    app.require_room().await?;
    let new = NewAgentJob {
        organization_id: project.organization_id.clone(),
        repository: repository_url(&app, &project),
        model: project.model.unwrap_or_else(|| app.default_model.to_string()),
        prompt: value.prompt.into(),
        project_id,
        idempotency: idempotency.0,
    };
    // What a prompt says is nobody's business but the project's.
    let change = Change::of("agent_job.create", Some(&new.organization_id))
        .after(json!({ "projectId": new.project_id, "model": new.model }));
    match caller.recording(&app, change).create_agent_job(&new, app.now()).await? {
        Prompted::Job(job, allowance) => {
            app.agent_wake.notify_one();
            concerns("job", &job.id);
            let location = format!("/v2/agent/{}/job/{}", new.project_id, job.id);
            let headers =
                (rate_limit::headers(Policy::PROMPTS, allowance), [(header::LOCATION, location)]);
            Ok((StatusCode::CREATED, headers.0, headers.1, Json(AgentJob::from(*job))))
        }
        Prompted::Limited(allowance) => Err(ApiError::TooManyRequests(Policy::PROMPTS, allowance)),
        Prompted::Conflict | Prompted::Refused(_) | Prompted::Missing => Err(ApiError::Conflict(
            "This Idempotency-Key was used with another body; use a new one.".to_owned(),
        )),
    }
}
