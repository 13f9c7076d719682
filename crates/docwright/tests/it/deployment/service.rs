//! Deployments that poll a service, with responses of the service chosen by the test. SIGHUP starts each poll.

use std::{
    fs,
    sync::{Arc, Mutex},
};

use axum::{body::Body, http::Response};
use docwright_testing::wait::eventually;
use reqwest::Method;
use serde_json::{Value, json};

use super::{
    Deployed, DeploymentFolder,
    bundles::{bundle, sha256},
    disk::with_full_disk,
    host::{HostRequest, broken, rest, stalled, status, whole},
};
use crate::server::Process;

const PROJECT: &str = "prj_1";
const DEPLOYMENT: &str = "dpl_1";

type LinkFn = Box<dyn FnMut(&HostRequest) -> Option<Response<Body>> + Send>;

/// A service with exports, newest first.
#[derive(Default)]
struct FakeService {
    exports: Vec<Export>,
    /// The release that the domain serves, with its commit and second of creation.
    active: Option<(&'static str, &'static str, i64)>,
    manual: bool,
    /// Refuses every request with this status.
    refuses: Option<u16>,
    key_expires_at: Option<&'static str>,
    /// Replaces the response of a link.
    link: Option<LinkFn>,
}

struct Export {
    id: &'static str,
    status: &'static str,
    version: Option<&'static str>,
    /// Its release, and the second of its creation.
    release: (&'static str, i64),
    bundle: Vec<u8>,
}

impl Export {
    fn completed(id: &'static str, contents: &str) -> Self {
        let (status, bundle) = ("completed", bundle(contents));
        Self { id, status, version: None, release: ("rel_1", 1), bundle }
    }

    fn json(&self) -> Value {
        json!({
            "jobId": self.id, "projectId": PROJECT, "domain": "docs.example.com",
            "status": self.status, "progress": 0, "pageCount": 0,
            "createdAt": second(self.release.1), "updatedAt": second(self.release.1),
            "error": (self.status == "failed").then_some("docs.json is broken"),
            "version": self.version, "paths": null, "deploymentId": DEPLOYMENT,
            "releaseId": self.release.0, "warnings": [], "warningCount": 0,
        })
    }
}

fn second(number: i64) -> String {
    format!("2026-11-01T00:00:{number:02}Z")
}

fn answer(body: &Value) -> Response<Body> {
    Response::new(Body::from(body.to_string()))
}

impl FakeService {
    fn answer(&mut self, asked: &HostRequest, address: &str) -> Response<Body> {
        let path = asked.path.as_str();
        if let Some(bundle) = path.strip_prefix("/bundles/") {
            if let Some(answer) = self.link.as_mut().and_then(|link| link(asked)) {
                return answer;
            }
            return self.of(bundle).map_or_else(|| status(404), |export| whole(&export.bundle));
        }
        if let Some(refuses) = self.refuses {
            return status(refuses);
        }
        if let Some(id) = path.strip_prefix("/v1/releases/") {
            return self.release(id);
        }
        let jobs = "/v1/static-export/jobs";
        match (asked.method.as_str(), path) {
            ("GET", "/v1/key") => answer(&json!({
                "id": "0", "name": "docs", "organizationId": null, "organizationName": null,
                "scope": "write", "projects": [], "allow": [], "createdAt": second(0),
                "expiresAt": self.key_expires_at, "lastUsedAt": null, "revokedAt": null,
                "revision": 1,
            })),
            ("GET", "/v1/domains/docs%2Eexample%2Ecom") => answer(&json!({
                "domain": "docs.example.com", "address": null, "projectId": PROJECT,
                "projectName": "Docs", "organizationId": "org_1", "organizationName": "Acme",
                "branch": null, "releaseId": self.active.map(|(id, _, _)| id), "state": "verified",
                "records": [], "problem": null, "certificate": null, "createdAt": second(0),
                "revision": 1,
            })),
            ("GET", "/v1/projects/prj%5F1/deployments/plant") => answer(&json!({
                "id": DEPLOYMENT, "projectId": PROJECT, "name": "plant", "type": "air-gapped",
                "address": null, "createdAt": second(0), "revision": 1,
                "features": { "search": { "mode": "on" }, "assistant": { "mode": "off" },
                    "analytics": { "mode": "off" }, "playground": { "mode": "off" },
                    "integrations": { "mode": "off" } },
            })),
            ("GET", "/v1/projects/prj%5F1") => answer(&json!({
                "id": PROJECT, "name": "Docs", "organizationId": "org_1",
                "organizationName": "Acme", "repository": "built-in", "cloneUrl": null,
                "path": "", "model": null, "agentPaths": [], "createdAt": second(0),
                "activation": if self.manual { "manual" } else { "automatic" },
                "polledAt": null, "pollError": null, "revision": 1,
            })),
            ("GET", path) if path == jobs => {
                let all: Vec<_> = self.exports.iter().map(Export::json).collect();
                answer(&json!({ "jobs": all, "nextCursor": null }))
            }
            ("POST", path) if path == jobs => {
                let (status, version) = ("queued", None);
                let release = ("rel_new", 59);
                let export = Export { id: "exp_new", status, version, release, bundle: Vec::new() };
                let answered = answer(&export.json());
                self.exports.insert(0, export);
                answered
            }
            ("POST", "/v1/projects/prj%5F1/deployments/dpl%5F1/report") => {
                answer(&json!({ "id": DEPLOYMENT }))
            }
            ("POST", path) => {
                let id = path.strip_prefix("/v1/static-export/jobs/exp%5F").unwrap();
                let id = id.strip_suffix("/bundle").unwrap();
                let export = self.of(&format!("exp_{id}")).unwrap();
                answer(&json!({
                    "jobId": export.id, "bundleUrl": format!("{address}/bundles/{}", export.id),
                    "sizeBytes": export.bundle.len(), "sha256": sha256(&export.bundle),
                    "expiresAt": second(59),
                }))
            }
            (method, path) => panic!("{method} {path} isn't known"),
        }
    }

