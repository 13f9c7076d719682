//! Client-hosted deployments: the real program, and a host of bundles with responses chosen by the test.

mod base_path;
mod bundles;
mod carried;
mod certificates;
mod disk;
mod follow;
mod host;
mod observed;
mod readers;
mod served;
mod service;
mod signatures;
mod transfer;
mod values;
mod verify;
mod versions;

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
    time::Duration,
};

use docwright_testing::wait::eventually;
use serde_json::Value;
use tempfile::TempDir;

use crate::server::{Process, docwright};
use host::Host;

/// A folder to deploy in, with a values file and a host of bundles.
struct DeploymentFolder {
    folder: TempDir,
    host: Host,
}

impl DeploymentFolder {
    async fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap(), host: Host::start().await }
    }

    fn values(&self) -> PathBuf {
        self.folder.path().join("values.yaml")
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// Writes values with a link to the host and more lines.
    fn ask(&self, link: &str, more: &[&str]) {
        fs::write(self.values(), self.text(link, more)).unwrap();
    }

    fn text(&self, link: &str, more: &[&str]) -> String {
        let mut text = format!("staticExport:\n  bundleUrl: \"{}{link}\"\n", self.host.address);
        for line in more {
            text.push_str(&format!("  {line}\n"));
        }
        text
    }

    fn command(&self) -> Command {
        self.command_for(&self.values())
    }

    fn command_for(&self, values: &Path) -> Command {
        let (values, data) = (values.display().to_string(), self.data().display().to_string());
        docwright(&["deploy", "--listen", "127.0.0.1:0", "--values", &values, "--data", &data])
    }

    fn deploy(&self) -> Deployed {
        Deployed(Process::start(self.command()))
    }

    /// The file names in the folder of versions.
    fn versions(&self) -> Vec<String> {
        let entries = fs::read_dir(self.data().join("versions")).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// Runs until the deployment fails. Returns its error.
    async fn fails(&self) -> String {
        let output = end_of(self.command()).await;
        assert_eq!(output.status.code(), Some(1));
        String::from_utf8(output.stderr).unwrap()
    }
}

/// Waits until a command exits without help.
async fn end_of(mut command: Command) -> Output {
    command.env("RUST_LOG", "off").stderr(Stdio::piped());
    let mut command = tokio::process::Command::from(command);
    let output = command.kill_on_drop(true).output();
    tokio::time::timeout(Duration::from_mins(1), output).await.expect("the command exits").unwrap()
}

/// A running deployment.
struct Deployed(Process);

impl Deployed {
    async fn readiness(&self) -> (u16, Value) {
        let answer = reqwest::get(format!("{}/readyz", self.0.address)).await.unwrap();
        (answer.status().as_u16(), answer.json().await.unwrap())
    }

    /// Waits until readiness matches a condition.
    async fn until(&self, wanted: impl Fn(&Value) -> bool) -> Value {
        eventually("the readiness is as wanted", async || {
            let (status, answer) = self.readiness().await;
            assert_eq!(status == 200, answer["ready"] == true, "{answer}");
            if wanted(&answer) { Ok(answer) } else { Err(answer) }
        })
        .await
    }

    /// Waits until a version is served without problems.
    async fn serves(&self, version: &str) {
        self.until(|answer| answer["version"] == version && answer["problem"].is_null()).await;
        self.shows(version).await;
    }

    /// Waits until the deployment reports a problem.
    async fn says(&self, problem: &str) -> Value {
        let says =
            |answer: &Value| answer["problem"].as_str().is_some_and(|it| it.contains(problem));
        self.until(says).await
    }

    /// Checks the version that readers see.
    async fn shows(&self, version: &str) {
        let answer = reqwest::get(format!("{}/version.txt", self.0.address)).await.unwrap();
        assert_eq!(answer.status(), 200);
        assert_eq!(answer.text().await.unwrap(), version);
    }
}
