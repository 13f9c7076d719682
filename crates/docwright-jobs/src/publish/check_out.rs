//! The files of a site: those of its branch, with the folder of the configuration.

use std::path::PathBuf;

use docwright_repository::checkout::{Checkout, CheckoutError, Revision};
use docwright_storage::database::Project;
use docwright_types::{preview::Preview, site::Site};

use crate::{
    queue::JobError,
    repositories::{ProjectRepository, Repositories, docs_root_at},
};

/// The files of a site.
pub(super) struct Files {
    pub(super) repository: ProjectRepository,
    pub(super) checkout: Checkout,
    /// The docs root, without links in its path.
    pub(super) root: PathBuf,
    /// Its path below the repository; empty for its root.
    pub(super) docs: String,
    /// The branch of the commit, if it is known.
    pub(super) branch: Option<String>,
    /// Why there is no docs root, so nothing can be built.
    pub(super) no_root: Option<JobError>,
}

/// Checks out the newest files of a site's branch; for previews, from the repository of the branch.
pub(super) async fn check_out(
    repositories: &Repositories,
    project: &Project,
    (site, preview): (&Site, Option<&Preview>),
) -> Result<Files, JobError> {
    let repository = repository_of(repositories, project, preview).await?;
    let branch = preview.map(|preview| preview.source.git_ref.as_str()).or(site.branch.as_deref());
    let is_of_pull_request = preview.is_some_and(|preview| preview.pull_request.is_some());
    let revision = match branch {
        None => Revision::Default,
        // A name that someone requests as a branch is always a branch.
        Some(name) if is_of_pull_request && name.starts_with("refs/") => Revision::Ref(name),
        Some(name) => Revision::Branch(name),
    };
    let docs = project.docs_path.as_str();
    let checkout = match repositories.check_out(&repository, docs, revision).await {
        // All files, so that the error can suggest another docs root.
        Err(CheckoutError::DocsPath { .. }) => {
            repositories.check_out(&repository, "", revision).await
        }
        checked_out => checked_out,
    };
    let checkout = checkout.map_err(unreadable)?;
    // A commit without a docs root is recorded before it fails.
    let (root, docs, no_root) = match docs_root_at(&checkout, docs) {
        Ok((root, docs)) => (root, docs, None),
        Err(error) => (checkout.folder().to_owned(), docs.to_owned(), Some(error)),
    };
    let branch = checkout.branch().map(str::to_owned);
    Ok(Files { repository, checkout, root, docs, branch, no_root })
}

/// The repository of the files of a project, or of one of its previews.
pub(super) async fn repository_of(
    repositories: &Repositories,
    project: &Project,
    preview: Option<&Preview>,
) -> Result<ProjectRepository, JobError> {
    match preview {
        Some(preview) => repositories.of_preview(project, &preview.source).await,
        None => repositories.of(project).await,
    }
}

fn unreadable(error: CheckoutError) -> JobError {
    let is_transient = error.is_transient();
    JobError::of(format!("the repository can't be read: {error}"), is_transient)
}
