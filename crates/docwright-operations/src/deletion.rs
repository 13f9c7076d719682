//! Common parts of deletions: their audit entries, and their results.

use docwright_jobs::deletion::{Deletion, Report};
use docwright_storage::{Database, database::Project};
use serde::{Deserialize, Serialize};
use tracing::Instrument;
use utoipa::ToSchema;

use crate::{Caller, OperationError, Operations, audit::Change, projects};

/// Counts of deleted objects.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(example = json!({
    "projects": 1, "domains": 1, "releases": 12, "exportJobs": 2, "agentJobs": 3, "pullRequests": 3,
    "feedback": 40, "keys": 0, "credentials": 1, "bundles": 12, "repositories": 1, "left": 0
}))]
pub struct Deleted {
    /// Deleted projects.
    projects: u64,
    /// Deleted domains.
    domains: u64,
    /// Deleted releases, in any state.
    releases: u64,
    /// Deleted static export jobs.
    export_jobs: u64,
    /// Deleted agent jobs.
    agent_jobs: u64,
    /// Deleted pull requests on the built-in git host.
    pull_requests: u64,
    /// Deleted feedback entries.
    feedback: u64,
    /// Deleted API keys.
    keys: u64,
    /// Deleted credentials.
    credentials: u64,
    /// Deleted bundles.
    bundles: u64,
    /// Deleted repositories on the built-in git host.
    repositories: u64,
    /// Objects that couldn't be deleted yet. docwright retries automatically.
    left: u64,
}

impl From<Report> for Deleted {
    fn from(Report { rows, bundles, repositories, left }: Report) -> Self {
        Self {
            projects: rows.projects,
            domains: rows.domains,
            releases: rows.releases,
            export_jobs: rows.export_jobs,
            agent_jobs: rows.agent_jobs,
            pull_requests: rows.pull_requests,
            feedback: rows.feedback,
            keys: rows.keys,
            credentials: rows.credentials,
            bundles,
            repositories,
            left,
        }
    }
}

/// The deleter, with a database that writes the audit entry.
pub fn deletion(operations: &Operations, recording: Database) -> Deletion {
    let repositories = docwright_jobs::repositories::Repositories {
        database: recording,
        ..operations.repositories.clone()
    };
    Deletion { repositories, objects: operations.objects.clone() }
}

/// Runs a deletion to its end in a separate task, even if the caller leaves.
pub(crate) async fn run_to_end<T: Send + 'static>(
    work: impl Future<Output = Result<T, OperationError>> + Send + 'static,
) -> Result<T, OperationError> {
    let done = tokio::spawn(work.in_current_span()).await;
    done.map_err(|error| OperationError::Internal(error.to_string()))?
}

/// Deletes a project. `None` if someone else just deleted it.
pub async fn delete_project(
    operations: &Operations,
    caller: &Caller,
    project: &Project,
) -> Result<Option<Report>, OperationError> {
    let change = Change::of("project.delete", Some(&project.organization_id))
        .before(projects::state(project));
    Ok(deletion(operations, caller.recording(operations, change)).project(&project.id).await?)
}
