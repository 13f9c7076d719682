//! The files of a job. A job never writes to them: its changes are a value of their own.

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
    /// The bare repository that has the commit, in which others are made.
    pub(super) repository: PathBuf,
    /// Where branches are sent.
    pub(super) remote: Remote,
    /// The docs root, without links in its path.
    pub(super) root: PathBuf,
    /// Its path below the repository; empty for its root.
    pub(super) docs: String,
    /// The branch that the pull request is for.
    pub(super) base: String,
    /// The commit that the files are of.
    pub(super) commit: String,
    /// The commit that the job's first change was made to.
    pub(super) first: String,
    /// The files as they were before the job changed any of them.
    pub(super) original: Original,
}

/// Where the files are that a job has not changed yet.
pub(super) enum Original {
    /// The files of the job: it changed none before.
    Same,
    /// Another checkout, and the docs root in it. The files stay until the checkout is dropped.
    Checkout { root: PathBuf, _files: Box<Checkout> },
    /// They can't be had any more.
    Gone,
}

/// Puts the files of a job at hand: those of its branch if it has one, else of the default branch.
/// The commit of the first attempt holds for all, as long as it can be had.
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
        // A branch that was forced elsewhere might have lost it; then the newest will do.
        Err(error) if recorded != tip && !error.is_transient() => of(&tip).await?,
        found => found?,
    };
    let (root, docs) = docs_root(&checkout)?;
    let no_commit = || JobError::Permanent("the repository has no commit; push one".to_owned());
    let commit = checkout.commit().map(str::to_owned).ok_or_else(no_commit)?;
    let bare = checkout.repository().ok_or_else(no_commit)?;
    // A follow-up shows all that the job changes; a commit that can't be had any more is no reason to fail.
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

/// A pull request takes more commits while it is open.
pub(super) async fn require_open(git_hosts: &dyn GitHost, head: &str) -> Result<(), JobError> {
    match git_hosts.find(head).await? {
        Some(pull_request) if !pull_request.is_open => Err(JobError::Permanent(
            "the pull request of this job was merged or closed; start another job".to_owned(),
        )),
        _ => Ok(()),
    }
}
