//! The files of a job: a work tree of its own, on a shared clone that only grows by what is new.

use std::{
    io,
    path::{Path, PathBuf},
};

use docwright_domain::agent_job::{AgentJob, branch};
use docwright_site::source::{find_root, is_safe_path};
use docwright_storage::database::Project;
use sha2::{Digest, Sha256};

use super::{Install, Progress, ProposeError};
use crate::{
    forge::Forge,
    git::{Git, GitError},
};

/// The files of a job on disk. Its folder is removed with it.
#[derive(Debug)]
pub(super) struct Checkout {
    /// The docs root.
    pub(super) root: PathBuf,
    /// The work tree.
    pub(super) folder: PathBuf,
    /// The branch that the pull request is for.
    pub(super) base: String,
    /// The commit that the files are of.
    pub(super) commit: String,
}

impl Drop for Checkout {
    fn drop(&mut self) {
        if let Err(error) = std::fs::remove_dir_all(&self.folder)
            && error.kind() != io::ErrorKind::NotFound
        {
            tracing::warn!(folder = %self.folder.display(), %error, "a work tree can't be removed");
        }
    }
}

/// Largest work tree, in bytes.
const MAXIMUM_BYTES: u64 = 2 * 1024 * 1024 * 1024;

/// Puts the files of a job at hand: those of its branch if it has one, else of the published one.
pub(super) async fn check_out(
    job: &AgentJob,
    project: &Project,
    forge: &Forge,
    progress: &Progress<'_>,
    install: &Install,
) -> Result<Checkout, ProposeError> {
    let git = forge.git().await?;
    let address = forge.address();
    let cache = cache(&address, install).await?;
    let base = default_branch(&git, &cache, &address).await?;
    let tip = match &job.git_ref {
        Some(own) => {
            require_open(forge, own).await?;
            fetch(&git, &cache, &address, own).await?
        }
        None => fetch(&git, &cache, &address, &base).await?,
    };
    let commit = progress.base_commit(&tip).await?;
    let folder = install.scratch.join("jobs").join(&job.id);
    add_work_tree(&git, &cache, &folder, &commit, &tip).await?;
    refuse_large(&folder)?;
    let docs = project.docs_path.trim_matches('/');
    if !docs.is_empty() && !is_safe_path(docs) {
        return Err(ProposeError::Impossible(format!("`{docs}` is no path within the repository")));
    }
    let root = find_root(&folder.join(docs))
        .map_err(|error| ProposeError::Impossible(hide(&error.to_string(), &folder)))?;
    Ok(Checkout { root, folder, base, commit })
}

/// Messages to callers don't tell where a server keeps its files.
fn hide(message: &str, folder: &Path) -> String {
    message.replace(&folder.display().to_string(), "the repository")
}

/// A pull request takes more commits while it is open.
async fn require_open(forge: &Forge, head: &str) -> Result<(), ProposeError> {
    match forge.find(head).await? {
        Some(pull_request) if !pull_request.is_open => Err(ProposeError::Impossible(
            "the pull request of this job was merged or closed; start another job".to_owned(),
        )),
        _ => Ok(()),
    }
}

/// The clone that the jobs of a repository share.
async fn cache(address: &str, install: &Install) -> Result<PathBuf, ProposeError> {
    let name = hex::encode(&Sha256::digest(address.as_bytes())[..16]);
    let cache = install.scratch.join("clones").join(format!("{name}.git"));
    if !cache.join("HEAD").is_file() {
        std::fs::create_dir_all(&cache)?;
        Git::new().run(&cache, &["init", "--quiet", "--bare"]).await?;
    }
    Ok(cache)
}

async fn default_branch(git: &Git, cache: &Path, address: &str) -> Result<String, ProposeError> {
    let listed = git.run(cache, &["ls-remote", "--symref", "--", address, "HEAD"]).await?;
    let head = listed.lines().find_map(|line| line.strip_prefix("ref: refs/heads/"));
    let head = head.and_then(|head| head.split_whitespace().next());
    head.map(str::to_owned).ok_or_else(|| {
        ProposeError::Impossible("the repository is empty; push a commit".to_owned())
    })
}

/// Brings the newest commit of a branch, without its history.
async fn fetch(git: &Git, cache: &Path, address: &str, name: &str) -> Result<String, ProposeError> {
    let refspec = format!("+refs/heads/{name}:refs/docwright/{name}");
    let arguments = [
        "fetch",
        "--quiet",
        "--depth",
        "1",
        "--no-tags",
        "--no-recurse-submodules",
        "--",
        address,
        &refspec,
    ];
    // Two jobs of a repository may fetch at once; the second finds the lock of the first.
    let mut attempt = 1;
    loop {
        match git.run(cache, &arguments).await {
            Ok(_) => break,
            Err(GitError::Failed { message, .. }) if message.contains("lock") && attempt < 5 => {
                tokio::time::sleep(std::time::Duration::from_millis(200 * attempt)).await;
                attempt += 1;
            }
            Err(error) => return Err(error.into()),
        }
    }
    Ok(git.run(cache, &["rev-parse", &format!("refs/docwright/{name}")]).await?)
}

/// The commit noted at first, if it is still at hand; else the newest.
async fn add_work_tree(
    git: &Git,
    cache: &Path,
    folder: &Path,
    commit: &str,
    tip: &str,
) -> Result<(), ProposeError> {
    if folder.exists() {
        std::fs::remove_dir_all(folder)?;
    }
    std::fs::create_dir_all(folder.parent().unwrap_or(folder))?;
    git.run(cache, &["worktree", "prune"]).await?;
    let known = git.run(cache, &["cat-file", "-e", &format!("{commit}^{{commit}}")]).await.is_ok();
    let commit = if known { commit } else { tip };
    let folder = folder.display().to_string();
    git.run(cache, &["worktree", "add", "--quiet", "--force", "--detach", &folder, commit]).await?;
    Ok(())
}

fn refuse_large(folder: &Path) -> Result<(), ProposeError> {
    let mut bytes = 0;
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder)? {
            let entry = entry?;
            let kind = entry.file_type()?;
            if kind.is_dir() {
                folders.push(entry.path());
            } else if kind.is_file() {
                bytes += entry.metadata()?.len();
            }
        }
    }
    if bytes <= MAXIMUM_BYTES {
        return Ok(());
    }
    Err(ProposeError::Impossible("the repository is larger than 2 GiB, the limit".to_owned()))
}

/// The branch of a job, as its host names it.
pub(super) fn head(job: &AgentJob) -> String {
    branch(&job.id)
}
