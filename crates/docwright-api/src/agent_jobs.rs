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
    Allowed,
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
    /// Identifier of the project. The dashboard shows it on the "API keys" page.
    #[param(example = "prj_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    project_id: String,
    /// Identifier of the job, which starting it answered.
    #[param(example = "agt_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    id: String,
}

/// The header as it is described to callers.
#[derive(IntoParams)]
#[into_params(parameter_in = Header)]
#[expect(dead_code, reason = "it describes a header, which is read by its name")]
pub(crate) struct LastEvent {
    /// Number of the last event that was seen; only those after it are sent.
    #[param(rename = "Last-Event-ID", value_type = i64, required = false, minimum = 0, example = 12)]
    last_event_id: Option<i64>,
}

/// Something that happened in an agent job.
#[derive(ToSchema)]
#[expect(dead_code, reason = "it describes the events, which are sent as the database has them")]
pub(crate) struct AgentJobEvent {
    /// Its number. Send the last one as `Last-Event-ID` to go on after it.
    #[schema(example = "12")]
    id: String,
    /// What kind of event it is: `step` for a step of the work, `status` for another status of the job.
    #[schema(example = "step")]
    event: String,
    /// More about it, as JSON.
    #[schema(example = r#"{"step":"checked_out"}"#)]
    data: String,
}

