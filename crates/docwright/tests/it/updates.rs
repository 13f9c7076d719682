//! Releases of a site: requested, activated, rolled back, and not affected by partial exports.

use docwright_testing::wait::eventually;
use reqwest::Method;
use serde_json::{Value, json};

use crate::{
    agent::write_site,
    server::{Api, Setup},
};

/// Requests an update and waits until it finishes.
async fn update(api: &Api, project: &str) -> Value {
    let path = format!("/v1/project/update/{project}");
    let started = api.send(Method::POST, &path, None).await;
    assert_eq!(started.status(), 202);
    let location = started.headers()["location"].to_str().unwrap().to_owned();
    let id = started.json::<Value>().await.unwrap()["statusId"].as_str().unwrap().to_owned();
    assert_eq!(location, format!("/v1/project/update-status/{id}"));
    let update = eventually("the update has ended", async || {
        let update: Value = api.send(Method::GET, &location, None).await.json().await.unwrap();
        let is_open = ["queued", "in_progress"].contains(&update["status"].as_str().unwrap());
        if is_open { Err(update) } else { Ok(update) }
    });
    let update = update.await;
    assert_eq!(update["_id"], id);
    update
}

async fn page(api: &Api, path: &str) -> (u16, String) {
    let request = api.client.get(format!("{}/{path}", api.base)).header("host", "docs.example.com");
    let answer = request.send().await.unwrap();
    (answer.status().as_u16(), answer.text().await.unwrap())
}

/// Waits until a page contains a text.
async fn shows(api: &Api, path: &str, words: &str) {
    eventually(&format!("{path} shows {words:?}"), async || {
        let (_, page) = page(api, path).await;
        if page.contains(words) { Ok(()) } else { Err(page) }
    })
    .await;
}

fn text(words: &str) -> String {
    format!("---\ntitle: Zero\n---\n\n{words}\n")
}

#[tokio::test(flavor = "multi_thread")]
async fn update_publishes_and_reports_latest_commit() {
    let setup = Setup::built_in(write_site, &[]);
    setup.commit("page-0.mdx", &text("First words."));
    let process = setup.serve();
    let api = setup.api(&process);
    let first = update(&api, &setup.project).await;
    assert!(["success", "skipped"].contains(&first["status"].as_str().unwrap()), "{first}");
    assert!(page(&api, "page-0").await.1.contains("First words."));
    setup.commit("page-0.mdx", &text("Second words."));
    let second = update(&api, &setup.project).await;
    assert_eq!(second["status"], "success", "{second}");
    assert_eq!(second["projectId"], setup.project.as_str());
    let commit = &second["commit"];
    assert_eq!((&commit["ref"], &commit["message"]), (&json!("main"), &json!("page-0.mdx")));
    assert_eq!((&commit["filesChanged"], &second["author"]), (&json!(1), &json!("T")));
    assert_eq!(commit["sha"].as_str().unwrap().len(), 40);
    assert!(second["summary"].as_str().unwrap().contains("3 pages"), "{second}");
    let logs: Vec<_> =
        second["logs"].as_array().unwrap().iter().map(|line| line.as_str().unwrap()).collect();
    let steps = [
        "queued",
        ": started",
        "is checked out",
        "built: 3 pages, 2 of them from earlier builds",
        "B",
        "ready: 3 pages, 0 diagnostics",
        "active",
    ];
    assert!(
        logs.len() == steps.len()
            && logs.iter().zip(steps).all(|(line, step)| line.ends_with(step)),
        "{logs:?}"
    );
    assert_eq!(second["source"], "api");
    assert!(second["endedAt"].is_string() && second["createdAt"].is_string());
    assert!(page(&api, "page-0").await.1.contains("Second words."));
    let third = update(&api, &setup.project).await;
    assert_eq!(third["status"], "skipped", "the commit is already built: {third}");
}

