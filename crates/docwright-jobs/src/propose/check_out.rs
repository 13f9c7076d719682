//! The files of a job. A job never writes to them: its changes are a separate value.

use std::path::PathBuf;

use docwright_repository::{
    checkout::{Checkout, Revision},
    git_hosts::GitHost,
    remote::Remote,
};
use docwright_storage::database::Project;
use docwright_types::agent_job::AgentJob;

use super::{Progress, Proposer};
use crate::{queue::JobError, repositories::docs_root};

/// The files of a job.
pub(super) struct Files {
    pub(super) checkout: Checkout,
    /// The bare repository with the commit, in which new commits are created.
    pub(super) repository: PathBuf,
    /// The repository to push branches to.
    pub(super) remote: Remote,
    /// The docs root, without links in its path.
    pub(super) root: PathBuf,
    /// Its path below the repository; empty for its root.
    pub(super) docs: String,
    /// The base branch of the pull request.
    pub(super) base: String,
    /// The commit of the files.
    pub(super) commit: String,
    /// The parent of the job's first commit.
    pub(super) first: String,
    /// The files before any change of the job.
    pub(super) original: Original,
}

/// Source of the files that a job has not changed.
pub(super) enum Original {
    /// The files of the job, which has changed none yet.
    Same,
    /// Another checkout, and the docs root in it. The files stay until the checkout is dropped.
    Checkout { root: PathBuf, _files: Box<Checkout> },
    /// They are no longer available.
    Gone,
}

/// Checks out the files of a job: those of its branch if it has one, else of the default branch. All attempts use
/// the commit of the first one, while it is available.
pub(super) async fn check_out(
    proposer: &Proposer,
    job: &AgentJob,
    project: &Project,
    git_hosts: &dyn GitHost,
    progress: &Progress<'_>,
) -> Result<Files, JobError> {
    let repository = proposer.repositories.of(project).await?;
    let remote = proposer.repositories.checkouts.connect(&repository.origin()).await?;
    let base = remote.head(None).await?;
    let tip = match &job.git_ref {
        Some(own) => {
            require_open(git_hosts, own).await?;
            remote.head(Some(own)).await?.commit
        }
        None => base.commit,
    };
    let recorded = progress.base_commit(&tip).await?;
    tracing::Span::current().record("commit", recorded.as_str());
    let docs = project.docs_path.as_str();
    let of = |commit| proposer.repositories.check_out(&repository, docs, Revision::Commit(commit));
    let checkout = match of(&recorded).await {
        // A force push might have removed it; then the newest commit is used.
        Err(error) if recorded != tip && !error.is_transient() => of(&tip).await?,
        found => found?,
    };
    let (root, docs) = docs_root(&checkout)?;
    let no_commit = || JobError::Permanent("the repository has no commit; push one".to_owned());
    let commit = checkout.commit().map(str::to_owned).ok_or_else(no_commit)?;
    let bare = checkout.repository().ok_or_else(no_commit)?;
    // A follow-up shows all changes of the job; a commit that is gone is no reason to fail.
    let mut first = commit.clone();
    let mut original = if job.git_ref.is_some() { Original::Gone } else { Original::Same };
    if let Some(before) = proposer.database.agent_diff(&job.id).await?
        && before.base != commit
        && let Ok(checkout) = of(&before.base).await
    {
        first = before.base;
        if let Ok((root, _)) = docs_root(&checkout) {
            original = Original::Checkout { root, _files: Box::new(checkout) };
        }
    }
    Ok(Files {
        checkout,
        repository: bare,
        remote,
        root,
        docs,
        base: base.branch,
        commit,
        first,
        original,
    })
}

/// A pull request accepts more commits while it is open.
pub(super) async fn require_open(git_hosts: &dyn GitHost, head: &str) -> Result<(), JobError> {
    match git_hosts.find(head).await? {
        Some(pull_request) if !pull_request.is_open => Err(JobError::Permanent(
            "the pull request of this job was merged or closed; start another job".to_owned(),
        )),
        _ => Ok(()),
    }
}
