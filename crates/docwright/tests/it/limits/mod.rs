//! Limits of the service: attacks over real connections, and shutdown.

#[cfg(target_os = "linux")]
mod connections;
mod events;
mod feedback;
mod heads;
mod mcp;
mod prompts;
mod proxies;
mod pushes;
#[cfg(unix)]
mod stopping;
mod storage;

use std::time::Duration;

use serde_json::Value;

use crate::{
    agent::write_site,
    server::{Api, Process, Setup},
};

/// Longer than any step here takes.
pub(crate) const DEADLINE: Duration = Duration::from_mins(2);
const HOST: &str = "docs.example.com";

/// A service whose agent jobs wait for a model that never answers.
pub(crate) struct Waiting {
    pub(crate) setup: Setup,
    pub(crate) process: Process,
    pub(crate) api: Api,
    _model: tokio::net::TcpListener,
}

impl Waiting {
    pub(crate) async fn start(variables: &[(&str, &str)]) -> Self {
        let setup = Setup::built_in(write_site, &["--model", "openai:slow"]);
        let model = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("openai=http://{}/v1", model.local_addr().unwrap());
        let model_settings =
            [("DOCWRIGHT_AGENT_URLS", url.as_str()), ("DOCWRIGHT_AGENT_KEYS", "openai=k")];
        let process = setup.serve_with(&[&model_settings, variables].concat());
        let api = setup.api(&process);
        Self { setup, process, api, _model: model }
    }

    /// Starts a job. Returns the path of its events.
    pub(crate) async fn job(&self) -> String {
        let job = self.api.prompt(&self.setup.project, "wait").await;
        let id = job["id"].as_str().unwrap();
        format!("/v2/agent/{}/job/{id}/events", self.setup.project)
    }
}

/// A service that serves a published site.
async fn published(variables: &[(&str, &str)]) -> (Setup, Process) {
    let setup = Setup::new();
    let process = setup.serve_with(variables);
    let api = setup.api(&process);
    let export = api.start_export().await;
    let job: Value = api.wait_for(&export, &["completed", "failed"]).await;
    assert_eq!(job["status"], "completed", "{job}");
    (setup, process)
}
