//! Web addresses of projects on their git hosts.

use docwright_jobs::repositories::location;
use docwright_repository::{location::Location, web::WebRepository};
use docwright_storage::database::Project;

use crate::Operations;

/// The web pages of a project's repository; `None` if its host has none, or its kind is unknown.
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

/// The address of a project on docwright's own git host, to clone from and push to.
pub fn clone_url(operations: &Operations, project: &Project) -> Option<String> {
    match location(project) {
        // The command line does not know the address of the service.
        Ok(Location::BuiltIn) if !operations.repositories.public_url.is_empty() => {
            Some(operations.repositories.built_in(&project.id).clone_url())
        }
        _ => None,
    }
}
