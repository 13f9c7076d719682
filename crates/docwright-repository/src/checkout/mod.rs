//! The files of a repository: the only access to them for publishing, agent jobs, previews, and checks.
//!
//! Guarantees that files of a commit are complete as soon as they exist, that limits are checked before anything
//! is written, that no docs path leaves the repository, and that files in use stay. If another commit isn't in use, its
//! files become those of the new one, so only what differs is written. The compiler finds the docs root below the docs
//! path.

mod files;
mod inventory;
mod working_tree;

use std::{
    borrow::Cow,
    fs::File,
    io,
    path::{Component, Path, PathBuf},
    time::SystemTime,
};

use tokio::task::spawn_blocking;

use crate::{
    clones::{CloneInUse, Clones},
    git::{Git, GitError},
    location::RemoteAddress,
    network::Network,
    remote::{Access, Head, Remote, is_commit},
};
pub use inventory::Limits;

/// Resources that all checkouts of a service share.
#[derive(Debug, Clone)]
pub struct Checkouts {
    /// The folder of clones.
    pub clones: Clones,
    /// Environment of git.
    pub git: Git,
    /// Hosts that can be contacted.
    pub network: Network,
    /// Limits for the files of one commit.
    pub limits: Limits,
}

/// A repository with files.
#[derive(Debug, Clone, Copy)]
pub enum Origin<'a> {
    /// A folder of the operator, used as it is.
    Folder(&'a Path),
    /// A bare repository on this machine, such as one of docwright's own git host.
    Bare(&'a Path),
    /// A repository that is cloned.
    Remote {
        /// The owner of the clone, such as an organization. Owners never share one.
        owner: &'a str,
        /// Its address.
        address: &'a RemoteAddress,
        /// Authentication of git.
        access: &'a Access,
    },
}

/// The wanted files. A folder has only its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Revision<'a> {
    /// Those of the newest commit of the default branch.
    Default,
    /// Those of the newest commit of a branch.
    Branch(&'a str),
    /// Those of the newest commit of a ref that isn't a branch, such as `refs/pull/7/head`.
    Ref(&'a str),
    /// Those of a commit, by its full name.
    Commit(&'a str),
}

impl<'a> Revision<'a> {
    /// The branch, if one is named.
    const fn branch(self) -> Option<&'a str> {
        match self {
            Self::Branch(branch) => Some(branch),
            Self::Default | Self::Ref(_) | Self::Commit(_) => None,
        }
    }
}

/// The reason for missing files.
#[derive(Debug, thiserror::Error)]
pub enum CheckoutError {
    /// Git failed, or its host was refused.
    #[error(transparent)]
    Git(#[from] GitError),
    /// A limit was reached; the sentence names it.
    #[error("{0}")]
    Limit(String),
    /// The docs path is outside the repository.
    #[error("the docs path `{path}` {reason}")]
    DocsPath {
        /// The path as it was given.
        path: String,
        /// The problem with the path.
        reason: &'static str,
    },
    /// A path in the repository can't be written safely.
    #[error("the repository has a file at the invalid path `{0}`; rename or remove it")]
    Path(String),
    /// There is no such folder on this machine.
    #[error(
        "the folder of the repository is gone, or can't be read; check the project's repository"
    )]
    NoFolder,
    /// The disk failed. The cause can name a folder of the machine.
    #[error("the disk failed: {}", .0.kind())]
    Disk(#[from] io::Error),
}

impl CheckoutError {
    /// Whether the same call can succeed later without any change.
    pub fn is_transient(&self) -> bool {
        match self {
            Self::Git(error) => error.is_transient(),
            Self::Disk(_) => true,
            Self::Limit(_) | Self::DocsPath { .. } | Self::Path(_) | Self::NoFolder => false,
        }
    }
}

/// Files on disk. They stay until this is dropped.
#[derive(Debug)]
pub struct Checkout {
    folder: PathBuf,
    root: PathBuf,
    commit: Option<String>,
    branch: Option<String>,
    source: Source,
    clone: Option<CloneSize>,
    _lock: Option<File>,
}

/// The size of a clone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CloneSize {
    /// Its name, which owners never share.
    pub name: String,
    /// Bytes that it takes, with the files of its commits.
    pub bytes: u64,
}

/// Where git finds the history of the files.
#[derive(Debug)]
pub(crate) enum Source {
    /// In the folder itself, if it is in a repository at all.
    Folder,
    /// In a bare repository on this machine.
    Bare(PathBuf),
    /// In a clone, which its remote repository can complete.
    Clone(CloneInUse, Remote),
}

impl Checkout {
    /// The folder of all files, without links in its path.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The folder at the docs path, without links in its path; it lies in [`Self::folder`].
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Path of [`Self::root`] below [`Self::folder`], with `/`; empty for all files.
    pub fn docs(&self) -> String {
        below(&self.folder, &self.root).unwrap_or_default()
    }

    /// The commit of the files; unknown for a folder with uncommitted changes.
    pub fn commit(&self) -> Option<&str> {
        self.commit.as_deref()
    }

    /// The requested branch; unknown for a commit or another ref, and for a folder.
    pub fn branch(&self) -> Option<&str> {
        self.branch.as_deref()
    }

    /// The bare repository with the commit, for creating other commits; `None` for a folder.
    pub fn repository(&self) -> Option<PathBuf> {
        match &self.source {
            Source::Folder => None,
            Source::Bare(repository) => Some(repository.clone()),
            Source::Clone(clone, _) => Some(clone.repository()),
        }
    }

    /// The clone that the files are in; `None` for a folder.
    pub const fn clone_size(&self) -> Option<&CloneSize> {
        self.clone.as_ref()
    }

    pub(crate) const fn source(&self) -> &Source {
        &self.source
    }

    /// A path below the docs path, such as that of the docs root, relative to all files. Refused if links lead out
    /// of them.
    pub fn path_of(&self, found: &Path) -> Result<String, CheckoutError> {
        let refused = || CheckoutError::DocsPath {
            path: below(&self.folder, found).unwrap_or_default(),
            reason: LEADS_OUT,
        };
        below(&self.folder, &found.canonicalize()?).ok_or_else(refused)
    }
}

const LEADS_OUT: &str =
    "is a link out of the repository; put the documentation into the repository";

impl Checkouts {
    /// A repository for git: its address is checked now.
    pub async fn connect(&self, origin: &Origin<'_>) -> Result<Remote, GitError> {
        match origin {
            // Git would use any repository in a folder above, or print an unhelpful error.
            Origin::Bare(folder) if !folder.join("HEAD").is_file() => Err(GitError::NoRepository),
            Origin::Folder(folder) | Origin::Bare(folder) => Ok(Remote::local(&self.git, folder)),
            Origin::Remote { address, access, .. } => {
                Remote::connect(&self.git, &self.network, address, access).await
            }
        }
    }

    /// The newest commit of a branch; of the default branch if none is named. Fetches nothing.
    pub async fn head(&self, origin: &Origin<'_>, branch: Option<&str>) -> Result<Head, GitError> {
        self.connect(origin).await?.head(branch).await
    }

    /// Checks out files, with the folder at a docs path.
    pub async fn check_out(
        &self,
        origin: &Origin<'_>,
        docs: &str,
        revision: Revision<'_>,
    ) -> Result<Checkout, CheckoutError> {
        if let Origin::Folder(folder) = origin {
            return self.check_out_folder(folder, docs).await;
        }
        let remote = self.connect(origin).await?;
        let local = match origin {
            Origin::Remote { .. } => None,
            Origin::Folder(path) | Origin::Bare(path) => Some(path.to_path_buf()),
        };
        let (owner, address) = clone_of(origin);
        let clone = self.clones.open(&self.git, owner, &address).await?;
        let repository = local.clone().unwrap_or_else(|| clone.repository());
        let (wanted, branch) = match revision {
            Revision::Default | Revision::Branch(_) => {
                let Head { branch, commit } = remote.head(revision.branch()).await?;
                (commit, Some(branch))
            }
            Revision::Ref(name) => (remote.commit_of(name).await?, None),
            Revision::Commit(commit) if is_commit(commit) => (commit.to_owned(), None),
            Revision::Commit(_) => return Err(no_commit().into()),
        };
        if !self.has(&repository, &wanted).await {
            if local.is_some() {
                return Err(no_commit().into());
            }
            let name = format!("+{wanted}:refs/docwright/{wanted}");
            clone.fetch(&remote, &[&name]).await?;
        }
        let (folder, lock) =
            files::of_commit(&self.git, &repository, &clone, &wanted, &self.limits).await?;
        let root = docs_folder(&folder, docs)?;
        let (clone, size) = self.remove_unused(clone).await?;
        Ok(Checkout {
            folder,
            root,
            commit: Some(wanted),
            branch,
            source: match local {
                Some(repository) => Source::Bare(repository),
                None => Source::Clone(clone, remote),
            },
            clone: Some(size),
            _lock: Some(lock),
        })
    }

    /// Removes files and clones that nothing used for a time, and measures the clone. This reads thousands of entries of
    /// folders, so no other task waits for it.
    async fn remove_unused(
        &self,
        clone: CloneInUse,
    ) -> Result<(CloneInUse, CloneSize), CheckoutError> {
        let clones = self.clones.clone();
        let removed = spawn_blocking(move || {
            let now = SystemTime::now();
            let files = clone.remove_unused_files(now);
            let size = CloneSize { name: clone.name(), bytes: clone.record_use(files)? };
            clones.remove_unused(now);
            Ok((clone, size))
        });
        removed.await.map_err(io::Error::from)?
    }

    /// Removes the clone of a repository from this machine, unless it is in use. Returns whether there was one.
    /// Blocks while files are removed.
    pub fn forget(&self, origin: &Origin<'_>) -> io::Result<bool> {
        let (owner, address) = clone_of(origin);
        self.clones.remove(owner, &address)
    }

    async fn check_out_folder(&self, folder: &Path, docs: &str) -> Result<Checkout, CheckoutError> {
        let folder = folder.canonicalize().map_err(|_| CheckoutError::NoFolder)?;
        let root = docs_folder(&folder, docs)?;
        let clean = self.git.run(&folder, &["status", "--porcelain"]).await;
        let commit = match clean {
            Ok(changes) if changes.is_empty() => {
                self.git.run(&folder, &["rev-parse", "HEAD"]).await.ok()
            }
            _ => None,
        };
        let source = Source::Folder;
        Ok(Checkout { folder, root, commit, branch: None, source, clone: None, _lock: None })
    }

    async fn has(&self, repository: &Path, commit: &str) -> bool {
        let name = format!("{commit}^{{tree}}");
        self.git.run(repository, &["cat-file", "-e", &name]).await.is_ok()
    }
}

/// The owner of the clone of a repository, and its address.
fn clone_of<'a>(origin: &Origin<'a>) -> (&'a str, Cow<'a, str>) {
    match origin {
        Origin::Remote { owner, address, .. } => (owner, Cow::Borrowed(address.as_str())),
        Origin::Folder(path) | Origin::Bare(path) => ("", path.to_string_lossy()),
    }
}