#[tokio::test(flavor = "multi_thread")]
async fn every_refusal_of_an_update_has_its_status() {
    let setup = Setup::built_in(write_site, &[]);
    let process = setup.serve();
    let api = setup.api(&process);
    let status = async |api: &Api, method: Method, path: &str| {
        let response = api.send(method, path, None).await;
        let status = response.status().as_u16();
        let body: Value = response.json().await.expect("an answer is JSON");
        assert!(status < 400 || body["error"].as_str().unwrap().ends_with('.'), "{body}");
        status
    };
    let start = format!("/v1/project/update/{}", setup.project);
    let done = update(&api, &setup.project).await;
    let watch = format!("/v1/project/update-status/{}", done["_id"].as_str().unwrap());
    let reader = Api { key: setup.new_key(&["--scope", "read"]), ..api.clone() };
    let stranger = setup.admin(&["organization", "create", "Other"]);
    let stranger = stranger["id"].as_str().unwrap();
    let other = setup.admin(&["key", "create", "x", "--organization", stranger]);
    let other = Api { key: other["key"].as_str().unwrap().to_owned(), ..api.clone() };
    let nobody = Api { key: "x".to_owned(), ..api.clone() };
    let empty = setup.admin(&["project", "create", "Empty", "--organization", &setup.organization]);
    let empty = format!("/v1/project/update/{}", empty["id"].as_str().unwrap());
    for (api, method, path, expected) in [
        (&nobody, Method::POST, start.as_str(), 401),
        (&reader, Method::POST, start.as_str(), 403),
        (&reader, Method::GET, watch.as_str(), 200),
        (&other, Method::POST, start.as_str(), 404),
        (&other, Method::GET, watch.as_str(), 404),
        (&api, Method::POST, "/v1/project/update/prj_none", 404),
        (&api, Method::GET, "/v1/project/update-status/upd_none", 404),
        (&api, Method::POST, empty.as_str(), 409),
        (&api, Method::DELETE, start.as_str(), 405),
    ] {
        assert_eq!(status(api, method.clone(), path).await, expected, "{method} {path}");
    }
    let with_key = async |path: &str| {
        let request = api.client.post(format!("{}{path}", api.base)).bearer_auth(&api.key);
        let answer = request.header("idempotency-key", "k").send().await.unwrap();
        (answer.status().as_u16(), answer.json::<Value>().await.unwrap())
    };
    assert_eq!(with_key(&start).await, with_key(&start).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn rollback_lasts_until_a_newer_commit() {
    let setup = Setup::built_in(write_site, &[]);
    let process = setup.serve();
    let api = setup.api(&process);
    for words in ["Good words.", "Bad words."] {
        setup.commit("page-0.mdx", &text(words));
        update(&api, &setup.project).await;
        assert!(page(&api, "page-0").await.1.contains(words));
    }
    let list = setup.admin(&["release", "list", "--project", &setup.project]);
    let ready: Vec<_> =
        list.as_array().unwrap().iter().filter(|each| each["status"] == "ready").collect();
    assert_eq!((&ready[0]["active"], &ready[1]["active"]), (&json!(true), &json!(false)));
    setup.admin(&["release", "activate", ready[1]["id"].as_str().unwrap()]);
    // Another process activated the release, so the server learns of it later.
    shows(&api, "page-0", "Good words.").await;
    update(&api, &setup.project).await;
    let id = api.start_export().await;
    api.wait_for(&id, &["completed"]).await;
    assert!(page(&api, "page-0").await.1.contains("Good words."), "it holds");
    setup.commit("page-0.mdx", &text("New words."));
    let made = setup.admin(&["release", "create", "--domain", "docs.example.com"]);
    assert_eq!(made["status"], "queued");
    update(&api, &setup.project).await;
    assert!(page(&api, "page-0").await.1.contains("New words."));
}

#[tokio::test(flavor = "multi_thread")]
async fn partial_export_leaves_site_unchanged() {
    let setup = Setup::new();
    let process = setup.serve();
    let api = setup.api(&process);
    let full = api.start_export().await;
    api.wait_for(&full, &["completed"]).await;
    let before = page(&api, "page-2").await;
    assert_eq!(before.0, 200);
    for body in [
        json!({ "domain": "docs.example.com", "paths": ["page-1"] }),
        json!({ "domain": "docs.example.com", "version": "7" }),
    ] {
        let answer = api.send(Method::POST, "/v1/static-export/jobs", Some(body)).await;
        let id = answer.json::<Value>().await.unwrap()["jobId"].as_str().unwrap().to_owned();
        let job = api.wait_for(&id, &["completed", "failed"]).await;
        assert_eq!(job["status"], "completed", "{job}");
        assert_ne!(api.bundle(&id).await["sha256"], api.bundle(&full).await["sha256"]);
        assert_eq!(page(&api, "page-2").await, before);
    }
}

/// Changes that a killed process missed are found.
#[tokio::test(flavor = "multi_thread")]
async fn missed_push_is_published_at_start() {
    let setup = Setup::built_in(write_site, &[]);
    setup.commit("page-0.mdx", &text("Silent words."));
    let process = setup.serve();
    let api = setup.api(&process);
    shows(&api, "page-0", "Silent words.").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn poll_publishes_the_newest_commit_of_a_repository() {
    let setup = Setup::built_in(write_site, &[]);
    let process = setup.serve_with(&[("DOCWRIGHT_POLL_SECONDS", "0")]);
    let api = setup.api(&process);
    update(&api, &setup.project).await;
    setup.commit("page-0.mdx", &text("Polled words."));
    let path = format!("/v1/projects/{}/poll", setup.project);
    let asked = api.send(Method::POST, &path, None).await;
    assert_eq!(asked.status(), 202);
    assert_eq!(asked.json::<Value>().await.unwrap()["id"], setup.project.as_str());
    shows(&api, "page-0", "Polled words.").await;
    let audit = setup.admin(&["audit", "list", "--action", "project.poll"]);
    assert_eq!(audit[0]["subject"], setup.project.as_str(), "{audit}");
}

#[tokio::test(flavor = "multi_thread")]
async fn repository_that_is_still_being_created_is_no_problem() {
    let setup = Setup::built_in(write_site, &[]);
    let process = setup.serve_with(&[("DOCWRIGHT_POLL_SECONDS", "0")]);
    let api = setup.api(&process);
    update(&api, &setup.project).await;
    let repository = setup.data().join("git").join(format!("{}.git", setup.project));
    std::fs::remove_dir_all(repository).unwrap();
    let file = setup.data().join("docwright.db").display().to_string();
    let pool = sqlx::SqlitePool::connect(&format!("sqlite://{file}")).await.unwrap();
    let created = async |sql| sqlx::query(sql).execute(&pool).await.map(drop).unwrap();
    created("UPDATE projects SET created_at = 1000 * unixepoch()").await;
    let path = format!("/v1/projects/{}", setup.project);
    let poll_error = async || {
        let project = api.send(Method::GET, &path, None).await.json::<Value>().await.unwrap();
        project["pollError"].clone()
    };
    let polled_at = async || {
        let sql = "SELECT updated_at FROM polls";
        sqlx::query_scalar::<_, i64>(sql).fetch_one(&pool).await.unwrap()
    };
    assert_eq!(api.send(Method::POST, &format!("{path}/poll"), None).await.status(), 202);
    let asked_at = polled_at().await;
    eventually("the repository is polled again", async || polled_at().await > asked_at).await;
    assert_eq!(poll_error().await, Value::Null);
    created("UPDATE projects SET created_at = created_at - 3600000").await;
    eventually("the repository is missing", async || poll_error().await.is_string()).await;
    pool.close().await;
}
