//! `POST /v2/agent/{projectId}/job/{id}/message`.

use std::time::Duration;

use axum::{Json, extract::State, http::HeaderMap};
use docwright_domain::agent_job::AgentStatus;
use docwright_flows::queue::JobError;
use docwright_operations::rate_limit::RateLimit;
use docwright_storage::database::{Project, Prompted};
use serde_json::json;
use tokio::time::timeout;

use super::{AgentJob, JobPath, Prompt, missing};
use crate::{
    api::body::{Body, IdempotencyKey},
    audit::Change,
    authorize::Writer,
    error::{ApiError, Error},
    parameters::Path,
    rate_limit,
    state::AppState,
};

/// A git host that says nothing for so long isn't waited for.
const PATIENCE: Duration = Duration::from_secs(10);

/// Send another prompt
///
/// A completed or failed job becomes active again and goes on with this prompt, on the same branch and the
/// same pull request. It counts as a prompt of the project. The pull request has to be open: one that is closed or
/// merged takes no more commits.
#[utoipa::path(
    post,
    path = "/v2/agent/{projectId}/job/{id}/message",
    tag = "Agent jobs",
    operation_id = "sendAgentMessage",
    params(JobPath, IdempotencyKey),
    request_body = Prompt,
    responses(
        (status = 200, description = "The job, active again", body = AgentJob, headers(("RateLimit" = String), ("RateLimit-Policy" = String))),
        (status = 404, description = "There is no such project or job", body = Error),
        (status = 409, description = "The job is active or archived, its pull request is closed or merged, or the Idempotency-Key was used with another body", body = Error),
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
    let is_repeated = match key {
        Some((organization, key, _)) => {
            app.database.is_idempotency_key_used(organization, key, app.now()).await?
        }
        None => false,
    };
    if !is_repeated {
        require_open_pull_request(&app, &project, &id).await?;
    }
    let change = Change::of("agent_job.message", Some(&project.organization_id))
        .after(json!({ "projectId": project.id }));
    let database = caller.recording(&app, change);
    match database.follow_up(&project.id, &id, &prompt, key, app.now()).await? {
        Prompted::Job(job, allowance) => {
            app.agent_wake.notify_one();
            Ok((rate_limit::headers(RateLimit::PROMPTS, allowance), Json((*job).into())))
        }
        Prompted::Limited(allowance) => {
            Err(ApiError::TooManyRequests(RateLimit::PROMPTS, allowance))
        }
        Prompted::Refused(status) => Err(ApiError::Conflict(format!(
            "The job is {status}; only a completed or failed one takes another message."
        ))),
        Prompted::Missing => Err(missing()),
        Prompted::Conflict => Err(ApiError::Conflict(
            "This Idempotency-Key was used with a different body. Use a new key.".to_owned(),
        )),
    }
}

/// Fails if the pull request of a job is closed or merged, before anything is used up. A host that doesn't answer
/// leaves it open whether the job can go on, so the caller tries again; what a host refuses, the run says.
async fn require_open_pull_request(
    app: &AppState,
    project: &Project,
    id: &str,
) -> Result<(), ApiError> {
    let Some(job) = app.database.agent_job(&project.id, id).await? else { return Ok(()) };
    let has_ended = matches!(job.status, AgentStatus::Completed | AgentStatus::Failed);
    let Some(branch) = job.git_ref.filter(|_| has_ended) else { return Ok(()) };
    let found = async {
        let forge = app.repositories.forge(project).await?;
        Ok::<_, JobError>(forge.find(&branch).await?)
    };
    match timeout(PATIENCE, found).await {
        Ok(Ok(Some(pull_request))) if !pull_request.is_open => Err(ApiError::Conflict(
            "The pull request of this job is closed or merged. Start another job.".to_owned(),
        )),
        Ok(Ok(_)) => Ok(()),
        Ok(Err(JobError::Permanent(reason))) => {
            tracing::warn!(%reason, "git host refused to show a pull request");
            Ok(())
        }
        Ok(Err(error)) => Err(ApiError::Unavailable(format!("the git host failed: {error}"))),
        Err(_) => {
            Err(ApiError::Unavailable("the git host didn't answer within 10 seconds".to_owned()))
        }
    }
}