fn no_commit() -> GitError {
    GitError::NoBranch("the repository does not have this commit any more".to_owned())
}

/// The folder at a docs path, without links in its path, and inside `folder`, which has none.
fn docs_folder(folder: &Path, docs: &str) -> Result<PathBuf, CheckoutError> {
    let refused = |reason| CheckoutError::DocsPath { path: docs.to_owned(), reason };
    let path = Path::new(docs.trim_matches('/'));
    if docs.starts_with('/') || !path.components().all(|part| matches!(part, Component::Normal(_)))
    {
        return Err(refused("isn't a path in the repository; leave out `..` and a leading `/`"));
    }
    let missing = |_| refused("isn't in the repository; check its spelling");
    let root = folder.join(path).canonicalize().map_err(missing)?;
    if !root.starts_with(folder) {
        return Err(refused(LEADS_OUT));
    }
    if root.is_dir() { Ok(root) } else { Err(refused("is a file; name its folder")) }
}

/// The path of an entry below a folder, with `/`.
fn below(folder: &Path, path: &Path) -> Option<String> {
    let parts = path.strip_prefix(folder).ok()?.components();
    let parts = parts.map(|part| part.as_os_str().to_string_lossy().into_owned());
    Some(parts.collect::<Vec<_>>().join("/"))
}
