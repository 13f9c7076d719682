//! Starts the agent job of a prompt that docwright wrote.

use axum::response::{IntoResponse, Redirect, Response};
use docwright_operations::{
    Allowed, OperationError, agent_jobs, can, fields::field, idempotency::Idempotency,
};

use crate::{Dashboard, project_context::ProjectContext, refusal::Refusal};

/// Starts a job in the project and redirects to it.
pub(in crate::pages) async fn start(
    dashboard: &Dashboard,
    place: &ProjectContext,
    caller: &Allowed<can::CreateAgentJob>,
    prompt: String,
) -> Result<Response, Refusal> {
    if let Some(problem) = super::new::problem(dashboard, place).await? {
        let sentence = format!("Agent jobs can't work in this project: {problem}.");
        return Err(OperationError::Conflict(sentence).into());
    }
    let (operations, project) = (&dashboard.operations, place.project.id.as_str());
    let input = agent_jobs::NewJob { prompt: field("prompt", prompt)?, model: None };
    let once = Idempotency::default();
    let (job, _) = agent_jobs::create(operations, caller, project, input, once).await?;
    Ok(Redirect::to(&format!("{}/{}", place.path("jobs"), job.id)).into_response())
}
