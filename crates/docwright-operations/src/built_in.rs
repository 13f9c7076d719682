//! Repositories of the built-in git host, for pull requests and for git itself.

use docwright_jobs::{built_in::BuiltIn, previews, repositories::location};
use docwright_repository::location::Location;
use docwright_storage::database::Project;

use crate::{Caller, OperationError, Operations};

/// Whether the repository of a project is on the built-in git host.
pub fn is_built_in(project: &Project) -> bool {
    location(project) == Ok(Location::BuiltIn)
}

/// A project that a caller can access, and its repository. A project on another git host has none.
pub async fn repository(
    operations: &Operations,
    caller: &Caller,
    project_id: &str,
) -> Result<(Project, BuiltIn), OperationError> {
    let project = caller.project(operations, project_id).await?;
    if !is_built_in(&project) {
        return Err(OperationError::NotFound(
            "The repository of this project isn't on the built-in git host.".to_owned(),
        ));
    }
    let repository = operations.repositories.built_in(&project.id);
    if !repository.exists() {
        let folder = repository.repository();
        // A new repository would look like an empty one.
        return Err(OperationError::Internal(format!(
            "the repository {} is missing; restore it from a backup",
            folder.display()
        )));
    }
    Ok((project, repository))
}

/// Opens, rebuilds, and closes previews after a pull request of a project changed. A reconciler repeats what fails.
pub async fn sync_previews(operations: &Operations, project: &Project) {
    match previews::follow_built_in(&operations.repositories, project).await {
        Ok(true) => operations.wakes.releases.notify_one(),
        Ok(false) => {}
        Err(error) => tracing::warn!(%error, "previews don't follow pull requests; trying again"),
    }
}
