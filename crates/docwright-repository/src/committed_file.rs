//! One file of a commit: its contents, and a commit that changes nothing else.

use std::{ops::ControlFlow, path::Path};

use crate::git::{Git, GitError};

/// A file in the tree of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommittedFile {
    /// Path below the root of the repository, with `/`.
    pub path: String,
    /// The name of its contents, which is another one for other contents.
    pub blob: String,
    /// Length of its contents, in bytes.
    pub size: u64,
    /// Git's mode, such as `100644`.
    mode: String,
}

impl CommittedFile {
    /// The file at a path, or the symbolic link; `None` if the commit has neither. A path never follows links.
    pub async fn find(
        git: &Git,
        repository: &Path,
        (commit, path): (&str, &str),
    ) -> Result<Option<Self>, GitError> {
        let arguments =
            ["--literal-pathspecs", "ls-tree", "-l", "-z", "--full-tree", commit, "--", path];
        let listed = git.run(repository, &arguments).await?;
        Ok(listed.split('\0').find_map(|entry| Self::read_entry(entry, path)))
    }

    /// Reads `<mode> <type> <name> <size>\t<path>`, if it is a file at that path.
    fn read_entry(entry: &str, path: &str) -> Option<Self> {
        let (facts, found) = entry.split_once('\t')?;
        let mut facts = facts.split_ascii_whitespace();
        let (mode, kind, blob) = (facts.next()?, facts.next()?, facts.next()?);
        let size = facts.next()?.parse().ok()?;
        let is_it = kind == "blob" && found == path;
        let owned = str::to_owned;
        is_it.then(|| Self { path: owned(path), blob: owned(blob), size, mode: owned(mode) })
    }

    /// Whether it is a file, not a symbolic link.
    pub fn is_regular(&self) -> bool {
        matches!(self.mode.as_str(), "100644" | "100755")
    }

    /// Its contents.
    pub async fn contents(&self, git: &Git, repository: &Path) -> Result<Vec<u8>, GitError> {
        let mut contents = Vec::new();
        let arguments = ["cat-file", "blob", self.blob.as_str()];
        git.stream(repository, &arguments, |part| {
            contents.extend_from_slice(part);
            Ok(ControlFlow::Continue(()))
        })
        .await?;
        Ok(contents)
    }

    /// Creates a commit after `parent` in which the file has other contents, without a work tree. `git` names the
    /// author, and `scratch` is a folder for temporary files. No branch moves.
    pub async fn replace(
        &self,
        (git, repository): (&Git, &Path),
        (parent, message): (&str, &str),
        contents: &[u8],
        scratch: &Path,
    ) -> Result<String, GitError> {
        let folder = tempfile::tempdir_in(scratch)?;
        let file = folder.path().join("contents");
        std::fs::write(&file, contents)?;
        let index = folder.path().join("index").display().to_string();
        let git = git.clone().with_variable("GIT_INDEX_FILE", index);
        let file = file.display().to_string();
        let blob = git.run(repository, &["hash-object", "-w", "--no-filters", "--", &file]).await?;
        git.run(repository, &["read-tree", parent]).await?;
        let entry = format!("{},{blob},{}", self.mode, self.path);
        git.run(repository, &["update-index", "--cacheinfo", &entry]).await?;
        let tree = git.run(repository, &["write-tree"]).await?;
        git.run(repository, &["commit-tree", &tree, "-p", parent, "-m", message]).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::git::Environment;

    struct Fixture {
        folder: tempfile::TempDir,
        git: Git,
    }

    impl Fixture {
        async fn new() -> Self {
            let folder = tempfile::tempdir().unwrap();
            let git = Git::new(&Environment::for_testing(folder.path()));
            let git = git.with_author("T", "t@example.org");
            let files = folder.path();
            git.run(files, &["init", "--quiet", "--initial-branch", "main"]).await.unwrap();
            std::fs::create_dir(files.join("docs")).unwrap();
            std::fs::write(files.join("docs/a.mdx"), b"\xef\xbb\xbfone\r\n \n\n").unwrap();
            std::fs::write(files.join("docs/b [x]*.mdx"), "b").unwrap();
            #[cfg(unix)]
            {
                std::os::unix::fs::symlink("a.mdx", files.join("docs/link.mdx")).unwrap();
                std::os::unix::fs::symlink("docs", files.join("folder")).unwrap();
            }
            git.run(files, &["add", "--all"]).await.unwrap();
            git.run(files, &["commit", "--quiet", "-m", "First"]).await.unwrap();
            Self { folder, git }
        }

        async fn find(&self, path: &str) -> Option<CommittedFile> {
            let found = CommittedFile::find(&self.git, self.folder.path(), ("main", path)).await;
            found.unwrap()
        }
    }

    #[tokio::test]
    async fn file_is_read_byte_by_byte() {
        let fixture = Fixture::new().await;
        let file = fixture.find("docs/a.mdx").await.unwrap();
        let contents = file.contents(&fixture.git, fixture.folder.path()).await.unwrap();
        assert_eq!(contents, b"\xef\xbb\xbfone\r\n \n\n");
        assert_eq!((file.size, file.is_regular()), (11, true));
        assert!(fixture.find("docs/b [x]*.mdx").await.unwrap().is_regular());
    }

    #[tokio::test]
    async fn folders_patterns_and_other_paths_are_no_files() {
        let fixture = Fixture::new().await;
        let paths = ["docs", "docs/", "docs/*.mdx", "../a", "docs/../docs/a.mdx", "none", "/docs"];
        for path in paths {
            let found =
                CommittedFile::find(&fixture.git, fixture.folder.path(), ("main", path)).await;
            // Git refuses paths outside of the repository.
            assert!(!matches!(found, Ok(Some(_))), "{path}: {found:?}");
        }
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn symbolic_links_are_not_followed() {
        let fixture = Fixture::new().await;
        assert!(!fixture.find("docs/link.mdx").await.unwrap().is_regular());
        assert_eq!(fixture.find("folder/a.mdx").await, None);
    }

    #[tokio::test]
    async fn commit_changes_one_file() {
        let fixture = Fixture::new().await;
        let (git, files) = (&fixture.git, fixture.folder.path());
        let file = fixture.find("docs/a.mdx").await.unwrap();
        let message = "-x <title>\n\nWhy";
        let commit = file.replace((git, files), ("main", message), b"two\r\n", files).await;
        let commit = commit.unwrap();
        let range = format!("main..{commit}");
        let changed = git.run(files, &["diff", "--name-status", &range]).await.unwrap();
        assert_eq!(changed, "M\tdocs/a.mdx");
        let changed = CommittedFile::find(git, files, (&commit, "docs/a.mdx")).await.unwrap();
        assert_eq!(changed.unwrap().contents(git, files).await.unwrap(), b"two\r\n");
        let logged = git.run(files, &["log", "-1", "--format=%an %ae %B", &commit]).await.unwrap();
        assert_eq!(logged, format!("T t@example.org {message}"));
        assert!(fixture.find("docs/a.mdx").await.unwrap() == file, "no branch moved");
    }
}
