//! What a repository has, without its files: its branches, and the paths of the files of one commit.
//!
//! Bounded in number and bytes, since the answer is for a person who waits, and the host can be hostile. The caller limits
//! the time.

use std::{fs, io, ops::ControlFlow, path::Path, time::Duration};

use crate::{
    clones::{shown, size},
    git::{Git, GitError},
    remote::{Remote, checked, is_commit},
};

/// Branches that are listed.
pub const MAXIMUM_BRANCHES: usize = 1000;
/// Files that are listed.
const MAXIMUM_PATHS: usize = 100_000;
/// Longest name of a branch that is listed, in bytes.
const MAXIMUM_NAME: usize = 250;
/// Text of a list that is read, in bytes.
const MAXIMUM_TEXT: usize = 16 * 1024 * 1024;
/// Bytes that git fetches for a list of files. Hosts that know partial clones send only folders.
const MAXIMUM_FETCH: u64 = 128 * 1024 * 1024;
/// How often the size of a fetch is checked.
const WATCH: Duration = Duration::from_millis(100);

/// The branches of a repository.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Branches {
    /// The default branch; `None` if the repository is empty, or names no branch that exists.
    pub default: Option<String>,
    /// All names, the default one first, up to a limit. Names that git doesn't allow are left out.
    pub names: Vec<String>,
    /// Whether no branch is left out.
    pub is_complete: bool,
}

/// The paths of files, with `/`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Paths {
    /// The paths, up to a limit.
    pub paths: Vec<String>,
    /// Whether none is left out.
    pub is_complete: bool,
}

impl Remote {
    /// The branches, without fetching anything.
    pub async fn branches(&self) -> Result<Branches, GitError> {
        let default = match self.head(None).await {
            Ok(head) => Some(head.branch),
            Err(GitError::NoBranch(_)) => None,
            Err(error) => return Err(error),
        };
        let mut branches = Branches { default, is_complete: true, ..Branches::default() };
        branches.names.extend(branches.default.clone());
        let list = ["ls-remote", "--heads", "--", self.url()];
        let mut text = Text::new(b'\n');
        self.git()
            .stream(self.git().home(), &list, |part| {
                branches.is_complete = text.read(part, |line| branches.take(line));
                Ok(if branches.is_complete {
                    ControlFlow::Continue(())
                } else {
                    ControlFlow::Break(())
                })
            })
            .await?;
        Ok(branches)
    }

    /// The paths of the files of a commit. They are fetched, where the host can do so without contents, into a
    /// folder that is removed.
    pub async fn paths(&self, commit: &str, scratch: &Path) -> Result<Paths, GitError> {
        if !is_commit(commit) {
            return Err(GitError::NoBranch("that is not the full name of a commit".to_owned()));
        }
        let folder = tempfile::tempdir_in(scratch)?;
        let repository = folder.path().join("listed.git");
        let git = self.git();
        git.run(folder.path(), &["init", "--quiet", "--bare", "listed.git"]).await?;
        let refspec = format!("+{commit}:refs/docwright/listed");
        let fetch = ["fetch", "--quiet", "--no-tags", "--no-recurse-submodules", "--depth", "1"];
        let fetch = [&fetch[..], &["--filter=blob:none", "--", self.url(), &refspec]].concat();
        tokio::select! {
            fetched = git.run(&repository, &fetch) => fetched.map(drop)?,
            () = grows_too_large(folder.path()) => {
                let limit = shown(MAXIMUM_FETCH);
                return Err(GitError::TooLarge(format!("the list of files takes more than {limit}, the limit")));
            }
        }
        paths_of(git, &repository, commit).await
    }
}

/// The paths of a folder of this machine, without git's own data. Links aren't followed.
pub fn paths_of_folder(folder: &Path) -> io::Result<Paths> {
    let mut found = Paths { is_complete: true, ..Paths::default() };
    let mut folders = vec![(folder.to_owned(), String::new())];
    while let Some((folder, path)) = folders.pop() {
        for entry in sorted(&folder)? {
            let name = entry.file_name();
            // Paths in repositories are text wherever docwright can use them.
            let Some(name) = name.to_str().filter(|name| *name != ".git") else { continue };
            let path = if path.is_empty() { name.to_owned() } else { format!("{path}/{name}") };
            if entry.file_type()?.is_dir() {
                folders.push((entry.path(), path));
            } else if found.paths.len() == MAXIMUM_PATHS {
                found.is_complete = false;
                return Ok(found);
            } else {
                found.paths.push(path);
            }
        }
    }
    Ok(found)
}

fn sorted(folder: &Path) -> io::Result<Vec<fs::DirEntry>> {
    let mut entries = fs::read_dir(folder)?.collect::<io::Result<Vec<_>>>()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    Ok(entries)
}

async fn paths_of(git: &Git, repository: &Path, commit: &str) -> Result<Paths, GitError> {
    let mut found = Paths { is_complete: true, ..Paths::default() };
    let mut text = Text::new(0);
    let list = ["ls-tree", "-r", "-z", "--full-tree", commit];
    git.stream(repository, &list, |part| {
        found.is_complete = text.read(part, |entry| found.take(entry));
        Ok(if found.is_complete { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
    })
    .await?;
    Ok(found)
}

/// Returns when a folder has more bytes than a fetch can have.
async fn grows_too_large(folder: &Path) {
    while size(folder) <= MAXIMUM_FETCH {
        tokio::time::sleep(WATCH).await;
    }
}

impl Branches {
    /// Reads `<commit>\trefs/heads/<name>`. Returns whether there is room for more.
    fn take(&mut self, line: &[u8]) -> bool {
        let line = std::str::from_utf8(line).unwrap_or_default();
        let name = line.split_once('\t').and_then(|(commit, name)| {
            name.strip_prefix("refs/heads/").filter(|_| is_commit(commit))
        });
        let name = name.filter(|name| name.len() <= MAXIMUM_NAME && checked(name).is_ok());
        let Some(name) = name.filter(|name| self.default.as_deref() != Some(name)) else {
            return true;
        };
        let has_room = self.names.len() < MAXIMUM_BRANCHES;
        if has_room {
            self.names.push(name.to_owned());
        }
        has_room
    }
}

impl Paths {
    /// Reads `<mode> <type> <name>\t<path>`, if it is a file or a link. Returns whether there is room for more.
    fn take(&mut self, entry: &[u8]) -> bool {
        let entry = std::str::from_utf8(entry).unwrap_or_default();
        let Some((_, path)) = entry.split_once('\t').filter(|(facts, _)| facts.contains(" blob "))
        else {
            return true;
        };
        let has_room = self.paths.len() < MAXIMUM_PATHS;
        if has_room {
            self.paths.push(path.to_owned());
        }
        has_room
    }
}

/// Text that arrives in parts, cut where `end` is.
struct Text {
    end: u8,
    rest: Vec<u8>,
    bytes: usize,
}

impl Text {
    const fn new(end: u8) -> Self {
        Self { end, rest: Vec::new(), bytes: 0 }
    }

    /// Passes on each whole piece. Returns whether all of the text was wanted: not if `take` returned false, or if
    /// there is too much of it.
    fn read(&mut self, part: &[u8], mut take: impl FnMut(&[u8]) -> bool) -> bool {
        self.bytes += part.len();
        self.rest.extend_from_slice(part);
        let mut start = 0;
        while let Some(length) = self.rest[start..].iter().position(|byte| *byte == self.end) {
            if !take(&self.rest[start..start + length]) {
                return false;
            }
            start += length + 1;
        }
        self.rest.drain(..start);
        self.bytes <= MAXIMUM_TEXT
    }
}
