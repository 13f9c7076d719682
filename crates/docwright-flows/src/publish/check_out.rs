//! The files of a site: those of its branch, with the folder that holds the configuration.

use std::path::PathBuf;

use docwright_domain::site::Site;
use docwright_repository::checkout::{Checkout, CheckoutError, Revision};
use docwright_storage::database::Project;

use crate::{
    queue::JobError,
    repositories::{ProjectRepository, Repositories, docs_root},
};

/// The files of a site.
pub(super) struct Files {
    pub(super) repository: ProjectRepository,
    pub(super) checkout: Checkout,
    /// The docs root, without links in its path.
    pub(super) root: PathBuf,
    /// Its path below the repository; empty for its root.
    pub(super) docs: String,
}

/// Puts the newest files of a site's branch at hand.
pub(super) async fn check_out(
    repositories: &Repositories,
    project: &Project,
    site: &Site,
) -> Result<Files, JobError> {
    let repository = repositories.of(project).await?;
    let revision = site.branch.as_deref().map_or(Revision::Default, Revision::Branch);
    let (origin, docs) = (repository.origin(), project.docs_path.as_str());
    let checkout = repositories.checkouts.check_out(&origin, docs, revision).await;
    let checkout = checkout.map_err(unreadable)?;
    let (root, docs) = docs_root(&checkout)?;
    Ok(Files { repository, checkout, root, docs })
}

fn unreadable(error: CheckoutError) -> JobError {
    let may_pass = error.may_pass();
    JobError::of(format!("the repository can't be read: {error}"), may_pass)
}
