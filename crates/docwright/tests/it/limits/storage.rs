//! The storage limit of a plan, over real HTTP with real git: refused requests, and requests that still work.

use std::path::Path;

use docwright_storage::{
    Database,
    database::{Queue, WantedPreview},
};
use docwright_testing::wait::eventually;
use docwright_types::{
    domain_name::DomainName,
    preview::{PreviewAddresses, PreviewSource},
    site_origin::SiteOrigin,
};
use reqwest::Method;
use serde_json::{Value, json};

use super::{HOST, pushes};
use crate::{
    agent::write_site,
    postgres,
    server::{Api, Process, Setup, git, write_repository},
    sites::noise,
};

/// Sets the storage limit of the default plan.
fn limit(setup: &Setup, bytes: &str) {
    setup.admin(&["plan", "set", "enterprise", "--storage-bytes", bytes]);
}

async fn usage(api: &Api, setup: &Setup) -> Value {
    let path = format!("/v1/organizations/{}/usage", setup.organization);
    api.send(Method::GET, &path, None).await.json().await.unwrap()
}

/// A clone of the project's repository.
fn clone(setup: &Setup, process: &Process) -> std::path::PathBuf {
    let base = process.address.replace("http://", &format!("http://me:{}@", setup.key));
    let folder = setup.folder.path().join("clone");
    let url = format!("{base}/git/{}.git", setup.project);
    git(setup.folder.path(), &["clone", "--quiet", &url, &folder.display().to_string()]);
    folder
}

async fn page(process: &Process) -> u16 {
    let request = reqwest::Client::new().get(format!("{}/page-0", process.address));
    request.header("host", HOST).send().await.unwrap().status().as_u16()
}

async fn is_refused_with_sentence_at_limit(setup: Setup) {
    let process = setup.serve();
    let api = setup.api(&process);
    let imported = usage(&api, &setup).await["repositoryBytes"].as_u64().unwrap();
    assert!(imported > 10_000, "{imported}");
    let export = api.start_export().await;
    assert_eq!(api.wait_for(&export, &["completed", "failed"]).await["status"], "completed");
    let folder = clone(&setup, &process);
    let (pushed, said) = pushes::push(&folder, &noise(50_000));
    assert!(pushed, "{said}");
    let used = usage(&api, &setup).await;
    assert!(used["repositoryBytes"].as_u64().unwrap() >= imported + 50_000, "{used}");
    assert!(used["bundleBytes"].as_u64().unwrap() > 0 && used["cloneBytes"].as_u64().unwrap() > 0);

    limit(&setup, "40000");
    let sentence = "of the 40.0 kB of storage that its plan, enterprise, includes: ";
    let (pushed, said) = pushes::push(&folder, &noise(1_000));
    assert!(!pushed && said.contains("403") && said.contains(sentence), "{said}");
    let project = &setup.project;
    for (path, body) in [
        (format!("/v1/project/update/{project}"), None),
        (format!("/v1/project/preview/{project}"), Some(json!({ "branch": "main" }))),
        ("/v1/static-export/jobs".to_owned(), Some(json!({ "domain": HOST }))),
    ] {
        let refused = api.send(Method::POST, &path, body).await;
        assert_eq!(refused.status(), 403, "{path}");
        let body: Value = refused.json().await.unwrap();
        assert!(body["error"].as_str().unwrap().contains(sentence), "{path}: {body}");
    }
    // Agent jobs are refused before a model is called.
    let job = api.prompt(project, "fix broken links").await;
    let job = api.finished(project, job["id"].as_str().unwrap()).await;
    assert_eq!(job["status"], "failed");
    assert!(job["error"].as_str().unwrap().contains(sentence), "{job}");
    // Existing data stays.
    assert_eq!(page(&process).await, 200);
    git(&folder, &["fetch", "--quiet"]);
    let releases = setup.admin(&["release", "list", "--project", project]);
    let ready = releases.as_array().unwrap().iter().find(|each| each["status"] == "ready");
    setup.admin(&["release", "activate", ready.unwrap()["id"].as_str().unwrap()]);
    let said = usage(&api, &setup).await;
    assert_eq!(said["limits"]["storageBytes"], 40_000);

    limit(&setup, "none");
    let (pushed, said) = pushes::push(&folder, &noise(2_000));
    assert!(pushed, "{said}");
    let job = api.start_export().await;
    assert_eq!(api.wait_for(&job, &["completed", "failed"]).await["status"], "completed");
}

