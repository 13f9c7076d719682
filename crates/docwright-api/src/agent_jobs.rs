//! Agent jobs.

use std::convert::Infallible;

use axum::{
    Json,
    extract::State,
    http::{HeaderMap, StatusCode, header},
    response::{
        IntoResponse,
        sse::{Event, KeepAlive, Sse},
    },
};
use docwright_http::{
    error::{ApiError, Error},
    parameters::{Path, Query},
    rate_limit,
};
use docwright_operations::{
    Allowed, OperationError,
    agent_jobs::{
        self, AgentJob, AgentJobDiff, AgentJobHistory, AgentJobList, AgentModels, AgentSessions,
        ListAgentJobs, ListAgentSessions, NewJob, Prompt,
    },
    callers::DeferredCaller,
    can,
    lists::Page,
    rate_limit::RateLimit,
};
use futures::{Stream, stream};
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

use super::{
    ProjectPath,
    body::{Body, IdempotencyKey},
};
use crate::state::ApiState;

/// An agent job of a project.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Path)]
pub(crate) struct JobPath {
    /// ID of the project. The dashboard shows it on the "API keys" page.
    #[param(example = "prj_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    project_id: String,
    /// ID of the job, from the response that started it.
    #[param(example = "agt_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    id: String,
}

/// The header in the API spec.
#[derive(IntoParams)]
#[into_params(parameter_in = Header)]
#[expect(dead_code, reason = "it describes a header, which is read by its name")]
pub(crate) struct LastEvent {
    /// Number of the last event that you received. The stream resumes after it.
    #[param(rename = "Last-Event-ID", value_type = i64, required = false, minimum = 0, example = 12)]
    last_event_id: Option<i64>,
}

/// An event of an agent job.
#[derive(ToSchema)]
#[expect(dead_code, reason = "it describes the events, which are sent as the database has them")]
pub(crate) struct AgentJobEvent {
    /// Number of the event. To resume after it, send it as `Last-Event-ID`.
    #[schema(example = "12")]
    id: String,
    /// Type of the event: `step` for a step of the agent, `status` for a new status of the job.
    #[schema(example = "step")]
    event: String,
    /// Details, as JSON.
    #[schema(example = r#"{"step":"checked_out"}"#)]
    data: String,
}

/// List agent jobs
///
/// Returns a page of the project's agent jobs, newest first.
#[utoipa::path(
    get,
    path = "/v2/agent/{projectId}/jobs",
    tag = "Agent jobs",
    operation_id = "listAgentJobs",
    params(ProjectPath, ListAgentJobs, Page),
    responses(
        (status = 200, description = "A page of jobs.", body = AgentJobList),
        (status = 404, description = "Project not found.", body = Error),
    ),
)]
pub(crate) async fn list(
    State(app): State<ApiState>,
    caller: Allowed<can::ListAgentJobs>,
    Path(ProjectPath { project_id }): Path<ProjectPath>,
    filter: Result<Query<ListAgentJobs>, ApiError>,
    page: Result<Query<Page>, ApiError>,
) -> Result<Json<AgentJobList>, ApiError> {
    Ok(Json(agent_jobs::list(&app, &caller, &project_id, &filter?.0, &page?.0).await?))
}

/// List agent jobs (version 1)
///
/// Returns the agent jobs of a project, newest first, with the field names of version 1. For new
/// clients, use the list of version 2.
#[utoipa::path(
    get,
    path = "/v1/agent/{projectId}/jobs",
    tag = "Agent jobs",
    operation_id = "listAgentSessions",
    params(ProjectPath, ListAgentSessions),
    responses(
        (status = 200, description = "The jobs.", body = AgentSessions),
        (status = 404, description = "Project not found.", body = Error),
    ),
)]
pub(crate) async fn list_sessions(
    State(app): State<ApiState>,
    caller: Allowed<can::ListAgentSessions>,
    Path(ProjectPath { project_id }): Path<ProjectPath>,
    filter: Result<Query<ListAgentSessions>, ApiError>,
) -> Result<Json<AgentSessions>, ApiError> {
    Ok(Json(agent_jobs::list_sessions(&app, &caller, &project_id, &filter?.0).await?))
}

