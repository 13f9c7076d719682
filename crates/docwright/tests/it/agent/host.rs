//! The built-in git host when git fails and when clients disconnect.

use std::{os::unix::process::CommandExt, path::Path};

use docwright_testing::{programs, wait::eventually};
use serde_json::Value;

use super::{Running, write_site};
use crate::server::Setup;

/// A server whose `git http-backend` is a script. Other git commands are real.
fn with_backend(script: &str) -> Running {
    let setup = Setup::built_in(write_site, &[]);
    let folder = setup.folder.path().join("bin");
    std::fs::create_dir(&folder).unwrap();
    let path = std::env::var("PATH").unwrap();
    let real = std::env::split_paths(&path).map(|folder| folder.join("git"));
    let real = real.into_iter().find(|git| git.is_file()).expect("git is installed");
    let text = format!(
        "#!/bin/sh\nreal() {{ {real} \"$@\"; }}\ncase \"$*\" in\n\
         *http-backend) {script} ;;\n*) exec {real} \"$@\" ;;\nesac\n",
        real = real.display()
    );
    programs::write(&folder.join("git"), &text);
    let path = format!("{}:{path}", folder.display());
    Running::with(setup, &[("PATH", &path)])
}

async fn wait_for(file: &Path) {
    eventually(&format!("{} is there", file.display()), async || file.exists()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn crash_of_git_is_an_error() {
    let running = with_backend("echo secret-reason >&2; exit 3");
    let url = format!(
        "{}/git/{}.git/info/refs?service=git-upload-pack",
        running.api.base, running.setup.project
    );
    let asked = running.api.client.get(url).basic_auth("me", Some(&running.setup.key));
    let answer = asked.send().await.unwrap();
    assert_eq!(answer.status(), 500);
    let body: Value = answer.json().await.unwrap();
    assert!(body["error"].is_string() && !body.to_string().contains("secret-reason"), "{body}");
}

#[tokio::test(flavor = "multi_thread")]
async fn push_is_published_after_client_disconnects() {
    // The fake git moves the branch, writes a file, and waits for permission to exit.
    let running = with_backend(
        "real \"$@\"; case \"$REQUEST_METHOD$PATH_INFO\" in POST*receive-pack) \
         touch \"$GIT_PROJECT_ROOT/moved\"; \
         while [ ! -e \"$GIT_PROJECT_ROOT/go\" ]; do sleep 0.02; done ;; esac",
    );
    let folder = super::git::clone(&running, "clone");
    std::fs::write(folder.join("page-0.mdx"), "---\ntitle: Zero\n---\n\nLeft words.\n").unwrap();
    super::git::git(&folder, &["commit", "--quiet", "--all", "--message", "Change"]);
    let mut push = std::process::Command::new("git")
        .arg("-C")
        .arg(&folder)
        .args(["push", "--quiet"])
        .stderr(std::process::Stdio::null())
        .process_group(0)
        .spawn()
        .unwrap();
    let host = running.setup.data().join("git");
    wait_for(&host.join("moved")).await;
    // A helper of git owns the connection, so the test kills its whole process group.
    let group = format!("-{}", push.id());
    let ended = std::process::Command::new("kill").args(["-KILL", "--", &group]).status();
    assert!(ended.unwrap().success());
    push.wait().unwrap();
    for _ in 0..50 {
        running.api.client.get(format!("{}/healthz", running.api.base)).send().await.unwrap();
    }
    std::fs::write(host.join("go"), "").unwrap();
    super::git::published(&running, "page-0", "Left words.").await;
}
