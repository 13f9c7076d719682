//! The files of a commit with git's index of them. From one commit to the next, git writes only the files that differ.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use crate::git::{Git, GitError};

/// The folder of the files.
const FILES: &str = "tree";
const INDEX: &str = "index";

/// A folder with the files of a commit and their index.
#[derive(Debug)]
pub(super) struct WorkingTree {
    folder: PathBuf,
    git: Git,
}

impl WorkingTree {
    /// The working tree in a folder, which can be missing.
    pub(super) fn new(folder: PathBuf, git: &Git) -> Self {
        let index = folder.join(INDEX).display().to_string();
        Self { git: git.clone().with_variable("GIT_INDEX_FILE", index), folder }
    }

    /// The folder of the files.
    pub(super) fn files(&self) -> PathBuf {
        self.folder.join(FILES)
    }

    /// Writes the files of a commit of a repository. Nothing else must be in the folder.
    pub(super) async fn write(&self, repository: &Path, commit: &str) -> Result<(), GitError> {
        fs::create_dir_all(self.files())?;
        self.git.run(repository, &["read-tree", commit]).await?;
        let write = ["checkout-index", "--all", "--force", "--index"];
        self.run_on_files(repository, &write).await
    }

    /// Turns the files of another commit into those of this one, and repairs files that changed meanwhile. Returns `false`
    /// if all must be written anew. The first update reads each file, since git can't know whether one that is as old as
    /// the index changed after it.
    pub(super) async fn update(&self, repository: &Path, commit: &str) -> Result<bool, GitError> {
        // Attributes of a path decide what git writes for the same contents.
        let attributes = [":(glob)**/.gitattributes"];
        let compare = ["diff-index", "--cached", "--name-only", commit, "--"];
        let changed = self.git.run(repository, &[&compare[..], &attributes].concat()).await?;
        if !changed.is_empty() {
            return Ok(false);
        }
        self.run_on_files(repository, &["read-tree", "--reset", "-u", commit]).await?;
        Ok(true)
    }

    async fn run_on_files(&self, repository: &Path, command: &[&str]) -> Result<(), GitError> {
        let files = format!("--work-tree={}", self.files().display());
        self.git.run(repository, &[&[&*files], command].concat()).await.map(drop)
    }

    /// Moves it to another folder, unless there is one.
    pub(super) fn move_to(&self, folder: &Path) -> io::Result<()> {
        match fs::rename(&self.folder, folder) {
            Err(_) if folder.is_dir() => Ok(()),
            moved => moved,
        }
    }
}