/// Start an agent job
///
/// Starts an agent that edits the project's documentation as the prompt asks and opens a pull
/// request. The response is the job. Poll the URL in `Location` until `status` is no longer
/// `active`.
///
/// The plan of the organization limits how many prompts a project can send per hour, follow-ups
/// included. The default is 100.
#[utoipa::path(
    post,
    path = "/v2/agent/{projectId}/job",
    tag = "Agent jobs",
    operation_id = "createAgentJob",
    params(ProjectPath, IdempotencyKey),
    request_body = NewJob,
    responses(
        (status = 201, description = "Agent job created.", body = AgentJob, headers(("Location" = String), ("RateLimit" = String), ("RateLimit-Policy" = String))),
        (status = 404, description = "Project not found.", body = Error),
        (status = 409, description = "The Idempotency-Key was used with a different body.", body = Error),
        (status = 429, description = "The project reached its plan's limit of prompts per hour.", body = Error, headers(("Retry-After" = i64), ("RateLimit" = String), ("RateLimit-Policy" = String))),
    ),
)]
pub(crate) async fn create(
    State(app): State<ApiState>,
    caller: Allowed<can::CreateAgentJob>,
    Path(ProjectPath { project_id }): Path<ProjectPath>,
    body: Result<Body<NewJob>, ApiError>,
) -> Result<impl IntoResponse, ApiError> {
    let Body { value, idempotency } = body?;
    let created = agent_jobs::create(&app, &caller, &project_id, value, idempotency).await;
    let (job, allowance) = created?;
    let location = [(header::LOCATION, format!("/v2/agent/{project_id}/job/{}", job.id))];
    let limit = rate_limit::headers(RateLimit::PROMPTS, allowance);
    Ok((StatusCode::CREATED, limit, location, Json(job)))
}

/// Get an agent job
///
/// Returns the current state of an agent job. Poll it until `status` is no longer `active`.
/// `prLink` is then the URL of the pull request, or null if no file changed.
#[utoipa::path(
    get,
    path = "/v2/agent/{projectId}/job/{id}",
    tag = "Agent jobs",
    operation_id = "getAgentJob",
    params(JobPath),
    responses(
        (status = 200, description = "The job.", body = AgentJob),
        (status = 404, description = "Project or job not found.", body = Error),
    ),
)]
pub(crate) async fn get(
    State(app): State<ApiState>,
    polling: DeferredCaller,
    Path(JobPath { project_id, id }): Path<JobPath>,
) -> Result<Json<AgentJob>, ApiError> {
    Ok(Json(agent_jobs::get(&app, polling, (&project_id, &id)).await?))
}

/// Send another prompt
///
/// Sends a follow-up to a completed or failed job. The job becomes active again and continues on
/// the same branch and pull request. The follow-up counts as a prompt of the project. The pull
/// request must be open: you can't add commits to one that is closed or merged.
#[utoipa::path(
    post,
    path = "/v2/agent/{projectId}/job/{id}/message",
    tag = "Agent jobs",
    operation_id = "sendAgentMessage",
    params(JobPath, IdempotencyKey),
    request_body = Prompt,
    responses(
        (status = 200, description = "The active job.", body = AgentJob, headers(("RateLimit" = String), ("RateLimit-Policy" = String))),
        (status = 404, description = "Project or job not found.", body = Error),
        (status = 409, description = "The job is active or archived, its pull request is closed or merged, or the Idempotency-Key was used with a different body.", body = Error),
        (status = 429, description = "The project reached its plan's limit of prompts per hour.", body = Error, headers(("Retry-After" = i64), ("RateLimit" = String), ("RateLimit-Policy" = String))),
    ),
)]
pub(crate) async fn message(
    State(app): State<ApiState>,
    caller: Allowed<can::SendAgentMessage>,
    Path(JobPath { project_id, id }): Path<JobPath>,
    body: Result<Body<Prompt>, ApiError>,
) -> Result<(HeaderMap, Json<AgentJob>), ApiError> {
    let Body { value, idempotency } = body?;
    let of = (project_id.as_str(), id.as_str());
    let (job, allowance) = agent_jobs::follow_up(&app, &caller, of, value, &idempotency).await?;
    Ok((rate_limit::headers(RateLimit::PROMPTS, allowance), Json(job)))
}

/// Cancel an agent job
///
/// Stops an active job. Its status becomes `failed`, with the error `cancelled`, and nothing more
/// is pushed. Canceling a job again has no effect.
#[utoipa::path(
    post,
    path = "/v2/agent/{projectId}/job/{id}/cancel",
    tag = "Agent jobs",
    operation_id = "cancelAgentJob",
    params(JobPath),
    responses(
        (status = 200, description = "The job.", body = AgentJob),
        (status = 404, description = "Project or job not found.", body = Error),
        (status = 409, description = "The job already finished.", body = Error),
    ),
)]
pub(crate) async fn cancel(
    State(app): State<ApiState>,
    caller: Allowed<can::CancelAgentJob>,
    Path(JobPath { project_id, id }): Path<JobPath>,
) -> Result<Json<AgentJob>, ApiError> {
    Ok(Json(agent_jobs::cancel(&app, &caller, (&project_id, &id)).await?))
}

/// Archive an agent job
///
/// Archives a job. You can still read an archived job, but not send it prompts. If the job is
/// active, it is canceled first.
#[utoipa::path(
    post,
    path = "/v2/agent/{projectId}/job/{id}/archive",
    tag = "Agent jobs",
    operation_id = "archiveAgentJob",
    params(JobPath),
    responses(
        (status = 200, description = "The archived job.", body = AgentJob),
        (status = 404, description = "Project or job not found.", body = Error),
    ),
)]
pub(crate) async fn archive(
    State(app): State<ApiState>,
    caller: Allowed<can::ArchiveAgentJob>,
    Path(JobPath { project_id, id }): Path<JobPath>,
) -> Result<Json<AgentJob>, ApiError> {
    Ok(Json(agent_jobs::archive(&app, &caller, (&project_id, &id)).await?))
}

