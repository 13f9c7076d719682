//! Pushes changes as a branch, without a work tree: a commit is created from the parent's tree and the changes.

use std::{collections::BTreeMap, path::Path, time::Duration};

use docwright_agent::{
    policy::documentation::Documentation,
    run::Run,
    workspace::{Change, Changes},
};
use docwright_repository::{git::Git, git_hosts::GitHost, patch::Patch};
use docwright_types::{
    agent_job::{AgentJob, JobDiff, branch},
    timestamp::iso,
};

use super::{Files, Progress, Proposer, check_out::require_open, describe};
use crate::queue::{JobError, Step};

/// Longest diff of a job that is stored with lines, in bytes.
const MAXIMUM_DIFF: usize = 256 * 1024;
/// Time limit for git to print it.
const DIFF_TIME: Duration = Duration::from_secs(30);
/// Arguments that one command gets at most.
const BATCH: usize = 400;

/// Inputs of a commit.
#[derive(Clone, Copy)]
pub(super) struct NewCommit<'a> {
    pub(super) run: &'a Run,
    pub(super) job: &'a AgentJob,
    pub(super) files: &'a Files,
    pub(super) summary: &'a str,
    /// Paths that agents can change.
    pub(super) documentation: &'a Documentation,
    /// The host of the pull request.
    pub(super) git_hosts: &'a dyn GitHost,
}

/// Commits the changes and pushes the job's own branch. `false` if nothing changed. It is idempotent: the same job
/// creates the same commit again.
pub(super) async fn push(
    proposer: &Proposer,
    NewCommit { run, job, files, summary, documentation, git_hosts }: NewCommit<'_>,
    progress: &Progress<'_>,
) -> Result<bool, JobError> {
    let folder = tempfile::tempdir_in(&proposer.scratch)?;
    let (name, email) = &proposer.author;
    let date = iso(job.created_at);
    let git = files.remote.git().clone();
    let git = git
        .with_author(name, email)
        .with_variable("GIT_AUTHOR_DATE", &date)
        .with_variable("GIT_COMMITTER_DATE", &date)
        .with_variable("GIT_INDEX_FILE", folder.path().join("index").display().to_string());
    let index = Index { git: &git, files, folder: folder.path() };
    let tree = index.tree(run.changes()).await?;
    let repository = &files.repository;
    let before = git.run(repository, &["rev-parse", &format!("{}^{{tree}}", files.commit)]).await?;
    if tree == before {
        return Ok(false);
    }
    require_documentation(&git, files, (before.as_str(), tree.as_str()), documentation).await?;
    let message =
        format!("{}\n\nSigned-off-by: {name} <{email}>", describe::commit_message(summary));
    let arguments = ["commit-tree", &tree, "-p", &files.commit, "-m", &message];
    let commit = git.run(repository, &arguments).await?;
    progress.step(Step::Committed).await?;
    // Someone might have closed it while the agent worked.
    if let Some(own) = &job.git_ref {
        require_open(git_hosts, own).await?;
    }
    progress.held().confirm().await?;
    let head = branch(&job.id);
    files.remote.push(repository, &commit, &head).await?;
    let diff = diff(files, &commit).await;
    progress.branch(&head, diff.as_ref()).await?;
    progress.step(Step::Pushed).await?;
    Ok(true)
}

/// Fails unless all differences between two trees are documentation. The agent's tools refuse other files earlier;
/// this checks what is about to be pushed, whatever its origin.
async fn require_documentation(
    git: &Git,
    files: &Files,
    (before, after): (&str, &str),
    documentation: &Documentation,
) -> Result<(), JobError> {
    let difference = ["diff-tree", "-r", "-z", "--no-renames", "--raw", before, after];
    let listed = git.run(&files.repository, &difference).await?;
    let mut fields = listed.split('\0').filter(|field| !field.is_empty());
    // `:<mode before> <mode after> <name before> <name after> <kind>`, and the path.
    while let (Some(facts), Some(path)) = (fields.next(), fields.next()) {
        let mut modes = facts.trim_start().trim_start_matches(':').split(' ');
        let (old, new) = (modes.next().unwrap_or_default(), modes.next().unwrap_or_default());
        let below = if files.docs.is_empty() {
            Some(path)
        } else {
            path.strip_prefix(files.docs.as_str()).and_then(|path| path.strip_prefix('/'))
        };
        let is_file = |mode: &str| matches!(mode, "000000" | "100644" | "100755");
        let refusal = match below {
            None => Some(format!("`{path}` is outside the docs root")),
            Some(_) if !is_file(old) || !is_file(new) => {
                Some(format!("`{path}` is a symbolic link or a submodule"))
            }
            Some(below) => {
                documentation.check(below, old != "000000").err().map(|refusal| refusal.0)
            }
        };
        if let Some(refusal) = refusal {
            return Err(JobError::Permanent(format!("nothing was pushed: {refusal}")));
        }
    }
    Ok(())
}

