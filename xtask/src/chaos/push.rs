//! Pushes commits with git, like people. Clones have no work tree, because sites can be large.

use std::{
    io::Write,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use anyhow::{Context, ensure};

use super::{
    client::Client,
    pace::wait,
    sites::page_text,
    tenants::{Organization, Project},
};

/// The longest time of one push with all retries.
const PATIENCE: Duration = Duration::from_mins(2);
/// The page that a push changes.
const PAGE: &str = "index";

/// Pushes a commit that writes a text to the first page.
pub(super) fn push(
    client: &Client,
    organization: &Organization,
    project: &Project,
    words: &str,
) -> anyhow::Result<()> {
    if !project.clone.join("HEAD").exists() {
        repeat(client, |address| clone(organization, project, address))?;
    }
    let text = page_text("First", words);
    let blob = git(project, &["hash-object", "-w", "--stdin"], &text)?;
    let entry = format!("100644 blob {}\t{PAGE}.mdx", blob.trim());
    let before = git(project, &["ls-tree", "refs/heads/main"], "")?;
    let others = before.lines().filter(|line| !line.ends_with(&format!("\t{PAGE}.mdx")));
    let entries: Vec<_> = others.chain([entry.as_str()]).collect();
    let tree = git(project, &["mktree"], &format!("{}\n", entries.join("\n")))?;
    let arguments = ["commit-tree", tree.trim(), "-p", "refs/heads/main", "-m", words];
    let commit = git(project, &arguments, "")?;
    git(project, &["update-ref", "refs/heads/main", commit.trim()], "")?;
    repeat(client, |address| {
        let url = url(organization, project, address);
        git(project, &["push", "--quiet", &url, "refs/heads/main"], "").map(drop)
    })
}

fn clone(organization: &Organization, project: &Project, address: &str) -> anyhow::Result<()> {
    if project.clone.exists() {
        std::fs::remove_dir_all(&project.clone)?;
    }
    std::fs::create_dir(&project.clone)?;
    let url = url(organization, project, address);
    git(project, &["clone", "--quiet", "--bare", &url, "."], "").map(drop)
}

/// The repository's URL with the key as the password.
fn url(organization: &Organization, project: &Project, address: &str) -> String {
    let host = address.trim_start_matches("http://");
    format!("http://chaos:{}@{host}/git/{}.git", organization.key, project.id)
}

/// Repeats a task at other nodes until it succeeds.
fn repeat(client: &Client, work: impl Fn(&str) -> anyhow::Result<()>) -> anyhow::Result<()> {
    let started = Instant::now();
    let mut number = 0;
    loop {
        client.go_on()?;
        match work(client.address(number)) {
            Ok(()) => return Ok(()),
            Err(error) if started.elapsed() > PATIENCE => return Err(error),
            Err(_) => wait(Duration::from_millis(300)),
        }
        number += 1;
    }
}

/// Runs git in the clone of a project. Returns its output.
fn git(project: &Project, arguments: &[&str], input: &str) -> anyhow::Result<String> {
    let mut command = Command::new("git");
    command
        .args(["-c", "user.name=Chaos", "-c", "user.email=chaos@example.com"])
        // A frozen node responds later. Give up on a node that doesn't respond at all.
        .args(["-c", "http.lowSpeedLimit=1", "-c", "http.lowSpeedTime=20"])
        .args(arguments)
        .current_dir(&project.clone)
        .env("GIT_TERMINAL_PROMPT", "0")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().context("cannot start git")?;
    if let Some(mut pipe) = child.stdin.take() {
        pipe.write_all(input.as_bytes())?;
    }
    let output = child.wait_with_output()?;
    let errors = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "git {}: {}", arguments[0], errors.trim());
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
