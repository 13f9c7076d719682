//! `POST /v2/agent/{projectId}/job`.

use axum::{
    Json,
    extract::State,
    http::{StatusCode, header},
    response::IntoResponse,
};
use docwright_domain::agent_job::MAXIMUM_PROMPT;
use docwright_operations::rate_limit::RateLimit;
use docwright_storage::database::{NewAgentJob, Project, Prompted};
use serde::Deserialize;
use serde_json::json;
use utoipa::ToSchema;

use super::{AgentJob, models, repository_url};
use crate::{
    api::{
        ProjectPath,
        body::{Body, IdempotencyKey},
        text::Text,
    },
    audit::Change,
    authorize::Writer,
    error::{ApiError, Error},
    parameters::Path,
    rate_limit,
    request::concerns,
    state::AppState,
};

/// A job to be started.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewJob {
    /// What the agent is to do, in plain words.
    #[schema(
        value_type = String,
        min_length = 1,
        max_length = 100_000,
        pattern = r"^[^\x00]*[^\s\x00-\x1f\x7f-\x9f][^\x00]*$",
        example = "Fix the broken links."
    )]
    prompt: Text<MAXIMUM_PROMPT>,
    /// The model that does it, one of those that listing the models of the project shows; that of the
    /// project if left out.
    #[schema(value_type = Option<String>, example = "builtin:edits")]
    model: Option<Text<200>>,
}

/// Start an agent job
///
/// An agent edits the documentation of the project as the prompt asks, and opens a pull request. The answer
/// is the job; poll it at the address in `Location` until its `status` is not `active` any more.
///
/// A project takes as many prompts an hour as the plan of its organisation allows, messages included: 100
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
    State(app): State<AppState>,
    caller: Writer,
    Path(ProjectPath { project_id }): Path<ProjectPath>,
    body: Result<Body<NewJob>, ApiError>,
) -> Result<impl IntoResponse, ApiError> {
    let project = caller.project(&app, &project_id).await?;
    let Body { value, idempotency } = body?;
    let model = which_model(&app, &project, value.model.map(String::from))?;
    app.require_room().await?;
    let new = NewAgentJob {
        organization_id: project.organization_id.clone(),
        repository: repository_url(&app, &project),
        model,
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
            let headers = (
                rate_limit::headers(RateLimit::PROMPTS, allowance),
                [(header::LOCATION, location)],
            );
            Ok((StatusCode::CREATED, headers.0, headers.1, Json(AgentJob::from(*job))))
        }
        Prompted::Limited(allowance) => {
            Err(ApiError::TooManyRequests(RateLimit::PROMPTS, allowance))
        }
        Prompted::Conflict | Prompted::Refused(_) | Prompted::Missing => Err(ApiError::Conflict(
            "This Idempotency-Key was used with a different body. Use a new key.".to_owned(),
        )),
    }
}

/// The model of a job: the one that was asked for, if it can be, or that of the project.
fn which_model(
    app: &AppState,
    project: &Project,
    asked: Option<String>,
) -> Result<String, ApiError> {
    let mut names = models::names(app, project);
    let Some(asked) = asked else { return Ok(names.swap_remove(0)) };
    if names.contains(&asked) {
        return Ok(asked);
    }
    let names = names.join("`, `");
    Err(ApiError::Invalid(format!("`model` must be one of `{names}`.")))
}
