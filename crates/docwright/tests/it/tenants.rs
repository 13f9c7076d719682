//! Organizations that share a service: attacks by one don't affect the others.

use std::path::Path;

use reqwest::Method;
use serde_json::{Value, json};

use crate::server::{Api, Setup, write_repository};

/// Native code without interruption checks. Only the child process's limits end it.
pub(crate) const ENDLESS: &str = "export const found = (() => { const big = 7n ** 20000n; let n = 0n; for (;;) n = big * big % 3n })()\n\n{found}\n";

/// Another organization with a project of its own, and its key.
struct Tenant {
    project: String,
    api: Api,
    domain: &'static str,
}

impl Tenant {
    fn new(setup: &Setup, api: &Api, domain: &'static str, write: impl Fn(&Path)) -> Self {
        let folder = setup.folder.path().join(domain);
        write(&folder);
        let organization = setup.admin(&["organization", "create", domain]);
        let organization = organization["id"].as_str().unwrap();
        let import = folder.display().to_string();
        let arguments =
            ["project", "create", domain, "--organization", organization, "--import", &import];
        let project = setup.admin(&arguments)["id"].as_str().unwrap().to_owned();
        setup.admin(&["domain", "create", domain, "--project", &project]);
        let key = setup.admin(&["key", "create", "k", "--organization", organization]);
        let key = key["key"].as_str().unwrap().to_owned();
        Self { project, api: Api { key, ..api.clone() }, domain }
    }

    async fn export(&self, more: Value) -> String {
        let mut body = json!({ "domain": self.domain });
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let answer = self.api.send(Method::POST, "/v1/static-export/jobs", Some(body)).await;
        assert_eq!(answer.status(), 202);
        answer.json::<Value>().await.unwrap()["jobId"].as_str().unwrap().to_owned()
    }
}

fn endless(folder: &Path) {
    write_repository(folder, 1);
    std::fs::write(folder.join("page-0.mdx"), ENDLESS).unwrap();
}

/// A single worker with a queue of builds that never end on their own.
#[tokio::test(flavor = "multi_thread")]
async fn endless_build_delays_others_once() {
    let setup = Setup::new();
    let limits = [("DOCWRIGHT_BUILDS", "1"), ("DOCWRIGHT_BUILD_SECONDS", "3")];
    let process = setup.serve_with(&limits);
    let own = setup.api(&process);
    let hostile = Tenant::new(&setup, &own, "hostile.example.com", endless);
    let mut attacks = Vec::new();
    for version in 0..6 {
        attacks.push(hostile.export(json!({ "version": version.to_string() })).await);
    }
    hostile.api.wait_for(&attacks[0], &["running"]).await;
    let id = own.start_export().await;
    let job = own.wait_for(&id, &["completed", "failed"]).await;
    assert_eq!(job["status"], "completed", "{job}");
    let first = hostile.api.wait_for(&attacks[0], &["failed"]).await;
    let error = first["error"].as_str().unwrap();
    assert!(error.contains("exceeded the time limit of 3 seconds"), "{error}");
    let last = hostile.api.job(&attacks[5]).await;
    assert_eq!(last["status"], "queued", "others don't wait for all of them");
}

/// The API lists the pages of an export in a child process, too.
#[tokio::test(flavor = "multi_thread")]
async fn pages_are_listed_with_limits() {
    let setup = Setup::new();
    let process = setup.serve_with(&[("DOCWRIGHT_BUILD_SECONDS", "3")]);
    let own = setup.api(&process);
    // Listing pages reads only the configuration, so the attack uses a very large number of files.
    let many = |folder: &Path| {
        write_repository(folder, 1);
        for name in ["a", "b", "c", "d"] {
            std::fs::create_dir(folder.join(name)).unwrap();
            for link in ["a", "b", "c", "d"] {
                let to = format!("../{link}");
                std::os::unix::fs::symlink(to, folder.join(name).join(format!("to-{link}")))
                    .unwrap();
            }
        }
    };
    let hostile = Tenant::new(&setup, &own, "hostile.example.com", many);
    let body = json!({ "domain": hostile.domain, "paths": ["nowhere"] });
    let answer = hostile.api.send(Method::POST, "/v1/static-export/jobs", Some(body)).await;
    assert_eq!(answer.status(), 400);
    let body: Value = answer.json().await.unwrap();
    assert!(body["error"].as_str().unwrap().contains("`nowhere`"), "{body}");
}

/// API specs are fetched from public hosts only.
#[tokio::test(flavor = "multi_thread")]
async fn private_host_is_never_requested_for_a_spec() {
    let private = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}/openapi.json", private.local_addr().unwrap());
    let setup = Setup::with_repository(|folder| {
        write_repository(folder, 1);
        let page = format!("---\nopenapi: \"{address} GET /a\"\n---\n");
        std::fs::write(folder.join("page-0.mdx"), page).unwrap();
    });
    let copies = setup.folder.path().join("copies").display().to_string();
    let process = setup.serve_with(&[("DOCWRIGHT_REMOTE_SPECS", &copies)]);
    let api = setup.api(&process);
    let id = api.start_export().await;
    let job = api.wait_for(&id, &["completed", "failed"]).await;
    assert_eq!(job["status"], "completed", "{job}");
    let warnings = job["warnings"].to_string();
    assert!(warnings.contains("private address"), "{warnings}");
    let asked = tokio::time::timeout(std::time::Duration::ZERO, private.accept()).await;
    assert!(asked.is_err(), "the host got a request");
}

/// A key has no access to other organizations.
#[tokio::test(flavor = "multi_thread")]
async fn organizations_cannot_see_each_other() {
    let setup = Setup::new();
    let process = setup.serve();
    let own = setup.api(&process);
    let other =
        Tenant::new(&setup, &own, "other.example.com", |folder| write_repository(folder, 1));
    let id = own.start_export().await;
    for (method, path) in [
        (Method::GET, format!("/v1/static-export/jobs/{id}")),
        (Method::POST, format!("/v1/static-export/jobs/{id}/bundle")),
        (Method::POST, format!("/v1/project/update/{}", setup.project)),
        (Method::GET, format!("/v2/agent/{}/jobs", setup.project)),
    ] {
        setup.admin(&["organization", "update", &setup.organization, "--plan", "enterprise"]);
        let status = other.api.send(method, &path, None).await.status();
        assert_eq!(status, 404, "{path}");
    }
    assert_ne!(other.project, setup.project);
}
