//! `GET /v2/agent/{projectId}/job/{id}/history`.

use axum::{Json, extract::State};
use docwright_domain::timestamp::iso;
use docwright_storage::database;
use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::{JobPath, missing};
use crate::{
    authorize::Reader,
    error::{ApiError, Error},
    parameters::Path,
    state::AppState,
};

/// What was asked of an agent, and what it did, first to last.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct AgentJobHistory {
    /// The newest 1000 entries.
    entries: Vec<AgentJobEntry>,
}

/// Something that was asked or done.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AgentJobEntry {
    /// When.
    #[schema(format = DateTime)]
    at: String,
    /// `prompt` for what was asked; `step` for a step of the work; `status` for another status of the job.
    #[schema(example = "step")]
    kind: String,
    /// More about it: the `text` of a prompt, or what the event of that kind has.
    #[schema(value_type = Object, example = json!({ "step": "checked_out" }))]
    data: Value,
}

impl From<database::AgentEntry> for AgentJobEntry {
    fn from(entry: database::AgentEntry) -> Self {
        let data = if entry.kind == "prompt" {
            json!({ "text": entry.data })
        } else {
            serde_json::from_str(&entry.data).unwrap_or_default()
        };
        Self { at: iso(entry.at), kind: entry.kind, data }
    }
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
    State(app): State<AppState>,
    caller: Reader,
    Path(JobPath { project_id, id }): Path<JobPath>,
) -> Result<Json<AgentJobHistory>, ApiError> {
    let project = caller.project(&app, &project_id).await?;
    app.database.agent_job(&project.id, &id).await?.ok_or_else(missing)?;
    let entries = app.database.agent_history(&id).await?;
    Ok(Json(AgentJobHistory { entries: entries.into_iter().map(AgentJobEntry::from).collect() }))
}
