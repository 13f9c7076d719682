//! Deployments that follow a real service: new commits, a service that is away, and readers all the while.

use std::{
    fs,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
};

use docwright_testing::{ports::Port, wait::eventually};
use reqwest::{Client, Method};
use serde_json::{Value, json};

use super::{Deployed, DeploymentFolder};
use crate::server::{Api, Process, Setup, write_repository};

/// Polls often, so that a test waits for results only.
fn values(address: &str, key: &str) -> String {
    format!(
        "staticExport:\n  source:\n    url: {address}\n    key: {key}\n    domain: docs.example.com\n    deployment: plant\n    pollSeconds: 1\n"
    )
}

/// Waits until a page shows a text.
async fn shows(deployed: &Deployed, text: &str) {
    eventually("the new page is served", async || {
        let page = reqwest::get(format!("{}/page-0", deployed.0.address)).await.unwrap();
        page.text().await.unwrap().contains(text)
    })
    .await;
}

/// Readers who request a page all the time.
struct Readers {
    stop: Arc<AtomicBool>,
    answered: Arc<AtomicUsize>,
    tasks: Vec<tokio::task::JoinHandle<()>>,
}

impl Readers {
    fn start(address: &str) -> Self {
        let (stop, answered) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
        let read = |client: Client| {
            let (stop, answered) = (Arc::clone(&stop), Arc::clone(&answered));
            let page = format!("{address}/page-0");
            async move {
                while !stop.load(Ordering::Relaxed) {
                    let answer = client.get(&page).send().await.expect("no request fails");
                    assert_eq!(answer.status(), 200);
                    assert!(answer.text().await.expect("no answer breaks").contains("</html>"));
                    answered.fetch_add(1, Ordering::Relaxed);
                }
            }
        };
        let tasks = (0..4).map(|_| tokio::spawn(read(Client::new()))).collect();
        Self { stop, answered, tasks }
    }

    /// Checks that no request failed.
    async fn stop(self) -> usize {
        self.stop.store(true, Ordering::Relaxed);
        for task in self.tasks {
            task.await.expect("no request failed");
        }
        self.answered.load(Ordering::Relaxed)
    }
}

/// Creates a deployment. Returns a client, and the path of the deployment.
async fn project_with_deployment(setup: &Setup, service: &Process) -> (Api, String) {
    let admin = setup.new_key(&["--scope", "admin"]);
    let api = Api { key: admin, ..setup.api(service) };
    let path = format!("/v1/projects/{}/deployments", setup.project);
    let new = json!({ "name": "plant", "type": "air-gapped" });
    assert_eq!(api.send(Method::POST, &path, Some(new)).await.status(), 201);
    (api, format!("{path}/plant"))
}

/// The export that the deployment reported.
async fn reported((api, path): &(Api, String)) -> Value {
    let deployment: Value = api.send(Method::GET, path, None).await.json().await.unwrap();
    deployment["report"]["jobId"].clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn deployment_follows_new_commits_of_a_service_that_restarts() {
    let setup = Setup::built_in(|folder: &Path| write_repository(folder, 2), &[]);
    let port = Port::take();
    let listen = format!("127.0.0.1:{}", port.number());
    let often = [("DOCWRIGHT_POLL_SECONDS", "1")];
    let start = || Process::start(setup.service_at(&listen, &often));
    let mut service = start();
    let deployment = project_with_deployment(&setup, &service).await;
    assert_eq!(reported(&deployment).await, Value::Null);
    // A key that is limited to the project is enough.
    let key = setup.new_key(&["--scope", "write", "--project", &setup.project]);
    let place = DeploymentFolder::new().await;
    fs::write(place.values(), values(&service.address, &key)).unwrap();
    let deployed = place.deploy();
    deployed.until(|answer| answer["ready"] == true).await;
    shows(&deployed, "Text of page-0").await;
    let readers = Readers::start(&deployed.0.address);
    let first = eventually("the deployment reports its export", async || {
        let job = reported(&deployment).await;
        if job.is_null() { Err(job) } else { Ok(job) }
    });
    let first = first.await;
    let job: Value = deployment.0.job(first.as_str().unwrap()).await;
    assert_eq!((&job["status"], &job["domain"]), (&json!("completed"), &json!("docs.example.com")));

    setup.commit("page-0.mdx", "---\ntitle: One\n---\n\nThe first change.\n");
    shows(&deployed, "The first change").await;

    service.kill();
    deployed.says("can't be reached").await;
    shows(&deployed, "The first change").await;
    setup.commit("page-0.mdx", "---\ntitle: Two\n---\n\nThe second change.\n");
    let _service = start();
    shows(&deployed, "The second change").await;
    deployed.until(|answer| answer["problem"].is_null()).await;
    let changed = async || (reported(&deployment).await != first).then_some(());
    eventually("the deployment reports a newer export", changed).await;
    // Only exports for the deployment can be reported.
    let other = deployment.0.start_export().await;
    let report = Some(json!({ "jobId": other }));
    let refused =
        deployment.0.send(Method::POST, &format!("{}/report", deployment.1), report).await;
    assert_eq!(refused.status(), 400);
    assert_eq!(place.versions().len(), 3);
    assert!(readers.stop().await > 0);
}