#[tokio::test(flavor = "multi_thread")]
async fn push_and_build_are_refused_with_reason_at_limit() {
    is_refused_with_sentence_at_limit(Setup::built_in(write_site, &[])).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL"]
async fn push_and_build_are_refused_with_reason_at_limit_on_postgres() {
    let url = postgres::database("storage").await;
    is_refused_with_sentence_at_limit(Setup::on_database(write_site, &url)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn organization_at_limit_continues_after_deletion() {
    let setup = Setup::built_in(write_site, &[]);
    let process = setup.serve();
    let api = setup.api(&process);
    let large = setup.folder.path().join("large");
    write_repository(&large, 1);
    std::fs::write(large.join("image.png"), noise(1_000_000)).unwrap();
    let large = large.display().to_string();
    let large = setup.admin(&[
        "project",
        "create",
        "Large",
        "--organization",
        &setup.organization,
        "--import",
        &large,
    ]);
    limit(&setup, "1000000");
    let update = format!("/v1/project/update/{}", setup.project);
    assert_eq!(api.send(Method::POST, &update, None).await.status(), 403);
    setup.admin(&["project", "delete", large["id"].as_str().unwrap(), "--yes"]);
    assert_eq!(api.send(Method::POST, &update, None).await.status(), 202);
}

/// Each of two pushes fits alone, but not both.
#[tokio::test(flavor = "multi_thread")]
async fn simultaneous_pushes_are_both_counted() {
    let setup = Setup::built_in(write_site, &[]);
    let process = setup.serve();
    let api = setup.api(&process);
    let folder = clone(&setup, &process);
    let mut used = 0;
    for branch in ["one", "two"] {
        git(&folder, &["checkout", "--quiet", "-B", branch, "origin/main"]);
        std::fs::write(
            folder.join("image.png"),
            noise(if branch == "one" { 60_000 } else { 61_000 }),
        )
        .unwrap();
        git(&folder, &["add", "--all"]);
        git(&folder, &["commit", "--quiet", "--message", branch]);
        used = usage(&api, &setup).await["repositoryBytes"].as_u64().unwrap();
    }
    let export = api.start_export().await;
    assert_eq!(api.wait_for(&export, &["completed", "failed"]).await["status"], "completed");
    let usage_before = usage(&api, &setup).await;
    let others = ["bundleBytes", "cloneBytes"].map(|key| usage_before[key].as_u64().unwrap());
    limit(&setup, &(used + others.iter().sum::<u64>() + 100_000).to_string());
    let push = |branch: &'static str| {
        let folder = folder.clone();
        tokio::task::spawn_blocking(move || pushes::push_branch(&folder, branch))
    };
    let (one, two) = tokio::join!(push("one"), push("two"));
    assert!(one.as_ref().unwrap().0 || two.as_ref().unwrap().0, "{one:?} {two:?}");
    git(&folder, &["checkout", "--quiet", "-B", "main", "origin/main"]);
    let (both, counted) =
        (one.unwrap().0 && two.unwrap().0, usage(&api, &setup).await["repositoryBytes"].clone());
    assert!(counted.as_u64().unwrap() >= used + if both { 121_000 } else { 60_000 }, "{counted}");
    if both {
        let (pushed, said) = pushes::push(&folder, &noise(100));
        assert!(!pushed && said.contains("403"), "{said}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn push_of_agent_is_counted() {
    let setup = Setup::built_in(write_site, &[]);
    let process = setup.serve();
    let api = setup.api(&process);
    let used = async || usage(&api, &setup).await["repositoryBytes"].as_u64().unwrap();
    let before = used().await;
    let job = api.prompt(&setup.project, "add page new titled \"New\"").await;
    let job = api.finished(&setup.project, job["id"].as_str().unwrap()).await;
    assert_eq!(job["status"], "completed", "{job}");
    assert!(used().await > before);
}

/// A repository with an image of 950 kB and 40 pull requests, and a limit of ten times that size.
#[tokio::test(flavor = "multi_thread")]
async fn previews_of_organization_stop_at_its_limit() {
    let large = |folder: &Path| {
        write_repository(folder, 1);
        std::fs::write(folder.join("image.png"), noise(950_000)).unwrap();
    };
    let setup = Setup::built_in(large, &[]);
    let other = setup.admin(&["organization", "create", "Other", "--plan", "pro"]);
    let small = setup.folder.path().join("small");
    write_site(&small);
    let (other, small) = (other["id"].as_str().unwrap(), small.display().to_string());
    let project =
        setup.admin(&["project", "create", "Small", "--organization", other, "--import", &small]);
    let project = project["id"].as_str().unwrap();
    limit(&setup, "9500000");
    let process = setup.serve_with(&[("DOCWRIGHT_POLL_SECONDS", "0")]);
    let api = setup.api(&process);
    // Polls would close previews of pull requests that the host doesn't list, so no poll is due.
    let database = database(&setup).await;
    eventually("all is counted", async || {
        let polls = database.queue_depth(Queue::Polls).await.unwrap();
        polls.waiting + polls.running == 0
    })
    .await;
    open_previews(&setup, &database, 40).await;
    database.close().await;
    let path = format!("/v1/projects/{}/previews?limit=100", setup.project);
    let mut found = (0, 0);
    eventually("all previews are built or refused", async || {
        let all: Value = api.send(Method::GET, &path, None).await.json().await.unwrap();
        let all = all["previews"].as_array().unwrap().clone();
        let of = |status| all.iter().filter(|each| each["releaseStatus"] == status).count();
        found = (of("ready"), of("failed"));
        found.0 + found.1 == 40
    })
    .await;
    assert!((3..=10).contains(&found.0), "{found:?}");
    let used = usage(&api, &setup).await;
    let bytes = |name: &str| used[name].as_u64().unwrap();
    let total = bytes("bundleBytes") + bytes("repositoryBytes") + bytes("cloneBytes");
    assert!((9_500_000..9_500_000 + 4_000_000).contains(&total), "{used}");
    setup.admin(&["domain", "create", "other.example.com", "--project", project]);
    setup.admin(&["release", "create", "--domain", "other.example.com"]);
    eventually("the other organization's site is built", async || {
        let all = setup.admin(&["release", "list", "--project", project]);
        all.as_array().unwrap().iter().any(|each| each["status"] == "ready")
    })
    .await;
}

async fn database(setup: &Setup) -> Database {
    let url = format!("sqlite://{}", setup.data().join("docwright.db").display());
    Database::open(&url).await.unwrap()
}

/// Opens previews of pull requests as if their host listed them.
async fn open_previews(setup: &Setup, database: &Database, count: i64) {
    let bare = setup.data().join("git").join(format!("{}.git", setup.project));
    let head = git(&bare, &["rev-parse", "main"]);
    let domain = DomainName::parse("localhost").unwrap();
    let addresses = PreviewAddresses { domain, origin: SiteOrigin::new("http", None) };
    let source = PreviewSource { git_ref: "main".to_owned(), fork: None, is_fork: false };
    let wanted = (1..=count).map(|number| WantedPreview {
        pull_request: number,
        title: format!("Change {number}"),
        branch: "main".to_owned(),
        base: "main".to_owned(),
        head: head.clone(),
        source: source.clone(),
    });
    let (wanted, now) = (wanted.collect(), database.now().await.unwrap());
    database.sync_previews(&setup.project, wanted, &addresses, (now, now)).await.unwrap();
}
