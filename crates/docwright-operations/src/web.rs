//! Where things are on the pages of the host that has a project's repository.

use docwright_jobs::repositories::location;
use docwright_repository::{location::Location, web::WebRepository};
use docwright_storage::database::Project;

use crate::Operations;

/// The pages of a project's repository; `None` if its host has none, or nobody knows what kind it is.
pub fn of_project(operations: &Operations, project: &Project) -> Option<WebRepository> {
    match location(project) {
        Ok(Location::Remote(address)) => {
            WebRepository::of(&address, &operations.repositories.hosts)
        }
        _ => None,
    }
}

/// The page of a pull request of a project.
pub fn pull_request(operations: &Operations, project: &Project, number: i64) -> Option<String> {
    match location(project) {
        Ok(Location::BuiltIn) if !operations.repositories.public_url.is_empty() => {
            Some(operations.repositories.built_in(&project.id).pull_request_url(number))
        }
        _ => of_project(operations, project).map(|web| web.pull_request(number).into()),
    }
}

/// Where git clones a project from, and pushes to, on docwright's own host.
pub fn clone_url(operations: &Operations, project: &Project) -> Option<String> {
    match location(project) {
        // The shell does not know where the service is.
        Ok(Location::BuiltIn) if !operations.repositories.public_url.is_empty() => {
            Some(operations.repositories.built_in(&project.id).clone_url())
        }
        _ => None,
    }
}