    fn of(&self, id: &str) -> Option<&Export> {
        self.exports.iter().find(|export| export.id == id)
    }

    /// A release. The commit of an export's release is its ID.
    fn release(&self, id: &str) -> Response<Body> {
        let id = id.replace("%5F", "_");
        let (commit, created) = match self.active {
            Some((active, commit, created)) if active == id => (commit, created),
            _ => (id.as_str(), 1),
        };
        answer(&json!({
            "id": id, "projectId": PROJECT, "status": "ready", "active": true, "commit": commit,
            "commitUrl": null, "branch": "main", "message": null, "author": null,
            "filesChanged": null, "isWhole": true, "version": null, "trigger": "push",
            "progress": 100, "pages": 1, "warnings": 0, "error": null,
            "createdAt": second(created), "endedAt": null, "address": null,
            "configuration": null, "replacedBy": null, "steps": [], "diagnostics": [],
            "diagnosticCount": 0, "newDiagnosticCount": null, "reportError": null,
        }))
    }
}

/// A deployment folder, and a service that it polls.
struct Followed {
    place: DeploymentFolder,
    service: Arc<Mutex<FakeService>>,
}

impl Followed {
    async fn new(exports: Vec<Export>) -> Self {
        let place = DeploymentFolder::new().await;
        let service = Arc::new(Mutex::new(FakeService { exports, ..FakeService::default() }));
        let followed = Self { place, service };
        followed.listen();
        followed.ask(&[]);
        followed
    }

    /// Clears the log of requests.
    fn listen(&self) {
        let (service, address) = (Arc::clone(&self.service), self.place.host.address.clone());
        self.place.host.answers(move |asked| service.lock().unwrap().answer(asked, &address));
    }

    fn ask(&self, more: &[&str]) {
        let mut text = format!(
            "staticExport:\n  source:\n    url: {}\n    key: dw_{}_{}\n    domain: docs.example.com\n    deployment: plant\n    pollSeconds: 86400\n",
            self.place.host.address,
            "0".repeat(16),
            "5ec7e7".repeat(8),
        );
        for line in more {
            text.push_str(&format!("  {line}\n"));
        }
        fs::write(self.place.values(), text).unwrap();
    }

    fn change(&self, change: impl FnOnce(&mut FakeService)) {
        change(&mut self.service.lock().unwrap());
    }

    fn publishes(&self, export: Export) {
        self.change(|service| service.exports.insert(0, export));
    }

