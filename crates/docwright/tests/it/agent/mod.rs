//! Agent jobs over real HTTP, with real git.

mod api;
mod diff;
mod documentation;
mod external;
pub(crate) mod git;
mod github;
mod host;
pub(crate) mod mocks;
mod models;

use std::path::Path;

use serde_json::{Value, json};

use crate::server::{Api, Process, Setup, write_repository};

/// Writes a site with a group, so that pages can be added.
pub(crate) fn write_site(folder: &Path) {
    write_repository(folder, 3);
    let config = json!({ "theme": "mint", "name": "Test", "colors": { "primary": "#0f766e" }, "navigation": {
        "groups": [{ "group": "Start", "pages": ["page-0", "page-1", "page-2"] }]
    } });
    std::fs::write(folder.join("docs.json"), format!("{config:#}\n"))
        .expect("the file can be written");
}

struct Running {
    setup: Setup,
    process: Process,
    api: Api,
}

impl Running {
    fn start() -> Self {
        Self::with(Setup::built_in(write_site, &[]), &[])
    }

    fn with(setup: Setup, variables: &[(&str, &str)]) -> Self {
        let process = setup.serve_with(variables);
        let api = setup.api(&process);
        Self { setup, process, api }
    }

    /// Connects to the database.
    async fn pool(&self) -> sqlx::AnyPool {
        sqlx::any::install_default_drivers();
        let file = format!("sqlite://{}", self.setup.data().join("docwright.db").display());
        let shared = self.setup.shared();
        let url = shared.first().map_or(file, |(_, url)| (*url).to_owned());
        sqlx::AnyPool::connect(&url).await.expect("the database exists")
    }

    async fn work(&self, prompt: &str) -> Value {
        let job = self.api.prompt(&self.setup.project, prompt).await;
        self.finish(&job).await
    }

    async fn finish(&self, job: &Value) -> Value {
        let id = job["id"].as_str().expect("a job has an id");
        self.api.finished(&self.setup.project, id).await
    }

    fn path(&self, job: &Value, rest: &str) -> String {
        let id = job["id"].as_str().expect("a job has an id");
        format!("/v2/agent/{}/job/{id}{rest}", self.setup.project)
    }
}
