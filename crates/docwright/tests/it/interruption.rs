//! A service that is killed, stopped, or frozen at any step of any job. The job finishes once with complete
//! results, on both databases.

use std::time::Duration;

use docwright_storage::{Keyring, Objects};
use docwright_testing::wait::eventually;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::{
    agent::write_site,
    postgres,
    server::{Api, Process, Setup},
};

/// Steps of a release, and of an agent job.
const RELEASE: [&str; 6] = ["claimed", "checked_out", "started", "built", "stored", "ended"];
const AGENT: [&str; 7] =
    ["claimed", "checked_out", "worked", "committed", "pushed", "pull_request", "ended"];

/// A short lease, so that another worker soon takes over a frozen process's job.
const LEASE: (&str, &str) = ("DOCWRIGHT_LEASE_SECONDS", "1");
const DRAIN: (&str, &str) = ("DOCWRIGHT_DRAIN_SECONDS", "1");

/// The remains of one scenario.
struct Scenario<'a> {
    setup: &'a Setup,
    step: &'static str,
    signal: &'static str,
}

impl Scenario<'_> {
    /// Starts a job in a service that signals itself at a step, and finishes the job in another service.
    /// Returns that service and the job's id.
    async fn run(
        &self,
        start: impl AsyncFn(Api) -> String,
        end: impl AsyncFn(Api, String),
    ) -> (Process, String) {
        let at = format!("{}={}", self.step, self.signal);
        // Requested on a node without workers, so the response arrives before the signal.
        let asked = self.setup.serve_with(&[("DOCWRIGHT_ROLE", "api")]);
        let started = start(self.setup.api(&asked)).await;
        drop(asked);
        let mut first = self.setup.serve_unheard(&[("DOCWRIGHT_SIGNAL_AT", &at), LEASE, DRAIN]);
        if self.signal == "stop" {
            first.wait_until_frozen().await;
        } else {
            first.wait();
        }
        let second = self.setup.serve_with(&[LEASE, DRAIN]);
        let api = self.setup.api(&second);
        let ended = end(api.clone(), started.clone());
        let patience = Duration::from_secs(if self.signal == "stop" { 15 } else { 90 });
        tokio::pin!(ended);
        // SQLite has one writer. A process that is frozen during a write blocks all others.
        if tokio::time::timeout(patience, &mut ended).await.is_err() {
            assert_eq!(self.signal, "stop", "at {}: the job does not end", self.step);
            first.signal("CONT");
            ended.await;
        }
        if self.signal == "stop" {
            // The frozen process continues late and finds that it lost the lease.
            first.signal("CONT");
            first.signal("TERM");
            first.wait();
        }
        (second, started)
    }
}

/// Exports of one site, each of its own commit, since commits aren't rebuilt.
async fn exports(setup: Setup, signal: &'static str) {
    for step in RELEASE {
        setup.commit(&format!("{step}.mdx"), &format!("---\ntitle: {step}\n---\n\nText.\n"));
        let scenario = Scenario { setup: &setup, step, signal };
        let start = async |api: Api| api.start_export().await;
        let end = async |api: Api, id: String| {
            let job = api.wait_for(&id, &["completed", "failed"]).await;
            assert_eq!(job["status"], "completed", "{signal} at {step}: {job}");
        };
        let (process, id) = scenario.run(start, end).await;
        let api = setup.api(&process);
        let bundle = api.bundle(&id).await;
        let link = bundle["bundleUrl"].as_str().unwrap();
        let bytes = reqwest::get(link).await.unwrap().bytes().await.unwrap();
        assert_eq!(bundle["sizeBytes"], bytes.len(), "{signal} at {step}");
        let sha256 = hex(&Sha256::digest(&bytes));
        assert_eq!(bundle["sha256"].as_str(), Some(sha256.as_str()), "{signal} at {step}");
        shows(&api, step, &format!("{signal} at {step}: the site shows the release")).await;
    }
    let releases = ended_releases(&setup).await;
    let ready = releases.iter().filter(|release| release["status"] == "ready");
    let bundles = bundles(&objects(&setup)).await;
    assert_eq!(bundles.len(), ready.count(), "{signal}: each release has one bundle: {bundles:?}");
}

fn objects(setup: &Setup) -> Objects {
    let keyring = Keyring::open_folder(&setup.data()).unwrap();
    Objects::open_folder(&setup.data(), keyring).unwrap()
}

/// The keys of all bundles.
async fn bundles(objects: &Objects) -> Vec<String> {
    let mut keys = objects.list("").await.unwrap();
    keys.retain(|key| key.ends_with("/bundle.tar.gz"));
    keys
}

/// All releases of the project when each has finished. The service also builds new commits automatically, and
/// a scenario's last process might have interrupted such a build.
async fn ended_releases(setup: &Setup) -> Vec<Value> {
    let _process = setup.serve_with(&[LEASE, DRAIN]);
    eventually("all releases have ended", async || {
        let releases = setup.admin(&["release", "list", "--project", &setup.project]);
        let releases = releases.as_array().unwrap().clone();
        let ended = |release: &Value| {
            let status = release["status"].as_str().unwrap();
            ["ready", "skipped", "superseded"].contains(&status)
        };
        let open = releases.iter().find(|release| !ended(release)).cloned();
        open.map_or(Ok(releases), Err)
    })
    .await
}

