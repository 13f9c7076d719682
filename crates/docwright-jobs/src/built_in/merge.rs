//! Merges pull requests: with a merge commit, as one commit, or commit by commit. Trees and commits are written before
//! the base branch moves, so a merge that is interrupted changes nothing.

use docwright_repository::git::{Git, GitError};
use docwright_storage::database::MergedCommits;
use docwright_types::pull_request::{MergeMethod, PullRequest, PullRequestState};

use super::{BuiltIn, BuiltInError, EMAIL, NAME};

/// Most commits of a rebase. Each takes a few git commands.
const MAXIMUM_REBASED: usize = 250;

/// Longest message of a commit that is written, in bytes. An argument of a program has less than twice that.
const MAXIMUM_MESSAGE: usize = 64 * 1024;

/// How to merge a pull request.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MergeOptions {
    /// How the change becomes a part of the base branch.
    pub method: MergeMethod,
    /// The newest commit of the branch, as the caller knows it. Nothing is merged if the branch has another one.
    pub head_commit: Option<String>,
    /// Whether to delete the branch after the merge.
    pub deletes_branch: bool,
}

impl BuiltIn {
    /// Merges a pull request into its base branch, and requests the releases that follow. A pull request that is
    /// already merged, such as after a crash, is only recorded as merged.
    pub async fn merge(&self, number: i64, options: &MergeOptions) -> Result<(), BuiltInError> {
        let found = self.database.pull_request(&self.project_id, number).await?;
        let missing = || BuiltInError::Refused("the pull request doesn't exist".to_owned());
        let pull_request = found.ok_or_else(missing)?;
        if pull_request.state != PullRequestState::Open {
            return Err(BuiltInError::Refused(format!(
                "the pull request is {}, not open",
                pull_request.state.name()
            )));
        }
        self.expect_change().await?;
        let (merged, head_commit) = self.merge_branches(&pull_request, options).await?;
        self.record_size().await?;
        let default = self.default_branch().await?;
        let of_default = (&merged, default == pull_request.base);
        self.database.record_merge(&pull_request, of_default, self.clock.now()).await?;
        if options.deletes_branch && pull_request.head != default {
            self.delete_branch(&pull_request.head, &head_commit).await?;
        }
        Ok(())
    }

    /// Deletes a branch. It stays if it has another commit by now.
    async fn delete_branch(&self, branch: &str, commit: &str) -> Result<(), GitError> {
        let branch = format!("refs/heads/{branch}");
        match self.git.run(&self.repository(), &["update-ref", "-d", &branch, commit]).await {
            Err(error @ GitError::Failed { .. }) => {
                tracing::warn!(%error, branch, "merged branch kept");
                Ok(())
            }
            deleted => deleted.map(drop),
        }
    }

    /// Moves the base branch. Returns its commits, and the newest one of the merged branch.
    pub(super) async fn merge_branches(
        &self,
        pull_request: &PullRequest,
        options: &MergeOptions,
    ) -> Result<(MergedCommits, String), BuiltInError> {
        let (base, head) = (pull_request.base.as_str(), pull_request.head.as_str());
        let gone =
            |branch: &str| BuiltInError::Refused(format!("the branch `{branch}` doesn't exist"));
        let before = self.commit(base).await?.ok_or_else(|| gone(base))?;
        let change = Change {
            host: self,
            git: self.git.clone().with_author(NAME, EMAIL),
            pull_request,
            head: self.commit(head).await?.ok_or_else(|| gone(head))?,
            before,
        };
        if options.head_commit.as_ref().is_some_and(|reviewed| *reviewed != change.head) {
            return Err(BuiltInError::Refused(format!(
                "the branch `{head}` has other commits than the ones that you reviewed. Review the pull request again"
            )));
        }
        let after = change.merged(options.method).await?;
        let Change { before, head, .. } = change;
        if after == before {
            // Someone merged it before. What it brought is known if the newest commit is that merge.
            let parents = self.parents(&after).await?;
            let before = match parents.as_slice() {
                [first, second] if *second == head => Some(first.clone()),
                _ => None,
            };
            return Ok((MergedCommits { before, after }, head));
        }
        // Names the expected commit, so that a push in between isn't lost.
        let branch = format!("refs/heads/{base}");
        self.git.run(&self.repository(), &["update-ref", &branch, &after, &before]).await?;
        Ok((MergedCommits { before: Some(before), after }, head))
    }

    /// The parents of a commit.
    async fn parents(&self, commit: &str) -> Result<Vec<String>, GitError> {
        let arguments = ["rev-list", "--parents", "--max-count=1", commit];
        let line = self.git.run(&self.repository(), &arguments).await?;
        Ok(line.split_whitespace().skip(1).map(str::to_owned).collect())
    }
}

/// What to merge.
struct Change<'a> {
    host: &'a BuiltIn,
    /// Commits as the host.
    git: Git,
    pull_request: &'a PullRequest,
    /// The newest commit of the base branch.
    before: String,
    /// The newest commit of the branch.
    head: String,
}

/// Who wrote a commit, when, and its message.
struct Authored {
    name: String,
    email: String,
    /// Seconds since 1970, and the time zone.
    date: String,
    message: String,
}

