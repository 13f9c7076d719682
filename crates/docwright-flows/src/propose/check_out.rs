//! The files of a job. Jobs of one organisation share a clone of a repository, and those of one
//! commit its files: a job never writes to them, its changes are a value of their own.

use std::path::{Path, PathBuf};

use docwright_domain::agent_job::AgentJob;
use docwright_repository::{
    checkout::{self, CheckoutError, Revision},
    forge::Forge,
    git::GitError,
    remote::Remote,
};
use docwright_site::source::find_root;
use docwright_storage::database::Project;

use super::{Install, Progress, ProposeError};
use crate::publish::hide;

/// The files of a job on disk.
#[derive(Debug)]
pub(super) struct Checkout {
    /// The bare repository that they are from.
    pub(super) clone: PathBuf,
    /// The docs root.
    pub(super) root: PathBuf,
    /// Path of the docs root within the repository; empty for its root.
    pub(super) docs: String,
    /// The branch that the pull request is for.
    pub(super) base: String,
    /// The commit that the files are of.
    pub(super) commit: String,
    /// Where the branch of the job is sent.
    pub(super) remote: Remote,
    /// Keeps the files.
    _files: checkout::Checkout,
}

/// Puts the files of a job at hand: those of its branch if it has one, else of the published one.
pub(super) async fn check_out(
    job: &AgentJob,
    project: &Project,
    forge: &dyn Forge,
    progress: &Progress<'_>,
    install: &Install,
) -> Result<Checkout, ProposeError> {
    let place = install.repositories.place(project).await?;
    let (origin, checkouts) = (place.origin(), &install.repositories.checkouts);
    let remote = checkouts.connect(&origin).await?;
    let default = remote.head(None).await?;
    let tip = match &job.git_ref {
        Some(own) => {
            require_open(forge, own).await?;
            remote.head(Some(own)).await?.commit
        }
        None => default.commit,
    };
    let recorded = progress.base_commit(&tip).await?;
    let docs = project.docs_path.trim_matches('/');
    let files = match checkouts.check_out(&origin, docs, Revision::Commit(&recorded)).await {
        // The commit recorded at first may be gone; then the newest will do.
        Err(error) if recorded != tip && is_gone(&error) => {
            checkouts.check_out(&origin, docs, Revision::Commit(&tip)).await?
        }
        other => other?,
    };
    let root = find_root(files.root())
        .map_err(|error| ProposeError::Impossible(hide(&error.to_string(), files.folder())))?;
    Ok(Checkout {
        clone: files.repository().unwrap_or_else(|| Path::new(remote.url()).to_owned()),
        docs: files.path_of(&root)?,
        root,
        base: default.branch,
        commit: files.commit().unwrap_or(&tip).to_owned(),
        remote,
        _files: files,
    })
}

/// Whether a host does not have, or does not give, a commit that no branch leads to any more.
fn is_gone(error: &CheckoutError) -> bool {
    matches!(error, CheckoutError::Git(GitError::NoBranch(_) | GitError::Failed { .. }))
}

/// A pull request takes more commits while it is open.
async fn require_open(forge: &dyn Forge, head: &str) -> Result<(), ProposeError> {
    match forge.find(head).await? {
        Some(pull_request) if !pull_request.is_open => Err(ProposeError::Impossible(
            "the pull request of this job was merged or closed; start another job".to_owned(),
        )),
        _ => Ok(()),
    }
}