    /// The number of requests with a method and a path.
    fn count(&self, method: &Method, path: &str) -> usize {
        let log = self.place.host.log();
        log.iter().filter(|asked| asked.method == method && asked.path == path).count()
    }

    fn started(&self) -> usize {
        self.count(&Method::POST, "/v1/static-export/jobs")
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn newest_completed_export_is_served() {
    let place = Followed::new(vec![Export::completed("exp_1", "1")]).await;
    let deployed = place.place.deploy();
    deployed.serves("1").await;
    place.publishes(Export { status: "running", ..Export::completed("exp_2", "2") });
    deployed.0.signal("HUP");
    deployed.serves("1").await;
    for (id, version) in [("exp_3", "3"), ("exp_4", "4"), ("exp_5", "5")] {
        place.publishes(Export::completed(id, version));
        deployed.0.signal("HUP");
        deployed.serves(version).await;
    }
    assert_eq!(place.place.versions().len(), 3);
    assert_eq!(place.started(), 0);
    let polled = deployed.until(|answer| answer["polledAt"].is_string()).await;
    assert_eq!(polled["warning"], Value::Null);
    // An export of the same bytes, and one that is on disk, aren't fetched.
    let fetched = |place: &Followed| {
        let log = place.place.host.log();
        log.iter().filter(|asked| asked.path.starts_with("/bundles/")).count()
    };
    place.listen();
    place.publishes(Export::completed("exp_6", "5"));
    deployed.0.signal("HUP");
    place.publishes(Export::completed("exp_7", "4"));
    deployed.0.signal("HUP");
    deployed.serves("4").await;
    assert_eq!(fetched(&place), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn export_is_started_if_there_is_none() {
    let place = Followed::new(Vec::new()).await;
    let deployed = place.place.deploy();
    deployed.says("the export exp_new is queued").await;
    assert_eq!((deployed.readiness().await.0, place.started()), (503, 1));
    // Processes that poll at the same time get the same export.
    let log = place.place.host.log();
    let start = log.iter().find(|asked| asked.method == Method::POST).unwrap();
    assert!(start.header("idempotency-key").unwrap().starts_with("deploy-"));
    // It isn't started again while it runs, nor once it failed.
    for state in ["running", "failed"] {
        place.change(|service| service.exports[0].status = state);
        deployed.0.signal("HUP");
        deployed.says(if state == "failed" { "docs.json is broken" } else { state }).await;
    }
    place.change(|service| {
        (service.exports[0].status, service.exports[0].bundle) = ("completed", bundle("1"));
    });
    deployed.0.signal("HUP");
    deployed.serves("1").await;
    assert_eq!(place.started(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn export_follows_what_the_domain_serves() {
    // (active release, manual activation, started exports)
    let cases = [
        (None, false, 0),
        // The export has this very release.
        (Some(("rel_1", "rel_1", 9)), false, 0),
        // Another release of the same commit.
        (Some(("rel_2", "rel_1", 9)), false, 0),
        // A rollback.
        (Some(("rel_0", "older", 0)), false, 0),
        (Some(("rel_2", "newer", 9)), true, 0),
        (Some(("rel_2", "newer", 9)), false, 1),
    ];
    for (active, manual, started) in cases {
        let place = Followed::new(vec![Export::completed("exp_1", "1")]).await;
        place.change(|service| (service.active, service.manual) = (active, manual));
        let deployed = place.place.deploy();
        deployed.serves("1").await;
        assert_eq!(place.started(), started, "{active:?} {manual}");
        // Once is enough.
        deployed.0.signal("HUP");
        place.publishes(Export { release: ("rel_9", 58), ..Export::completed("exp_2", "2") });
        deployed.0.signal("HUP");
        deployed.serves("2").await;
        assert_eq!(place.started(), started, "{active:?} {manual}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn expired_link_is_replaced() {
    let place = Followed::new(vec![Export::completed("exp_1", "1")]).await;
    let one = bundle("1");
    let half = one.len() / 2;
    let mut asked_before = 0;
    place.change(|service| {
        service.link = Some(Box::new(move |asked| {
            asked_before += 1;
            Some(match asked_before {
                1 => status(403),
                2 => broken(&one, "\"one\"", half),
                3 => status(403),
                _ => rest(&one, "\"one\"", asked.start().unwrap()),
            })
        }));
    });
    place.place.deploy().serves("1").await;
    assert_eq!(place.count(&Method::POST, "/v1/static-export/jobs/exp%5F1/bundle"), 4);
    let log = place.place.host.log();
    let starts = log.iter().filter(|asked| asked.path == "/bundles/exp_1").map(HostRequest::start);
    let starts: Vec<_> = starts.map(|start| start.is_some()).collect();
    assert_eq!(starts, [false, false, true, true]);
}

#[tokio::test(flavor = "multi_thread")]
async fn bad_bundle_keeps_last_version_and_is_fetched_once() {
    let mut tampered = bundle("2");
    let middle = tampered.len() / 2;
    tampered[middle] ^= 1;
    let cut = bundle("2")[..bundle("2").len() - 100].to_vec();
    for (sent, reason) in [(tampered, ", expected "), (cut, ", expected ")] {
        let place = Followed::new(vec![Export::completed("exp_1", "1")]).await;
        let deployed = place.place.deploy();
        deployed.serves("1").await;
        place.change(|service| service.link = Some(Box::new(move |_| Some(whole(&sent)))));
        place.publishes(Export::completed("exp_2", "2"));
        deployed.0.signal("HUP");
        let answer = deployed.says(reason).await;
        assert_eq!((&answer["ready"], answer["version"].as_str()), (&true.into(), Some("1")));
        deployed.shows("1").await;
        assert_eq!(place.place.versions().len(), 1);
        // A newer export ends the problem.
        place.change(|service| service.link = None);
        place.publishes(Export::completed("exp_3", "3"));
        deployed.0.signal("HUP");
        deployed.serves("3").await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn polls_do_not_repeat_a_refused_bundle() {
    let place = Followed::new(vec![Export::completed("exp_1", "1")]).await;
    place.change(|service| service.link = Some(Box::new(|_| Some(whole(b"no bundle")))));
    // Without a version to serve, the command ends.
    assert!(place.place.fails().await.contains(", expected "));
    place.change(|service| service.link = None);
    let text = fs::read_to_string(place.place.values()).unwrap();
    fs::write(place.place.values(), text.replace("86400", "1")).unwrap();
    let deployed = place.place.deploy();
    deployed.serves("1").await;
    place.change(|service| service.link = Some(Box::new(|_| Some(whole(b"no bundle")))));
    place.publishes(Export::completed("exp_2", "2"));
    // Without a signal: the timer polls.
    deployed.says(", expected ").await;
    place.listen();
    eventually("three more polls", async || {
        place.count(&Method::GET, "/v1/static-export/jobs") > 3
    })
    .await;
    assert_eq!(place.count(&Method::GET, "/bundles/exp_2"), 0);
    deployed.says(", expected ").await;
    deployed.shows("1").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn pinned_version_is_the_only_one() {
    let labeled = |id, label| Export { version: Some(label), ..Export::completed(id, label) };
    let place = Followed::new(vec![
        Export::completed("exp_4", "4"),
        labeled("exp_3", "b"),
        labeled("exp_2", "a"),
        labeled("exp_1", "b"),
    ])
    .await;
    place.ask(&["version: a"]);
    let deployed = place.place.deploy();
    deployed.serves("a").await;
    place.ask(&["version: c"]);
    let answer = deployed.says("no export has the version c").await;
    assert_eq!((&answer["ready"], answer["version"].as_str()), (&false.into(), Some("a")));
    deployed.shows("a").await;
    place.publishes(labeled("exp_5", "c"));
    deployed.0.signal("HUP");
    deployed.serves("c").await;
    assert_eq!(place.started(), 0);
    // The SHA-256 of another export.
    place.ask(&[&format!("sha256: {}", sha256(&bundle("x")))]);
    deployed.says("asks for").await;
    deployed.shows("c").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn service_that_is_away_or_refuses_keeps_last_version() {
    let place = Followed::new(vec![Export::completed("exp_1", "1")]).await;
    let deployed = place.place.deploy();
    deployed.serves("1").await;
    for (code, reason) in
        [(503, "503"), (500, "500"), (401, "refuses the key"), (403, "403"), (404, "404")]
    {
        place.change(|service| service.refuses = Some(code));
        deployed.0.signal("HUP");
        let answer = deployed.says(reason).await;
        assert_eq!(answer["ready"], true);
        deployed.shows("1").await;
    }
    place.change(|service| service.refuses = None);
    place.publishes(Export::completed("exp_2", "2"));
    deployed.0.signal("HUP");
    deployed.serves("2").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn key_is_read_from_values_file_or_environment() {
    let place = Followed::new(vec![Export::completed("exp_1", "1")]).await;
    let text = fs::read_to_string(place.place.values()).unwrap();
    let (before, after) = text.split_once("    key: ").unwrap();
    let (key, after) = after.split_once('\n').unwrap();
    let file = place.place.folder.path().join("key");
    fs::write(&file, format!("{key}\n")).unwrap();
    let (file, none) = (file.display(), String::new());
    let in_values = format!("    keyFile: {file}\n");
    let option = file.to_string();
    let cases = [
        (&in_values, vec![]),
        (&none, vec![("DOCWRIGHT_KEY_FILE", option.as_str())]),
        (&none, vec![("DOCWRIGHT_KEY", key)]),
    ];
    for (line, variables) in cases {
        fs::write(place.place.values(), format!("{before}{line}{after}")).unwrap();
        place.listen();
        let mut command = place.place.command();
        command.envs(variables);
        let deployed = Deployed(Process::start(command));
        deployed.serves("1").await;
        // A version on disk is served before the service is asked.
        let asked = eventually("the service is asked", async || {
            place.place.host.log().into_iter().find(|asked| asked.path == "/v1/key")
        });
        let asked = asked.await;
        let log = place.place.host.log();
        assert_eq!(asked.header("authorization").unwrap(), format!("Bearer {key}"));
        let link = log.iter().find(|asked| asked.path.starts_with("/bundles/"));
        assert!(link.is_none_or(|asked| asked.header("authorization").is_none()));
    }
    fs::remove_dir_all(place.place.data()).unwrap();
    assert!(place.place.fails().await.contains("there is no key for the service"));
}

#[tokio::test(flavor = "multi_thread")]
async fn end_of_key_is_a_warning() {
    let place = Followed::new(vec![Export::completed("exp_1", "1")]).await;
    place.change(|service| service.key_expires_at = Some("2001-01-01T00:00:00Z"));
    let deployed = place.place.deploy();
    let answer = deployed.until(|answer| answer["warning"].is_string()).await;
    assert!(answer["warning"].as_str().unwrap().contains("2001-01-01"), "{answer}");
    deployed.serves("1").await;
    place.change(|service| service.key_expires_at = Some("9001-01-01T00:00:00Z"));
    deployed.0.signal("HUP");
    deployed.until(|answer| answer["warning"].is_null()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn full_disk_keeps_last_version_of_a_service() {
    let place = Followed::new(vec![Export::completed("exp_1", "1")]).await;
    place.place.deploy().serves("1").await;
    place.publishes(Export::completed("exp_2", "2"));
    let deployed = Deployed(Process::start(with_full_disk(&place.place, "trap '' XFSZ;")));
    let answer = deployed.says("cannot write the download").await;
    assert_eq!((&answer["ready"], answer["version"].as_str()), (&true.into(), Some("1")));
    deployed.shows("1").await;
    drop(deployed);
    place.place.deploy().serves("2").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn process_that_is_killed_during_a_switch_serves_last_version() {
    let place = Followed::new(vec![Export::completed("exp_1", "1")]).await;
    place.place.deploy().serves("1").await;
    let two = bundle("2");
    let partial = two.clone();
    place.change(|service| {
        service.link = Some(Box::new(move |_| Some(stalled(&partial, partial.len() / 2))));
    });
    place.publishes(Export::completed("exp_2", "2"));
    let download = place.place.data().join("bundle.download");
    let mut deployed = place.place.deploy();
    eventually("the download is under way", async || download.exists()).await;
    deployed.shows("1").await;
    deployed.0.kill();
    // As if it had been killed between the last two steps: the bundle is in its place, and not active.
    let moved = format!("versions/{}.tar.gz", sha256(&two));
    fs::write(place.place.data().join(moved), &two).unwrap();
    place.change(|service| service.refuses = Some(503));
    let deployed = place.place.deploy();
    deployed.says("503").await;
    deployed.shows("1").await;
    assert_eq!(place.place.versions().len(), 1);
    place.change(|service| (service.refuses, service.link) = (None, None));
    deployed.serves("2").await;
}
