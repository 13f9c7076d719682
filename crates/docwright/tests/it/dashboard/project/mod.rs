//! The pages of a project: each form has its effect, and each text is escaped.

mod first_form;
mod found;
mod new;
mod next_step;
mod publishing;
mod releases;
mod settings;
mod texts;

use docwright_testing::wait::eventually;
use serde_json::Value;

use super::{Browser, Dashboard};
use crate::server::Api;

/// A project with a release, and its admin.
pub(super) struct ProjectPages {
    pub(super) dashboard: Dashboard,
    pub(super) api: Api,
    pub(super) admin: Browser,
    /// The path of the project's pages.
    pub(super) path: String,
}

impl ProjectPages {
    pub(super) async fn start() -> Self {
        let dashboard = Dashboard::start().await;
        let (api, admin) = (dashboard.api("admin"), dashboard.member("admin").await);
        let path = format!("/projects/{}", dashboard.setup.project);
        dashboard.released(&api, 1).await;
        Self { dashboard, api, admin, path }
    }

    /// The path of a page.
    pub(super) fn at(&self, section: &str) -> String {
        format!("{}/{section}", self.path)
    }

    /// Reads a resource of the API.
    pub(super) async fn read(&self, path: &str) -> Value {
        let answer = self.api.send(reqwest::Method::GET, path, None).await;
        assert_eq!(answer.status(), 200, "{path}");
        answer.json().await.expect("the body is JSON")
    }

    /// Waits until a page contains a text. Returns the page.
    pub(super) async fn until(&self, path: &str, words: &str) -> String {
        eventually(&format!("{path} says {words}"), async || {
            let page = self.admin.get(path).await;
            if page.text.contains(words) { Ok(page.text) } else { Err(page.text) }
        })
        .await
    }
}
