//! Pushes and fetches over the limits.

use std::process::{Command, Stdio};

use crate::{
    agent::write_site,
    server::{Process, Setup, git},
    sites::noise,
};

/// A service that accepts pushes of 1 MB, and a clone of its repository.
fn start() -> (Setup, Process, std::path::PathBuf) {
    let setup = Setup::built_in(write_site, &[]);
    let process = setup.serve_with(&[("DOCWRIGHT_MAXIMUM_PUSH", "1")]);
    let base = process.address.replace("http://", &format!("http://me:{}@", setup.key));
    let folder = setup.folder.path().join("clone");
    let url = format!("{base}/git/{}.git", setup.project);
    git(setup.folder.path(), &["clone", "--quiet", &url, &folder.display().to_string()]);
    (setup, process, folder)
}

/// Commits a file and pushes it. Returns whether the push succeeded, and git's output.
pub(super) fn push(folder: &std::path::Path, bytes: &[u8]) -> (bool, String) {
    std::fs::write(folder.join("image.png"), bytes).unwrap();
    git(folder, &["add", "--all"]);
    git(folder, &["commit", "--quiet", "--message", "image"]);
    push_branch(folder, "HEAD:main")
}

/// Pushes a branch. Returns whether the push succeeded, and git's output.
pub(super) fn push_branch(folder: &std::path::Path, branch: &str) -> (bool, String) {
    let mut command = Command::new("git");
    command.arg("-C").arg(folder).args(["push", "origin", branch]);
    let output = command.env("GIT_TERMINAL_PROMPT", "0").stdout(Stdio::null()).output().unwrap();
    (output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[tokio::test(flavor = "multi_thread")]
async fn huge_push_is_refused_with_reason() {
    let (setup, process, folder) = start();
    let (pushed, said) = push(&folder, &noise(1_500_000));
    assert!(!pushed && said.contains("exceeds maximum allowed size"), "{said}");
    // The server doesn't read a much larger push to its end.
    let (pushed, said) = push(&folder, &noise(20_000_000));
    assert!(!pushed, "{said}");
    git(&folder, &["reset", "--quiet", "--hard", "origin/main"]);
    let (pushed, said) = push(&folder, &noise(200_000));
    assert!(pushed, "{said}");
    let left = walk(&setup.data().join("git"));
    assert!(left < 2_000_000, "{left} bytes of the refused push are left");
    drop(process);
}

/// The size of all files below a folder.
fn walk(folder: &std::path::Path) -> u64 {
    let entries = std::fs::read_dir(folder).unwrap().map(Result::unwrap);
    let size = |entry: std::fs::DirEntry| match entry.metadata() {
        Ok(about) if about.is_dir() => walk(&entry.path()),
        Ok(about) => about.len(),
        Err(_) => 0,
    };
    entries.map(size).sum()
}

#[tokio::test(flavor = "multi_thread")]
async fn read_key_cannot_prepare_push() {
    let (setup, process, _) = start();
    let reads = setup.new_key(&["--scope", "read"]);
    let ask = async |query: &str, key: &str| {
        let url = format!("{}/git/{}.git/info/refs?{query}", process.address, setup.project);
        let request = reqwest::Client::new().get(url).basic_auth("me", Some(key));
        request.send().await.unwrap().status().as_u16()
    };
    for (query, reader, writer) in [
        ("service=git-upload-pack", 200, 200),
        ("service=git-receive-pack", 403, 200),
        ("service=git%2Dreceive-pack", 403, 200),
        ("%73ervice=git-receive%2dpack", 403, 200),
        ("service=git-upload-pack&service=git-receive-pack", 400, 400),
        ("", 400, 400),
    ] {
        assert_eq!(ask(query, &reads).await, reader, "{query}");
        assert_eq!(ask(query, &setup.key).await, writer, "{query}");
    }
}