/// Waits until the site has a page, since another process might have activated the release.
async fn shows(api: &Api, path: &str, what: &str) {
    eventually(what, async || {
        let page = api.client.get(format!("{}/{path}", api.base));
        let page = page.header("host", "docs.example.com").send().await.unwrap();
        page.status() == 200
    })
    .await;
}

async fn agent_jobs(setup: Setup, signal: &'static str) {
    for (number, step) in AGENT.into_iter().enumerate() {
        let scenario = Scenario { setup: &setup, step, signal };
        let prompt = format!("add page {signal}-{step} titled \"New\"");
        let start = async |api: Api| {
            let job = api.prompt(&setup.project, &prompt).await;
            job["id"].as_str().unwrap().to_owned()
        };
        let end = async |api: Api, id: String| {
            let job = api.finished(&setup.project, &id).await;
            assert_eq!(job["status"], "completed", "{signal} at {step}: {job}");
        };
        let (process, id) = scenario.run(start, end).await;
        let api = setup.api(&process);
        let job = api.finished(&setup.project, &id).await;
        let link = job["prLink"].as_str().unwrap();
        assert!(
            link.ends_with(&format!("/pull-requests/{}", number + 1)),
            "{signal} at {step}: {link}"
        );
        let events = api.events(&setup.project, &id).await;
        let ends = events.matches("\"status\":\"completed\"").count();
        assert_eq!(ends, 1, "{signal} at {step}: a job finishes once:\n{events}");
    }
    let (process, count) = (setup.serve(), AGENT.len());
    let api = setup.api(&process);
    let path = format!("/v2/agent/{}/jobs", setup.project);
    let list: Value = api.send(reqwest::Method::GET, &path, None).await.json().await.unwrap();
    let links: std::collections::BTreeSet<_> =
        list["jobs"].as_array().unwrap().iter().map(|job| job["prLink"].to_string()).collect();
    assert_eq!(
        (links.len(), &list["nextCursor"]),
        (count, &json!(null)),
        "one pull request per job"
    );
    assert_eq!(setup.branches("refs/heads/docwright").len(), count, "one branch per job");
}

/// A worker can be frozen between the confirmation of its lease and the end of its upload.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL"]
async fn worker_without_lease_removes_its_late_bundle_on_postgres() {
    let setup = on_postgres("late_bundle").await;
    let asked = setup.serve_with(&[("DOCWRIGHT_ROLE", "api")]);
    let id = setup.api(&asked).start_export().await;
    drop(asked);
    let mut first = setup.serve_unheard(&[("DOCWRIGHT_SIGNAL_AT", "stored=stop"), LEASE]);
    first.wait_until_frozen().await;
    let second = setup.serve_with(&[LEASE]);
    let ended = setup.api(&second).wait_for(&id, &["completed", "failed"]).await;
    assert_eq!(ended["status"], "completed", "{ended}");
    let objects = objects(&setup);
    let keys = bundles(&objects).await;
    assert_eq!(keys.len(), 1, "the second worker removed the first one's bundle: {keys:?}");
    // The upload of the first worker ends after that.
    let late = keys[0].replace("/2/", "/1/");
    assert_ne!(late, keys[0], "the second claim stored the bundle");
    let mut upload = objects.upload(&late).await.unwrap();
    upload.write(b"late").await.unwrap();
    upload.finish().await.unwrap();
    first.signal("CONT");
    first.signal("TERM");
    first.wait();
    assert_eq!(bundles(&objects).await, keys, "the late bundle is gone");
}

fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write;
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

fn on_sqlite() -> Setup {
    Setup::built_in(write_site, &[])
}

async fn on_postgres(name: &str) -> Setup {
    Setup::on_database(write_site, &postgres::database(name).await)
}

#[tokio::test(flavor = "multi_thread")]
async fn releases_survive_kills() {
    exports(on_sqlite(), "kill").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn releases_survive_stops() {
    exports(on_sqlite(), "term").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn releases_survive_freezes() {
    exports(on_sqlite(), "stop").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn agent_jobs_survive_kills() {
    agent_jobs(on_sqlite(), "kill").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn agent_jobs_survive_stops() {
    agent_jobs(on_sqlite(), "term").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn agent_jobs_survive_freezes() {
    agent_jobs(on_sqlite(), "stop").await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL"]
async fn releases_survive_kills_on_postgres() {
    exports(on_postgres("release_kill").await, "kill").await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL"]
async fn releases_survive_stops_on_postgres() {
    exports(on_postgres("release_term").await, "term").await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL"]
async fn releases_survive_freezes_on_postgres() {
    exports(on_postgres("release_stop").await, "stop").await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL"]
async fn agent_jobs_survive_kills_on_postgres() {
    agent_jobs(on_postgres("agent_kill").await, "kill").await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL"]
async fn agent_jobs_survive_stops_on_postgres() {
    agent_jobs(on_postgres("agent_term").await, "term").await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL"]
async fn agent_jobs_survive_freezes_on_postgres() {
    agent_jobs(on_postgres("agent_stop").await, "stop").await;
}
