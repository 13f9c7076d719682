//! Previews of pull requests and branches, over real HTTP with real git.

mod built_in;
mod changes;
mod forks;
mod limits;
mod password;
mod questions;

use docwright_testing::wait::eventually;
use reqwest::{Method, Response};
use serde_json::{Value, json};

use crate::{
    agent::write_site,
    server::{Api, Process, Setup},
};

/// A server with a project on its built-in git host.
struct Running {
    setup: Setup,
    process: Process,
    api: Api,
}

impl Running {
    fn start(variables: &[(&str, &str)]) -> Self {
        let setup = Setup::built_in(write_site, &[]);
        let process = setup.serve_with(variables);
        let api = setup.api(&process);
        Self { setup, process, api }
    }

    /// Commits a page to a new branch of the built-in repository and pushes it over HTTP.
    fn push(&self, branch: &str, page: &str, text: &str) {
        use crate::server::git;
        let folder = self.setup.folder.path();
        let work = folder.join("work");
        let address = format!(
            "http://x:{}@{}/git/{}.git",
            self.setup.key,
            self.process.address.trim_start_matches("http://"),
            self.setup.project
        );
        if !work.exists() {
            git(folder, &["clone", "--quiet", &address, "work"]);
        }
        git(&work, &["checkout", "--quiet", "-B", branch, "HEAD"]);
        std::fs::write(work.join(page), format!("---\ntitle: Page\n---\n\n{text}\n")).unwrap();
        git(&work, &["add", "--all"]);
        git(&work, &["commit", "--quiet", "--message", text]);
        git(&work, &["push", "--quiet", "--force", &address, branch]);
    }

    async fn start_preview(&self, branch: &str) -> Response {
        let path = format!("/v1/project/preview/{}", self.setup.project);
        self.api.send(Method::POST, &path, Some(json!({ "branch": branch }))).await
    }

    async fn previews(&self) -> Vec<Value> {
        let path = format!("/v1/projects/{}/previews", self.setup.project);
        let answer = self.api.send(Method::GET, &path, None).await;
        assert_eq!(answer.status(), 200);
        answer.json::<Value>().await.unwrap()["previews"].as_array().unwrap().clone()
    }

    /// Waits until the newest preview matches a condition.
    async fn newest(&self, is_right: impl Fn(&Value) -> bool) -> Value {
        eventually("the preview is as it should be", async || {
            let newest = self.previews().await.into_iter().next().unwrap_or_default();
            if is_right(&newest) { Ok(newest) } else { Err(newest) }
        })
        .await
    }

    /// Requests a path of a preview.
    async fn get(&self, preview: &Value, path: &str) -> Response {
        self.get_with(preview, path, &[]).await
    }

    async fn get_with(&self, preview: &Value, path: &str, headers: &[(&str, &str)]) -> Response {
        let request = self.api.client.get(format!("{}/{path}", self.api.base));
        let mut request = request.header("host", host(preview));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        request.send().await.unwrap()
    }

    /// Waits until a page of a preview contains a text.
    async fn shows(&self, preview: &Value, path: &str, words: &str) {
        eventually(&format!("{path} shows {words:?}"), async || {
            let page = self.get(preview, path).await.text().await.unwrap();
            if page.contains(words) { Ok(()) } else { Err(page) }
        })
        .await;
    }
}

/// The host of a preview, with its port.
fn host(preview: &Value) -> &str {
    let url = preview["previewUrl"].as_str().expect("a preview has an address");
    url.split_once("://").expect("the URL has a scheme").1
}
