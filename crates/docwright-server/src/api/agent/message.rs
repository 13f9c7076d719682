//! `POST /v2/agent/{projectId}/job/{id}/message`.

use axum::{Json, extract::State, http::HeaderMap};
use docwright_storage::database::Prompted;
use serde_json::json;

use super::{AgentJob, JobPath, Prompt, missing};
use crate::{
    api::body::{Body, IdempotencyKey},
    audit::Change,
    authorize::Writer,
    error::{ApiError, Error},
    parameters::Path,
    rate_limit::{self, Policy},
    state::AppState,
};

/// Send another prompt
///
/// A completed or failed job becomes active again and goes on with this prompt, on the same branch and the
/// same pull request. It counts as a prompt of the project.
#[utoipa::path(
    post,
    path = "/v2/agent/{projectId}/job/{id}/message",
    tag = "Agent jobs",
    operation_id = "sendAgentMessage",
    security(("key" = ["write"])),
    params(JobPath, IdempotencyKey),
    request_body = Prompt,
    responses(
        (status = 200, description = "The job, active again", body = AgentJob, headers(("RateLimit" = String), ("RateLimit-Policy" = String))),
        (status = 404, description = "There is no such project or job", body = Error),
        (status = 409, description = "The job is active or archived, or the Idempotency-Key was used with another body", body = Error),
        (status = 429, description = "The project has sent as many prompts within an hour as the plan allows", body = Error, headers(("Retry-After" = i64), ("RateLimit" = String), ("RateLimit-Policy" = String))),
    ),
)]
pub(crate) async fn message(
    State(app): State<AppState>,
    caller: Writer,
    Path(JobPath { project_id, id }): Path<JobPath>,
    body: Result<Body<Prompt>, ApiError>,
) -> Result<(HeaderMap, Json<AgentJob>), ApiError> {
    let project = caller.project(&app, &project_id).await?;
    let Body { value, idempotency } = body?;
    app.require_room().await?;
    let (prompt, key) = (String::from(value.prompt), idempotency.of(&project.organization_id));
    let change = Change::of("agent_job.message", Some(&project.organization_id))
        .after(json!({ "projectId": project.id }));
    let database = caller.recording(&app, change);
    match database.follow_up(&project.id, &id, &prompt, key, app.now()).await? {
        Prompted::Job(job, allowance) => {
            app.agent_wake.notify_one();
            Ok((rate_limit::headers(Policy::PROMPTS, allowance), Json((*job).into())))
        }
        Prompted::Limited(allowance) => Err(ApiError::TooManyRequests(Policy::PROMPTS, allowance)),
        Prompted::Refused(status) => Err(ApiError::Conflict(format!(
            "The job is {status}; only a completed or failed one takes another message."
        ))),
        Prompted::Missing => Err(missing()),
        Prompted::Conflict => Err(ApiError::Conflict(
            "This Idempotency-Key was used with another body; use a new one.".to_owned(),
        )),
    }
}