/// Watch an agent job
///
/// Streams the events of a job as [server-sent
/// events](https://html.spec.whatwg.org/multipage/server-sent-events.html). The stream ends when
/// the job does. To resume after a lost connection without missing events, send `Last-Event-ID`.
#[utoipa::path(
    get,
    path = "/v2/agent/{projectId}/job/{id}/events",
    tag = "Agent jobs",
    operation_id = "watchAgentJob",
    params(JobPath, LastEvent),
    responses(
        (status = 200, description = "The event stream.", content_type = "text/event-stream", body = AgentJobEvent),
        (status = 404, description = "Project or job not found.", body = Error),
        (status = 429, description = "Too many open event streams.", body = Error, headers(("Retry-After" = String))),
    ),
)]
pub(crate) async fn watch(
    State(app): State<ApiState>,
    caller: Allowed<can::WatchAgentJob>,
    Path(JobPath { project_id, id }): Path<JobPath>,
    headers: HeaderMap,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, ApiError> {
    let (seen, stopping) = (last_seen(&headers)?, app.stopping.clone());
    let watch = agent_jobs::watch(&app, &caller, (&project_id, &id), seen, stopping).await?;
    let events = stream::unfold(watch, |mut watch| async move {
        let event = watch.next().await?;
        let sent = Event::default().id(event.number.to_string()).event(event.kind).data(event.data);
        Some((Ok(sent), watch))
    });
    Ok(Sse::new(events).keep_alive(KeepAlive::default()))
}

/// Number of the last event that the client saw; 0 for none.
fn last_seen(headers: &HeaderMap) -> Result<i64, OperationError> {
    let Some(given) = headers.get("last-event-id") else { return Ok(0) };
    let number = given.to_str().ok().and_then(|text| text.parse().ok());
    number.filter(|number| *number >= 0).ok_or_else(|| {
        OperationError::Invalid("`Last-Event-ID` must be the number of an event.".to_owned())
    })
}

/// Get the history of an agent job
///
/// Returns the prompts of a job and the agent's steps in chronological order.
#[utoipa::path(
    get,
    path = "/v2/agent/{projectId}/job/{id}/history",
    tag = "Agent jobs",
    operation_id = "getAgentJobHistory",
    params(JobPath),
    responses(
        (status = 200, description = "The history of the job.", body = AgentJobHistory),
        (status = 404, description = "Project or job not found.", body = Error),
    ),
)]
pub(crate) async fn history(
    State(app): State<ApiState>,
    caller: Allowed<can::GetAgentJobHistory>,
    Path(JobPath { project_id, id }): Path<JobPath>,
) -> Result<Json<AgentJobHistory>, ApiError> {
    Ok(Json(agent_jobs::history(&app, &caller, (&project_id, &id)).await?))
}

/// Get the changes of an agent job
///
/// Returns a line-by-line diff between the job's branch and the commit that it started from. The
/// diff is of the latest push, even after the branch is deleted.
#[utoipa::path(
    get,
    path = "/v2/agent/{projectId}/job/{id}/diff",
    tag = "Agent jobs",
    operation_id = "getAgentJobDiff",
    params(JobPath),
    responses(
        (status = 200, description = "The diff. It has no files until something is pushed.", body = AgentJobDiff),
        (status = 404, description = "Project or job not found.", body = Error),
    ),
)]
pub(crate) async fn diff(
    State(app): State<ApiState>,
    caller: Allowed<can::GetAgentJobDiff>,
    Path(JobPath { project_id, id }): Path<JobPath>,
) -> Result<Json<AgentJobDiff>, ApiError> {
    Ok(Json(agent_jobs::diff(&app, &caller, (&project_id, &id)).await?))
}

/// List the models of a project
///
/// Returns the models that you can use for the project's agent jobs: the project's model, the
/// instance's model, the instance's external agents, and `builtin:edits`, which needs no model.
#[utoipa::path(
    get,
    path = "/v2/agent/{projectId}/models",
    tag = "Agent jobs",
    operation_id = "listAgentModels",
    params(ProjectPath),
    responses(
        (status = 200, description = "The models.", body = AgentModels),
        (status = 404, description = "Project not found.", body = Error),
    ),
)]
pub(crate) async fn models(
    State(app): State<ApiState>,
    caller: Allowed<can::ListAgentModels>,
    Path(ProjectPath { project_id }): Path<ProjectPath>,
) -> Result<Json<AgentModels>, ApiError> {
    Ok(Json(agent_jobs::models(&app, &caller, &project_id).await?))
}
