//! An update whose commit another release already builds, as after a push: it finishes with that release.

use docwright_storage::{
    Database,
    database::{BuildDecision, BuildInput, BuildResult, Lease, Queue, Requested},
};
use docwright_types::{
    export_job::StoredBundle,
    release::{ReleaseCommit, Trigger},
};
use reqwest::Method;
use serde_json::Value;

use crate::server::{Api, Process, Setup};

/// A service without workers; the test does their work.
struct Work {
    setup: Setup,
    _process: Process,
    api: Api,
    database: Database,
}

impl Work {
    async fn start() -> Self {
        let setup = Setup::new();
        let process = setup.serve_with(&[("DOCWRIGHT_ROLE", "api")]);
        let api = setup.api(&process);
        let database = Database::open_folder(&setup.data()).await.unwrap();
        Self { setup, _process: process, api, database }
    }

    /// Requests an update and starts its build. Returns its id.
    async fn begin(&self) -> (String, Lease, BuildDecision) {
        let project = &self.setup.project;
        let update = self.database.request_update(project, None, Trigger::Push, None, 1).await;
        let Ok(Requested::Update(update)) = update else { panic!("the update can be requested") };
        let lease = self.database.claim(Queue::Releases, 60_000, 1).await.unwrap().unwrap().lease;
        let commit = ReleaseCommit { sha: Some("a".repeat(40)), ..ReleaseCommit::default() };
        let input = BuildInput { commit: &commit, options: "{}", seen_position: 0 };
        let started = self.database.begin_build(&lease, input, 1).await.unwrap();
        (update, lease, started)
    }

    async fn status(&self, update: &str) -> Value {
        let path = format!("/v1/project/update-status/{update}");
        self.api.send(Method::GET, &path, None).await.json().await.unwrap()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn update_lasts_until_its_replacement_is_ready() {
    let work = Work::start().await;
    let (_, lease, started) = work.begin().await;
    assert_eq!(started, BuildDecision::Build);
    let (update, _, started) = work.begin().await;
    assert_eq!(started, BuildDecision::Skipped);
    let building = work.status(&update).await;
    assert_eq!((&building["status"], &building["endedAt"]), (&"in_progress".into(), &Value::Null));
    let bundle =
        StoredBundle { key: "k".to_owned(), size: 1, sha256: "0".repeat(64), commit: None };
    let result = BuildResult { page_count: 3, warnings: &[], warning_count: 0, bundle: &bundle };
    assert!(work.database.complete_build(&lease, result, 2).await.unwrap());
    let ended = work.status(&update).await;
    assert_eq!(ended["status"], "skipped", "{ended}");
    assert!(ended["endedAt"].is_string(), "{ended}");
}

#[tokio::test(flavor = "multi_thread")]
async fn update_fails_with_its_replacement() {
    let work = Work::start().await;
    let (_, lease, _) = work.begin().await;
    let (update, ..) = work.begin().await;
    assert!(work.database.fail(&lease, "there is no docs.json", 2).await.unwrap());
    let ended = work.status(&update).await;
    assert_eq!(ended["status"], "failure", "{ended}");
    assert!(ended["summary"].as_str().unwrap().contains("there is no docs.json"), "{ended}");
}
