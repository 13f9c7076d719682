//! Follow-ups: later prompts of agent jobs.

use std::time::Duration;

use docwright_jobs::queue::JobError;
use docwright_storage::database::{Allowance, Project, Prompted};
use docwright_types::agent_job::AgentStatus;
use serde_json::json;
use tokio::time::timeout;

use super::{AgentJob, Prompt, no_job, reused_key};
use crate::{
    Allowed, OperationError, Operations, audit::Change, can, idempotency::Idempotency,
    rate_limit::RateLimit,
};

/// Time limit of a git host.
const PATIENCE: Duration = Duration::from_secs(10);

/// Sends another prompt to a completed or failed job. Also returns the rest of the rate limit.
pub async fn follow_up(
    operations: &Operations,
    caller: &Allowed<can::SendAgentMessage>,
    (project_id, id): (&str, &str),
    input: Prompt,
    idempotency: &Idempotency,
) -> Result<(AgentJob, Allowance), OperationError> {
    let project = caller.project(operations, project_id).await?;
    operations.require_room().await?;
    let (prompt, key) = (String::from(input.prompt), idempotency.of(&project.organization_id));
    let now = operations.now();
    let is_repeated = match key {
        Some((organization, key, _)) => {
            operations.database.is_idempotency_key_used(organization, key, now).await?
        }
        None => false,
    };
    if !is_repeated {
        require_open_pull_request(operations, &project, id).await?;
    }
    let change = Change::of("agent_job.message", Some(&project.organization_id))
        .after(json!({ "projectId": project.id }));
    let database = caller.recording(operations, change);
    match database.follow_up(&project.id, id, &prompt, key, operations.now()).await? {
        Prompted::Job(job, allowance) => {
            operations.wakes.agent_jobs.notify_one();
            Ok(((*job).into(), allowance))
        }
        Prompted::Limited(allowance) => {
            Err(OperationError::TooManyRequests(RateLimit::PROMPTS, allowance))
        }
        Prompted::Refused(status) => Err(OperationError::Conflict(format!(
            "The job is {status}. Only completed or failed jobs accept follow-ups."
        ))),
        Prompted::Missing => Err(no_job()),
        Prompted::Conflict => Err(reused_key()),
    }
}

/// Fails if the pull request of a job is closed or merged, before anything is used up. If a host doesn't respond,
/// the caller must try again; if it refuses, the run reports that.
async fn require_open_pull_request(
    operations: &Operations,
    project: &Project,
    id: &str,
) -> Result<(), OperationError> {
    let Some(job) = operations.database.agent_job(&project.id, id).await? else { return Ok(()) };
    let has_ended = matches!(job.status, AgentStatus::Completed | AgentStatus::Failed);
    let Some(branch) = job.git_ref.filter(|_| has_ended) else { return Ok(()) };
    let found = async {
        let git_hosts = operations.repositories.git_hosts(project).await?;
        Ok::<_, JobError>(git_hosts.find(&branch).await?)
    };
    match timeout(PATIENCE, found).await {
        Ok(Ok(Some(pull_request))) if !pull_request.is_open => Err(OperationError::Conflict(
            "The pull request of this job is closed or merged. Start another job.".to_owned(),
        )),
        Ok(Ok(_)) => Ok(()),
        Ok(Err(JobError::Permanent(reason))) => {
            tracing::warn!(%reason, "pull request not read from the git host");
            Ok(())
        }
        Ok(Err(error)) => Err(OperationError::Unavailable(format!("the git host failed: {error}"))),
        Err(_) => Err(OperationError::Unavailable(
            "the git host didn't answer within 10 seconds".to_owned(),
        )),
    }
}