impl Change<'_> {
    async fn run(&self, arguments: &[&str]) -> Result<String, GitError> {
        self.git.run(&self.host.repository(), arguments).await
    }

    /// The commit that the base branch gets; the one that it has if it contains the change already.
    async fn merged(&self, method: MergeMethod) -> Result<String, BuiltInError> {
        let Self { before, head, pull_request, .. } = self;
        let PullRequest { number, title, base, .. } = pull_request;
        if self.run(&["rev-list", "--count", &format!("{before}..{head}")]).await? == "0" {
            return Ok(before.clone());
        }
        let tree = self.host.merge_tree(before, head).await?.ok_or_else(|| {
            BuiltInError::Refused(format!(
                "the pull request conflicts with {base}. Start another agent job, or merge with git"
            ))
        })?;
        match method {
            MergeMethod::Merge => {
                let message = format!("Merge pull request {number}: {title}");
                let arguments = ["commit-tree", &tree, "-p", before, "-p", head, "-m", &message];
                Ok(self.run(&arguments).await?)
            }
            // After a crash, the base branch can have the commit.
            _ if tree == self.tree_of(before).await? => Ok(before.clone()),
            MergeMethod::Squash => {
                let author = self.authored(head).await?;
                let message = format!("{title} (#{number})");
                Ok(self.commit(&tree, before, &Authored { message, ..author }).await?)
            }
            MergeMethod::Rebase => self.rebased(&tree).await,
        }
    }

    /// The commits of the branch on top of the base branch, without merges and without those that change nothing there.
    /// Fails if they don't lead to the same files as a merge.
    async fn rebased(&self, tree: &str) -> Result<String, BuiltInError> {
        let Self { before, head, .. } = self;
        let range = format!("{before}..{head}");
        let arguments = ["rev-list", "--reverse", "--topo-order", "--no-merges", &range];
        let listed = self.run(&arguments).await?;
        if listed.lines().count() > MAXIMUM_REBASED {
            return Err(BuiltInError::Refused(format!(
                "a rebase has at most {MAXIMUM_REBASED} commits. Squash them, or use a merge commit"
            )));
        }
        let mut tip = before.clone();
        for commit in listed.lines() {
            let short = commit.get(..7).unwrap_or(commit);
            tip = self.replayed(commit, &tip).await?.ok_or_else(|| {
                BuiltInError::Refused(format!(
                    "commit {short} conflicts with the commits before it. Squash them, or use a merge commit"
                ))
            })?;
        }
        if self.tree_of(&tip).await? != tree {
            return Err(BuiltInError::Refused(
                "a rebase would lose what merge commits of the branch changed. Squash them, or use a merge commit"
                    .to_owned(),
            ));
        }
        Ok(tip)
    }

    /// The change of a commit on top of another one; `None` if they conflict.
    async fn replayed(&self, commit: &str, tip: &str) -> Result<Option<String>, GitError> {
        let parents = self.host.parents(commit).await?;
        let Some(parent) = parents.first() else { return Ok(None) };
        if parent == tip {
            return Ok(Some(commit.to_owned()));
        }
        // A stand-in with the files of the tip and the parent of the commit: their merge base is that parent, so their
        // merge adds the change of this commit alone.
        let files = self.tree_of(tip).await?;
        let stand_in = self.run(&["commit-tree", &files, "-p", parent, "-m", "Rebase"]).await?;
        let Some(tree) = self.host.merge_tree(&stand_in, commit).await? else { return Ok(None) };
        if tree == files {
            return Ok(Some(tip.to_owned()));
        }
        Ok(Some(self.commit(&tree, tip, &self.authored(commit).await?).await?))
    }

    async fn tree_of(&self, commit: &str) -> Result<String, GitError> {
        self.run(&["rev-parse", "--verify", &format!("{commit}^{{tree}}")]).await
    }

    async fn authored(&self, commit: &str) -> Result<Authored, GitError> {
        // The hash comes first, since the output is trimmed and names can be empty.
        let format = "--format=%H%n%an%n%ae%n%ad%n%B";
        let text = self.run(&["log", "--max-count=1", "--date=raw", format, commit]).await?;
        let mut lines = text.splitn(5, '\n').skip(1).map(str::to_owned);
        let mut next = || lines.next().unwrap_or_default();
        Ok(Authored { name: next(), email: next(), date: next(), message: next() })
    }

    /// A commit of an author with one parent.
    async fn commit(
        &self,
        tree: &str,
        parent: &str,
        author: &Authored,
    ) -> Result<String, GitError> {
        let Authored { name, email, date, message } = author;
        // Git refuses an author without a name.
        let name = if name.trim().is_empty() { NAME } else { name };
        let git = self.git.clone().with_variable("GIT_AUTHOR_NAME", name);
        let git =
            git.with_variable("GIT_AUTHOR_EMAIL", email).with_variable("GIT_AUTHOR_DATE", date);
        let message = &message[..message.floor_char_boundary(MAXIMUM_MESSAGE)];
        let arguments = ["commit-tree", tree, "-p", parent, "-m", message];
        git.run(&self.host.repository(), &arguments).await
    }
}
