//! Sites of the service: each organization's pages answer for themselves, and previews don't answer.

use docwright_testing::wait::eventually;
use reqwest::{Client, Method, Response};
use serde_json::{Value, json};

use super::{Answer, ScriptedModel, write_docs};
use crate::{
    http2::Secure,
    server::{Api, Setup, id},
};

const HOST: &str = "docs.example.com";
const OTHER: &str = "other.example.com";

pub(crate) async fn switch(api: &Api, project: &str, mode: &str) {
    let path = format!("/v1/projects/{project}/deployments/cloud");
    let features = json!({ "features": { "assistant": { "mode": mode } } });
    assert_eq!(api.send(Method::PATCH, &path, Some(features)).await.status(), 200);
}

pub(crate) async fn publish(api: &Api, domain: &str) {
    let body = json!({ "domain": domain, "deployment": "cloud" });
    let started = api.send(Method::POST, "/v1/static-export/jobs", Some(body)).await;
    let started: Value = started.json().await.unwrap();
    let id = started["jobId"].as_str().unwrap_or_else(|| panic!("{started}")).to_owned();
    api.wait_for(&id, &["completed"]).await;
}

pub(crate) async fn ask(address: &str, host: &str, question: &str) -> Response {
    let request = Client::new().post(format!("{address}/_docwright/assistant"));
    request.header("host", host).json(&json!({ "question": question })).send().await.unwrap()
}

pub(crate) async fn answers(address: &str, host: &str, expected: bool) {
    eventually("the site answers as its deployment says", async || {
        let page = Client::new().get(format!("{address}/index.html")).header("host", host);
        let page = page.send().await.unwrap();
        let offers =
            page.headers().get("server-timing").map(|value| value.to_str().unwrap().to_owned());
        offers.is_some_and(|offers| offers.contains("assistant;desc=") == expected)
    })
    .await;
}

pub(crate) async fn serves(address: &str, host: &str, path: &str) {
    eventually("the site has the page", async || {
        let page = Client::new().get(format!("{address}{path}")).header("host", host);
        page.send().await.unwrap().status() == 200
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn sites_answer_from_their_own_pages() {
    let model = ScriptedModel::start().await;
    let setup = Setup::built_in(write_docs, &[]);
    let urls = format!("openai-chat={}", model.address);
    let process = setup.serve_with(&[
        ("DOCWRIGHT_ASSISTANT_MODEL", "openai-chat:tiny"),
        ("DOCWRIGHT_AGENT_URLS", &urls),
    ]);
    let key = setup.new_key(&["--scope", "admin"]);
    let api = Api { key, ..setup.api(&process) };
    publish(&api, HOST).await;
    answers(&process.address, HOST, false).await;
    assert_eq!(
        ask(&process.address, HOST, "When do keys expire?").await.status(),
        404,
        "off at first"
    );
    switch(&api, &setup.project, "on").await;
    publish(&api, HOST).await;
    answers(&process.address, HOST, true).await;
    // Another organization's site, about something else.
    let repository = setup.folder.path().join("other");
    write_docs(&repository);
    let text = "---\ntitle: Keys\n---\n\n## Locks\n\nKeys of the vault never expire here.\n";
    std::fs::write(repository.join("guides/start.mdx"), text).unwrap();
    let organization = id(&setup.admin(&["organization", "create", "Other"]));
    let path = repository.display().to_string();
    let project = ["project", "create", "Docs", "--organization", &organization, "--import", &path];
    let project = id(&setup.admin(&project));
    setup.admin(&["domain", "create", OTHER, "--project", &project]);
    let key = ["key", "create", "test", "--organization", &organization, "--scope", "admin"];
    let key = setup.admin(&key)["key"].as_str().unwrap().to_owned();
    let other = Api { key, ..setup.api(&process) };
    switch(&other, &project, "on").await;
    publish(&other, OTHER).await;
    answers(&process.address, OTHER, true).await;
    let own = "They expire.\n[[?: \"Keys expire after 30 days\"]]\n";
    model.writes(own);
    let answer = Answer::whole(ask(&process.address, HOST, "When do keys expire?").await).await;
    assert_eq!(answer.kind(), "answer");
    model.writes("They expire.\n[[1: \"Keys expire after 30 days\"]]\n\nNever.\n[[?: \"Keys of the vault never expire here\"]]\n");
    let answer = Answer::whole(ask(&process.address, OTHER, "When do keys expire?").await).await;
    assert_eq!((answer.kind(), answer.texts()), ("answer", vec!["Never."]));
    for (_, body) in model.taken().iter().skip(1) {
        assert!(!body.to_string().contains("Keys expire after 30 days"), "{body}");
    }
    // The service's own host, and a preview.
    let response = Client::new().post(format!("{}/_docwright/assistant", process.address));
    let response = response.json(&json!({ "question": "Why?" })).send().await.unwrap();
    assert!(matches!(response.status().as_u16(), 404 | 405), "{response:?}");
    let path = format!("/v1/project/preview/{}", setup.project);
    let started = api.send(Method::POST, &path, Some(json!({ "branch": "main" }))).await;
    let started: Value = started.json().await.unwrap();
    let url = started["previewUrl"].as_str().unwrap_or_else(|| panic!("{started}"));
    let host = url.split_once("://").unwrap().1.trim_end_matches('/').to_owned();
    answers(&process.address, &host, false).await;
    let response = ask(&process.address, &host, "When do keys expire?").await;
    assert_eq!(response.status(), 404);
    switch(&api, &setup.project, "off").await;
    publish(&api, HOST).await;
    answers(&process.address, HOST, false).await;
    assert_eq!(ask(&process.address, HOST, "When do keys expire?").await.status(), 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn site_answers_over_http2_and_logs_no_question() {
    let secure = Secure::start_with("debug", write_docs, &[]).await;
    let key = secure.setup.new_key(&["--scope", "admin"]);
    let api = Api { key, ..secure.setup.api(&secure.service.process) };
    switch(&api, &secure.setup.project, "on").await;
    publish(&api, HOST).await;
    eventually("the page is served", async || {
        let page = secure.send(Secure::request_to(HOST, "GET", "/index.html"), "").await;
        page.headers
            .get("server-timing")
            .is_some_and(|value| value.to_str().unwrap().contains("assistant"))
    })
    .await;
    let body = json!({ "question": "When do keys expire, zebra?" }).to_string();
    for (origin, status) in [("https://docs.example.com", 200), ("https://evil.example", 403)] {
        let request = Secure::request_to(HOST, "POST", "/_docwright/assistant")
            .header("content-type", "application/json")
            .header("origin", origin);
        let response = secure.send(request, &body).await;
        assert_eq!(response.status, status, "{response:?}");
        if status == 200 {
            let answer = Answer::parse(&response.text);
            assert!(["extract", "refused"].contains(&answer.kind()), "{answer:?}");
        }
    }
    let log = secure.service.text_with_requests("/_docwright/assistant", 2).await;
    assert!(!log.contains("zebra"), "{log}");
}