/// List agent jobs
///
/// The agent jobs of a project, newest first, a page at a time. Ask for the next page with the `nextCursor`
/// of the page before.
#[utoipa::path(
    get,
    path = "/v2/agent/{projectId}/jobs",
    tag = "Agent jobs",
    operation_id = "listAgentJobs",
    params(ProjectPath, ListAgentJobs, Page),
    responses(
        (status = 200, description = "A page of jobs", body = AgentJobList),
        (status = 404, description = "There is no such project", body = Error),
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

/// List agent jobs (older list)
///
/// The agent jobs of a project, newest first, with the names of version 1. New clients use the list of version 2.
#[utoipa::path(
    get,
    path = "/v1/agent/{projectId}/jobs",
    tag = "Agent jobs",
    operation_id = "listAgentSessions",
    params(ProjectPath, ListAgentSessions),
    responses(
        (status = 200, description = "The jobs", body = AgentSessions),
        (status = 404, description = "There is no such project", body = Error),
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
/// An agent edits the documentation of the project as the prompt asks, and opens a pull request. The answer
/// is the job; poll it at the address in `Location` until its `status` is not `active` any more.
///
/// A project takes as many prompts an hour as the plan of its organization allows, messages included: 100
/// unless the operator says otherwise.
#[utoipa::path(
    post,
    path = "/v2/agent/{projectId}/job",
    tag = "Agent jobs",
    operation_id = "createAgentJob",
    params(ProjectPath, IdempotencyKey),
    request_body = NewJob,
    responses(
        (status = 201, description = "Agent job created", body = AgentJob, headers(("Location" = String), ("RateLimit" = String), ("RateLimit-Policy" = String))),
        (status = 404, description = "There is no such project", body = Error),
        (status = 409, description = "The Idempotency-Key was used with another body", body = Error),
        (status = 429, description = "The project has sent as many prompts within an hour as the plan allows", body = Error, headers(("Retry-After" = i64), ("RateLimit" = String), ("RateLimit-Policy" = String))),
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
/// An agent job as it is now. Poll this until `status` is not `active` any more; then `prLink` leads to the
/// pull request, or is null if no file was changed.
#[utoipa::path(
    get,
    path = "/v2/agent/{projectId}/job/{id}",
    tag = "Agent jobs",
    operation_id = "getAgentJob",
    params(JobPath),
    responses(
        (status = 200, description = "The job", body = AgentJob),
        (status = 404, description = "There is no such project or job", body = Error),
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
/// Ends an active job: it is `failed`, with the error `cancelled`. Nothing is pushed after that. Canceling
/// twice is canceling once.
#[utoipa::path(
    post,
    path = "/v2/agent/{projectId}/job/{id}/cancel",
    tag = "Agent jobs",
    operation_id = "cancelAgentJob",
    params(JobPath),
    responses(
        (status = 200, description = "The job", body = AgentJob),
        (status = 404, description = "There is no such project or job", body = Error),
        (status = 409, description = "The job has ended already", body = Error),
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
/// Puts a job away. It can still be read, and takes no more prompts. An active one is canceled first.
#[utoipa::path(
    post,
    path = "/v2/agent/{projectId}/job/{id}/archive",
    tag = "Agent jobs",
    operation_id = "archiveAgentJob",
    params(JobPath),
    responses(
        (status = 200, description = "The job, archived", body = AgentJob),
        (status = 404, description = "There is no such project or job", body = Error),
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
/// What happens in a job, live, as [server-sent events](https://html.spec.whatwg.org/multipage/server-sent-events.html).
/// The stream ends with the job. A client that was cut off sends `Last-Event-ID` and misses nothing.
#[utoipa::path(
    get,
    path = "/v2/agent/{projectId}/job/{id}/events",
    tag = "Agent jobs",
    operation_id = "watchAgentJob",
    params(JobPath, LastEvent),
    responses(
        (status = 200, description = "The events", content_type = "text/event-stream", body = AgentJobEvent),
        (status = 404, description = "There is no such project or job", body = Error),
        (status = 429, description = "Too many streams are open", body = Error, headers(("Retry-After" = String))),
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

/// Number of the last event that the client has seen; 0 for none.
fn last_seen(headers: &HeaderMap) -> Result<i64, ApiError> {
    let Some(given) = headers.get("last-event-id") else { return Ok(0) };
    let number = given.to_str().ok().and_then(|text| text.parse().ok());
    number.filter(|number| *number >= 0).ok_or_else(|| {
        ApiError::Invalid("`Last-Event-ID` must be the number of an event.".to_owned())
    })
}

/// Read what happened in an agent job
///
/// The prompts of a job and the steps of its work, by time.
#[utoipa::path(
    get,
    path = "/v2/agent/{projectId}/job/{id}/history",
    tag = "Agent jobs",
    operation_id = "getAgentJobHistory",
    params(JobPath),
    responses(
        (status = 200, description = "What happened", body = AgentJobHistory),
        (status = 404, description = "There is no such project or job", body = Error),
    ),
)]
pub(crate) async fn history(
    State(app): State<ApiState>,
    caller: Allowed<can::GetAgentJobHistory>,
    Path(JobPath { project_id, id }): Path<JobPath>,
) -> Result<Json<AgentJobHistory>, ApiError> {
    Ok(Json(agent_jobs::history(&app, &caller, (&project_id, &id)).await?))
}

/// Read what an agent job changes
///
/// The files of a job's branch that differ from the commit that it began with, line by line. It stays as it
/// was pushed last, whatever becomes of the branch.
#[utoipa::path(
    get,
    path = "/v2/agent/{projectId}/job/{id}/diff",
    tag = "Agent jobs",
    operation_id = "getAgentJobDiff",
    params(JobPath),
    responses(
        (status = 200, description = "What it changes; no files while nothing is pushed", body = AgentJobDiff),
        (status = 404, description = "There is no such project or job", body = Error),
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
/// The models that an agent job of a project can name: that of the project, that of the instance, the
/// external agents of the instance, and `builtin:edits`, which needs none.
#[utoipa::path(
    get,
    path = "/v2/agent/{projectId}/models",
    tag = "Agent jobs",
    operation_id = "listAgentModels",
    params(ProjectPath),
    responses(
        (status = 200, description = "The models", body = AgentModels),
        (status = 404, description = "There is no such project", body = Error),
    ),
)]
pub(crate) async fn models(
    State(app): State<ApiState>,
    caller: Allowed<can::ListAgentModels>,
    Path(ProjectPath { project_id }): Path<ProjectPath>,
) -> Result<Json<AgentModels>, ApiError> {
    Ok(Json(agent_jobs::models(&app, &caller, &project_id).await?))
}