/// The diff of the branch, for people to read; empty if git fails, since the change itself exists.
async fn diff(files: &Files, commit: &str) -> Option<JobDiff> {
    let git = files.remote.git().clone().with_timeout(DIFF_TIME);
    let range = format!("{}..{commit}", files.first);
    match Patch::read(&git, &files.repository, (&range, &files.docs), MAXIMUM_DIFF).await {
        Ok(patch) => {
            let (is_whole, text) = match patch {
                Patch::Whole(text) => (true, text),
                Patch::Counts(text) => (false, text),
            };
            // Databases store no NUL in texts, and git treats a file as text if its start has none.
            let text = text.replace('\0', "\u{fffd}");
            Some(JobDiff { base: files.first.clone(), commit: commit.to_owned(), is_whole, text })
        }
        Err(error) => {
            tracing::warn!(%error, "changes of the job not read");
            None
        }
    }
}

/// A file in git: its mode and the name of its contents.
#[derive(Debug, Clone)]
struct Entry {
    mode: String,
    blob: String,
}

/// A separate index for one commit.
struct Index<'a> {
    git: &'a Git,
    files: &'a Files,
    folder: &'a Path,
}

impl Index<'_> {
    /// The tree of the parent, with the changes.
    async fn tree(&self, changes: &Changes) -> Result<String, JobError> {
        self.run(&["read-tree", &self.files.commit]).await?;
        let known = self.known(changes).await?;
        let blobs = self.write_texts(changes).await?;
        let mut information = Vec::new();
        let mut removed = Vec::new();
        for (path, change) in changes.iter() {
            let full = self.full(path);
            let mode = known.get(&full).map_or("100644", |entry| &entry.mode);
            match change {
                Change::Written(_) => information.push(format!("{mode},{},{full}", blobs[path])),
                Change::Moved(from) => {
                    if let Some(Entry { mode, blob }) = known.get(&self.full(from)) {
                        information.push(format!("{mode},{blob},{full}"));
                    }
                }
                Change::Deleted => removed.push(full),
            }
        }
        // Removing needs a work tree, though it reads none.
        let work_tree = format!("--work-tree={}", self.folder.display());
        let remove = [work_tree.as_str(), "update-index", "--force-remove", "--"];
        for batch in removed.chunks(BATCH) {
            self.run(&arguments(&remove, batch.iter().map(String::as_str))).await?;
        }
        for batch in information.chunks(BATCH) {
            let entries = batch.iter().flat_map(|entry| ["--cacheinfo", entry.as_str()]);
            self.run(&arguments(&["update-index", "--add"], entries)).await?;
        }
        self.run(&["write-tree"]).await
    }

    async fn run(&self, arguments: &[&str]) -> Result<String, JobError> {
        Ok(self.git.run(&self.files.repository, arguments).await?)
    }

    /// The repository's path of a path below the docs root.
    fn full(&self, path: &str) -> String {
        if self.files.docs.is_empty() {
            return path.to_owned();
        }
        format!("{}/{path}", self.files.docs)
    }

    /// Entries of the files that are changed or moved away.
    async fn known(&self, changes: &Changes) -> Result<BTreeMap<String, Entry>, JobError> {
        let mut paths: Vec<String> = Vec::new();
        for (path, change) in changes.iter() {
            paths.push(self.full(path));
            if let Change::Moved(from) = change {
                paths.push(self.full(from));
            }
        }
        let mut known = BTreeMap::new();
        for batch in paths.chunks(BATCH) {
            let literal = ["--literal-pathspecs", "ls-files", "--stage", "-z", "--"];
            let listed = self.run(&arguments(&literal, batch.iter().map(String::as_str))).await?;
            // `<mode> <name> <stage>\t<path>`
            for line in listed.split('\0') {
                let Some((facts, path)) = line.split_once('\t') else { continue };
                let mut facts = facts.split(' ').map(str::to_owned);
                if let (Some(mode), Some(blob)) = (facts.next(), facts.next()) {
                    known.insert(path.to_owned(), Entry { mode, blob });
                }
            }
        }
        Ok(known)
    }

    /// Stores the new texts in git; returns the names of their contents by path.
    async fn write_texts<'c>(
        &self,
        changes: &'c Changes,
    ) -> Result<BTreeMap<&'c String, String>, JobError> {
        let mut files = Vec::new();
        for (path, change) in changes.iter() {
            if let Change::Written(text) = change {
                let file = self.folder.join(format!("text-{}", files.len()));
                std::fs::write(&file, text)?;
                files.push((path, file.display().to_string()));
            }
        }
        let mut blobs = BTreeMap::new();
        for batch in files.chunks(BATCH) {
            let paths = batch.iter().map(|(_, file)| file.as_str());
            let command = arguments(&["hash-object", "-w", "--no-filters", "--"], paths);
            let names = self.run(&command).await?;
            let names = names.lines().map(str::to_owned);
            blobs.extend(batch.iter().map(|(path, _)| *path).zip(names));
        }
        Ok(blobs)
    }
}

fn arguments<'a>(command: &[&'a str], rest: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    command.iter().copied().chain(rest).collect()
}
