//! Starts the agent job of a prompt that docwright wrote.

use axum::response::{IntoResponse, Redirect, Response};
use docwright_operations::{Allowed, agent_jobs, can, fields::field, idempotency::Idempotency};

use crate::{Dashboard, project_context::ProjectContext, refusal::Refusal};

/// Starts a job in the project and redirects to it.
pub(in crate::pages) async fn start(
    dashboard: &Dashboard,
    place: &ProjectContext,
    caller: &Allowed<can::CreateAgentJob>,
    prompt: String,
) -> Result<Response, Refusal> {
    let (operations, project) = (&dashboard.operations, place.project.id.as_str());
    let input = agent_jobs::NewJob { prompt: field("prompt", prompt)?, model: None };
    let once = Idempotency::default();
    let (job, _) = agent_jobs::create(operations, caller, project, input, once).await?;
    Ok(Redirect::to(&format!("{}/{}", place.path("jobs"), job.id)).into_response())
}
