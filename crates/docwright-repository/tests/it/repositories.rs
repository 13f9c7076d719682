//! Repositories created for a test.

use std::{path::Path, process::Command};

use docwright_repository::{
    checkout::{Checkouts, Limits},
    clones::{CloneLimits, Clones},
    git::{Environment, Git},
    location::RemoteAddress,
    network::{AllowedHosts, Network},
};
use tempfile::TempDir;

/// A folder with a repository in `source`, and checkouts in `cache`.
pub(crate) struct TestRepository {
    pub(crate) folder: TempDir,
    pub(crate) checkouts: Checkouts,
}

impl TestRepository {
    pub(crate) fn new() -> Self {
        Self::with(CloneLimits::default(), Limits::default())
    }

    pub(crate) fn with(clones: CloneLimits, limits: Limits) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().join("home");
        std::fs::create_dir(&home).unwrap();
        let checkouts = Checkouts {
            clones: Clones::new(folder.path().join("cache"), clones),
            git: Git::new(&Environment::for_testing(&home)),
            network: Network::new(AllowedHosts::default()),
            limits,
        };
        let place = Self { folder, checkouts };
        std::fs::create_dir(place.source()).unwrap();
        place.git(&["init", "--quiet", "--initial-branch", "trunk"]);
        place
    }

    pub(crate) fn source(&self) -> std::path::PathBuf {
        self.folder.path().join("source")
    }

    /// The address of the repository.
    pub(crate) fn address(&self) -> RemoteAddress {
        RemoteAddress::parse(&format!("file://{}", self.source().display())).unwrap()
    }

    pub(crate) fn git(&self, arguments: &[&str]) -> String {
        git(&self.source(), arguments)
    }

    /// Commits files with their texts. Returns the commit.
    pub(crate) fn commit(&self, files: &[(&str, &str)]) -> String {
        for (path, text) in files {
            let path = self.source().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        self.commit_all("Change\n\nMore words.")
    }

    pub(crate) fn commit_all(&self, message: &str) -> String {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--allow-empty", "--message", message]);
        self.git(&["rev-parse", "HEAD"])
    }
}

/// Runs git as a user would.
pub(crate) fn git(folder: &Path, arguments: &[&str]) -> String {
    let output = Command::new("git")
        .arg("-C")
        .arg(folder)
        .args(["-c", "user.name=Ada", "-c", "user.email=ada@example.org"])
        .args(arguments)
        .output()
        .expect("git runs");
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

/// Names of a folder's entries, in order.
pub(crate) fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<_> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}
