//! The files of a job. Jobs of one repository share a clone, and those of one commit its files: a job
//! never writes to them, its changes are a value of their own.

use std::{
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use docwright_domain::agent_job::AgentJob;
use docwright_site::source::{find_root, is_safe_path};
use docwright_storage::database::Project;
use sha2::{Digest, Sha256};

use super::{Install, Progress, ProposeError};
use crate::{
    forge::Forge,
    git::{Git, GitError},
};

/// The files of a job on disk.
#[derive(Debug)]
pub(super) struct Checkout {
    /// The clone that they are from.
    pub(super) clone: PathBuf,
    /// The docs root.
    pub(super) root: PathBuf,
    /// Path of the docs root within the repository; empty for its root.
    pub(super) docs: String,
    /// The branch that the pull request is for.
    pub(super) base: String,
    /// The commit that the files are of.
    pub(super) commit: String,
}

/// Files of a commit that nobody worked on for this long are removed.
const UNUSED: Duration = Duration::from_hours(1);
/// Largest repository, in bytes.
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
    let clone = clone(&address, install).await?;
    let base = default_branch(&git, &clone, &address).await?;
    let tip = match &job.git_ref {
        Some(own) => {
            require_open(forge, own).await?;
            fetch(&git, &clone, &address, own).await?
        }
        None => fetch(&git, &clone, &address, &base).await?,
    };
    let recorded = progress.base_commit(&tip).await?;
    // The commit recorded at first may be gone, on another machine; then the newest will do.
    let known = git.run(&clone, &["cat-file", "-e", &format!("{recorded}^{{commit}}")]).await.is_ok();
    let commit = if known { recorded } else { tip };
    let folder = files(&git, &clone, &commit).await?;
    let docs = project.docs_path.trim_matches('/');
    if !docs.is_empty() && !is_safe_path(docs) {
        return Err(ProposeError::Impossible(format!("`{docs}` is no path within the repository")));
    }
    let root = find_root(&folder.join(docs))
        .map_err(|error| ProposeError::Impossible(hide(&error.to_string(), &folder)))?;
    let docs = root.strip_prefix(&folder).unwrap_or(&root).display().to_string();
    Ok(Checkout { clone, root, docs, base, commit })
}

/// Messages to callers leave out where a server keeps its files.
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
async fn clone(address: &str, install: &Install) -> Result<PathBuf, ProposeError> {
    let name = hex::encode(&Sha256::digest(address.as_bytes())[..16]);
    let clone = install.scratch.join("clones").join(format!("{name}.git"));
    if !clone.join("HEAD").is_file() {
        std::fs::create_dir_all(&clone)?;
        Git::new().run(&clone, &["init", "--quiet", "--bare"]).await?;
    }
    Ok(clone)
}

async fn default_branch(git: &Git, clone: &Path, address: &str) -> Result<String, ProposeError> {
    let listed = git.run(clone, &["ls-remote", "--symref", "--", address, "HEAD"]).await?;
    let head = listed.lines().find_map(|line| line.strip_prefix("ref: refs/heads/"));
    let head = head.and_then(|head| head.split_whitespace().next());
    head.map(str::to_owned).ok_or_else(|| {
        ProposeError::Impossible("the repository is empty; push a commit".to_owned())
    })
}

/// Brings the newest commit of a branch, without its history.
async fn fetch(git: &Git, clone: &Path, address: &str, name: &str) -> Result<String, ProposeError> {
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
        match git.run(clone, &arguments).await {
            Ok(_) => break,
            Err(GitError::Failed { message, .. }) if message.contains("lock") && attempt < 5 => {
                tokio::time::sleep(std::time::Duration::from_millis(200 * attempt)).await;
                attempt += 1;
            }
            Err(error) => return Err(error.into()),
        }
    }
    Ok(git.run(clone, &["rev-parse", &format!("refs/docwright/{name}")]).await?)
}

/// The files of a commit, below a folder that is complete as soon as it is there.
async fn files(git: &Git, clone: &Path, commit: &str) -> Result<PathBuf, ProposeError> {
    let all = clone.with_extension("files");
    let folder = all.join(commit);
    if !folder.is_dir() {
        std::fs::create_dir_all(&all)?;
        let partial = tempfile::tempdir_in(&all)?;
        let tree = partial.path().join("tree");
        std::fs::create_dir(&tree)?;
        let index = partial.path().join("index").display().to_string();
        let git = git.clone().with_environment("GIT_INDEX_FILE", index);
        let work_tree = format!("--work-tree={}", tree.display());
        git.run(clone, &["read-tree", commit]).await?;
        git.run(clone, &[&work_tree, "checkout-index", "--all", "--force"]).await?;
        refuse_large(&tree)?;
        // Another job may have been faster; its files are the same.
        if let Err(error) = std::fs::rename(&tree, &folder)
            && !folder.is_dir()
        {
            return Err(error.into());
        }
    }
    std::fs::write(all.join(format!("{commit}.used")), "")?;
    remove_unused(&all);
    Ok(folder)
}

/// Removes the files of commits that were not used for a time. What can't be removed stays.
fn remove_unused(all: &Path) {
    let Ok(entries) = std::fs::read_dir(all) else { return };
    for mark in entries.flatten().map(|entry| entry.path()) {
        let is_mark = mark.extension().is_some_and(|extension| extension == "used");
        let used = mark.metadata().and_then(|metadata| metadata.modified());
        let old = used.is_ok_and(|used| {
            SystemTime::now().duration_since(used).is_ok_and(|since| since > UNUSED)
        });
        if is_mark && old {
            let removed = std::fs::remove_dir_all(mark.with_extension(""));
            if let Err(error) = removed.and_then(|()| std::fs::remove_file(&mark)) {
                tracing::warn!(folder = %mark.display(), %error, "old files can't be removed");
            }
        }
    }
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
