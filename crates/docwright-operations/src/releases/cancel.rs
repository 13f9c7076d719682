//! Cancels a release before it is ready.

use docwright_types::release::ReleaseStatus;
use serde_json::json;

use super::{Release, find, shown};
use crate::{Allowed, OperationError, Operations, audit::Change, can};

/// Cancels a queued or building release: its build stops, and its exports fail.
pub async fn cancel(
    operations: &Operations,
    caller: &Allowed<can::CancelRelease>,
    id: &str,
) -> Result<Release, OperationError> {
    let release = find(operations, caller, id).await?;
    let change = Change::of("release.cancel", Some(&release.organization_id))
        .before(json!({ "projectId": release.project_id, "status": release.status }))
        .after(json!({ "projectId": release.project_id, "status": ReleaseStatus::Failed }));
    let database = caller.recording(operations, change);
    if !database.cancel_release(id, operations.now()).await? {
        return Err(OperationError::Conflict(format!(
            "Release {id} can't be canceled. It is finished, or its lost bundle is being rebuilt."
        )));
    }
    shown(operations, find(operations, caller, id).await?).await
}
