//! A small edit: the file of a page at the head of a branch, and a pull request that changes nothing else.
//!
//! Callers decide who can edit, and which file is that of a page. Nothing is pushed to the branch itself.

use std::path::{Path, PathBuf};

use docwright_repository::{
    checkout::{Checkout, Revision},
    committed_file::CommittedFile,
    git_hosts::{GitHost, NewPullRequest, OpenedPullRequest},
    location::Location,
};
use docwright_storage::database::Project;

use crate::{
    child::{
        Folders, Launcher,
        work::{BuildOptions, CompiledDraft, Draft},
    },
    queue::JobError,
    repositories::{Repositories, docs_root, location},
};

/// The files of a branch, with the file of one page.
#[derive(Debug)]
pub struct PageFile {
    /// The branch.
    pub branch: String,
    /// Its newest commit.
    pub commit: String,
    /// Path of the file below the root of the repository.
    pub path: String,
    /// The file; `None` if the branch doesn't have it.
    pub file: Option<CommittedFile>,
    _checkout: Checkout,
    /// The bare repository that has the commit.
    repository: PathBuf,
}

/// A new text of a page.
#[derive(Debug, Clone, Copy)]
pub struct Edit<'a> {
    /// The new contents of the file.
    pub contents: &'a [u8],
    /// Branch of the pull request. The same edit has the same one, so that it is proposed once.
    pub head: &'a str,
    /// Title of the pull request, and first line of the commit message.
    pub title: &'a str,
    /// Description of the change, in Markdown; can be empty.
    pub description: &'a str,
    /// Name and email of the author.
    pub author: (&'a str, &'a str),
}

/// Why a page can't be edited.
#[derive(Debug, thiserror::Error)]
pub enum EditError {
    /// The pull request of the same edit was merged or closed; its URL.
    #[error("the pull request of this edit was merged or closed: {0}")]
    Closed(String),
    /// The repository, its host, or the database refused.
    #[error(transparent)]
    Job(#[from] JobError),
}

impl PageFile {
    /// Finds a file, by its path below the docs root, in the newest commit of a branch; of the default branch if none
    /// is named.
    pub async fn find(
        repositories: &Repositories,
        project: &Project,
        (branch, below): (Option<&str>, &str),
    ) -> Result<Self, JobError> {
        let repository = repositories.of(project).await?;
        let revision = branch.map_or(Revision::Default, Revision::Branch);
        let checkout = repositories.check_out(&repository, &project.docs_path, revision).await?;
        let (_, docs) = docs_root(&checkout)?;
        let no_git = || {
            JobError::Permanent("the repository is a folder of the server, without pull requests; change the file there".to_owned())
        };
        let bare = checkout.repository().ok_or_else(no_git)?;
        let commit = checkout.commit().ok_or_else(no_git)?.to_owned();
        let branch = checkout.branch().ok_or_else(no_git)?.to_owned();
        let path = if docs.is_empty() { below.to_owned() } else { format!("{docs}/{below}") };
        let git = &repositories.checkouts.git;
        let file = CommittedFile::find(git, &bare, (&commit, &path)).await?;
        Ok(Self { branch, commit, path, file, _checkout: checkout, repository: bare })
    }

    /// The contents of the file; empty if there is none.
    pub async fn contents(&self, repositories: &Repositories) -> Result<Vec<u8>, JobError> {
        let Some(file) = &self.file else { return Ok(Vec::new()) };
        Ok(file.contents(&repositories.checkouts.git, &self.repository).await?)
    }

    /// Opens a pull request with new contents of the file. Repeating it finds the same pull request.
    pub async fn propose(
        &self,
        repositories: &Repositories,
        project: &Project,
        edit: Edit<'_>,
        scratch: &Path,
    ) -> Result<OpenedPullRequest, EditError> {
        let missing = || JobError::Permanent(format!("`{}` doesn't exist", self.path));
        let file = self.file.as_ref().ok_or_else(missing)?;
        // A host that can't open pull requests says so before anything is pushed.
        let hosts = repositories.git_hosts(project).await?;
        if let Some(found) = self.find_open(hosts.as_ref(), edit.head).await? {
            return Ok(found);
        }
        let is_built_in = location(project)? == Location::BuiltIn;
        if is_built_in {
            repositories.database.require_storage(&project.id).await.map_err(JobError::from)?;
        }
        let (name, email) = edit.author;
        let git = repositories.checkouts.git.clone().with_author(name, email);
        let message = [edit.title, edit.description].join("\n\n");
        let created = (self.commit.as_str(), message.trim_end());
        let commit = file.replace((&git, &self.repository), created, edit.contents, scratch).await;
        let commit = commit.map_err(JobError::from)?;
        let repository = repositories.of(project).await?;
        let remote = repositories.checkouts.connect(&repository.origin()).await;
        let remote = remote.map_err(JobError::from)?;
        let pushed = remote.push(&self.repository, &commit, edit.head).await;
        pushed.map_err(JobError::from)?;
        if is_built_in {
            let recorded = repositories.built_in(&project.id).record_size().await;
            recorded.map_err(JobError::from)?;
        }
        let new = NewPullRequest {
            head: edit.head.to_owned(),
            base: self.branch.clone(),
            title: edit.title.to_owned(),
            body: edit.description.to_owned(),
        };
        Ok(hosts.open(&new).await.map_err(JobError::from)?)
    }

    async fn find_open(
        &self,
        hosts: &dyn GitHost,
        head: &str,
    ) -> Result<Option<OpenedPullRequest>, EditError> {
        match hosts.find(head).await.map_err(JobError::from)? {
            Some(found) if !found.is_open => Err(EditError::Closed(found.url)),
            found => Ok(found),
        }
    }
}

/// A text of a page that isn't saved.
#[derive(Debug)]
pub struct PageDraft {
    /// The commit of all other files.
    pub commit: String,
    /// Path of the file below the docs root.
    pub file: String,
    /// The text.
    pub text: String,
    /// Inputs of the site besides its files.
    pub options: BuildOptions,
}

/// Compiles a draft in a child process. `None` if no page is made of the file.
pub async fn compile(
    repositories: &Repositories,
    launcher: &Launcher,
    project: &Project,
    PageDraft { commit, file, text, options }: PageDraft,
) -> Result<Option<CompiledDraft>, JobError> {
    let repository = repositories.of(project).await?;
    let (docs, revision) = (project.docs_path.as_str(), Revision::Commit(&commit));
    let checkout = repositories.check_out(&repository, docs, revision).await?;
    let (root, _) = docs_root(&checkout)?;
    let folders = Folders { read: vec![checkout.folder().to_owned()], ..Folders::default() };
    let work = Draft { root, file, text, options };
    let compiled = launcher.run(work, &folders, &(), std::future::pending()).await;
    compiled.map_err(|error| JobError::of(&error, error.is_transient()))
}
