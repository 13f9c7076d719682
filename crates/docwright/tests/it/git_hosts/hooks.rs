//! Webhooks with each host's own signature, and polling.

use docwright_testing::wait::eventually;
use hmac::{Hmac, KeyInit, Mac};
use reqwest::{Method, Response};
use serde_json::{Value, json};
use sha2::Sha256;

use super::{Hub, Running};
use crate::server::Api;

/// A project's webhook URL and secret.
pub(super) struct Hook {
    url: String,
    secret: String,
}

impl Hook {
    pub(super) async fn new(running: &Running) -> Self {
        let path = format!("/v1/projects/{}/webhook-secret", running.setup.project);
        let key = running.setup.new_key(&["--scope", "admin"]);
        let admin = Api { key, ..running.api.clone() };
        let made = admin.send(Method::POST, &path, None).await;
        assert_eq!(made.status(), 201);
        let made: Value = made.json().await.unwrap();
        let text = |name: &str| made[name].as_str().unwrap().to_owned();
        Self { url: text("url"), secret: text("secret") }
    }

    fn sign(&self, body: &str) -> String {
        let mut mac = Hmac::<Sha256>::new_from_slice(self.secret.as_bytes()).unwrap();
        mac.update(body.as_bytes());
        hex::encode(mac.finalize().into_bytes())
    }

    async fn send(&self, headers: &[(&str, &str)], body: &str) -> Response {
        let mut request = reqwest::Client::new().post(&self.url).body(body.to_owned());
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        request.send().await.unwrap()
    }

    /// Sends a push webhook of GitHub. Its head is wrong.
    pub(super) async fn push(&self, delivery: &str) -> u16 {
        let body = json!({
            "ref": "refs/heads/trunk", "before": "0".repeat(40), "after": "f".repeat(40),
            "repository": { "id": 1, "full_name": "acme/docs", "default_branch": "trunk" },
            "pusher": { "name": "ada" }, "sender": { "login": "ada" }, "commits": [],
        })
        .to_string();
        let signature = format!("sha256={}", self.sign(&body));
        let headers = [
            ("x-github-event", "push"),
            ("x-github-delivery", delivery),
            ("x-hub-signature-256", &signature),
        ];
        self.send(&headers, &body).await.status().as_u16()
    }
}

async fn deliveries(running: &Running) -> Vec<Value> {
    let path = format!("/v1/projects/{}/deliveries?limit=100", running.setup.project);
    let answer = running.api.send(Method::GET, &path, None).await;
    assert_eq!(answer.status(), 200);
    answer.json::<Value>().await.unwrap()["deliveries"].as_array().unwrap().clone()
}

/// Waits until no delivery waits for a poll.
pub(super) async fn looked(running: &Running) -> Vec<Value> {
    eventually("the repository was polled", async || {
        let all = deliveries(running).await;
        all.iter().all(|each| each["outcome"] != "accepted").then_some(all)
    })
    .await
}

const NEVER: [(&str, &str); 1] = [("DOCWRIGHT_POLL_SECONDS", "0")];

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs the packages of tests/mocks"]
async fn webhook_publishes_push() {
    let hub = Hub::start();
    let running = hub.serve(&NEVER);
    running.shows("page-0", "Text of page-0").await;
    let hook = Hook::new(&running).await;
    let commit = hub.push("New words.");
    assert_eq!(hook.push("one").await, 202);
    running.shows("page-0", "New words.").await;
    let list = looked(&running).await;
    assert_eq!((&list[0]["delivery"], &list[0]["event"]), (&json!("one"), &json!("push")));
    assert_eq!(list[0]["outcome"], "polled");
    let summary = list[0]["summary"].as_str().unwrap();
    assert!(summary.contains("`trunk`") && summary.contains(&commit[..12]), "{summary}");
    // The same delivery again is ignored, even with a new commit.
    hub.push("Later words.");
    assert_eq!(hook.push("one").await, 200);
    assert_eq!(deliveries(&running).await.len(), 1);
    // Order doesn't matter: the head comes from git.
    assert_eq!(hook.push("three").await, 202);
    assert_eq!(hook.push("two").await, 202);
    running.shows("page-0", "Later words.").await;
    // Redelivers one on request.
    let list = looked(&running).await;
    hub.push("Last words.");
    let id = list[0]["id"].as_str().unwrap();
    let path = format!("/v1/projects/{}/deliveries/{id}/redeliver", running.setup.project);
    assert_eq!(running.api.send(Method::POST, &path, None).await.status(), 202);
    running.shows("page-0", "Last words.").await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs the packages of tests/mocks"]
#[expect(clippy::too_many_lines, reason = "most of the function is a table")]
async fn each_host_is_accepted_only_with_its_own_signature() {
    let hub = Hub::start();
    let running = hub.serve(&NEVER);
    let hook = Hook::new(&running).await;
    let body = json!({ "ref": "refs/heads/main", "after": "f".repeat(40) }).to_string();
    let good = hook.sign(&body);
    let with_name = format!("sha256={good}");
    let wrong = "0".repeat(64);
    let wrong_with_name = format!("sha256={wrong}");
    for (name, header, good, wrong, event, id) in [
        (
            "github",
            "x-hub-signature-256",
            with_name.as_str(),
            wrong_with_name.as_str(),
            "x-github-event",
            "x-github-delivery",
        ),
        (
            "gitlab",
            "x-gitlab-token",
            hook.secret.as_str(),
            "guess",
            "x-gitlab-event",
            "x-gitlab-event-uuid",
        ),
        (
            "gitea",
            "x-gitea-signature",
            good.as_str(),
            wrong.as_str(),
            "x-gitea-event",
            "x-gitea-delivery",
        ),
        (
            "forgejo",
            "x-forgejo-signature",
            good.as_str(),
            wrong.as_str(),
            "x-forgejo-event",
            "x-forgejo-delivery",
        ),
        (
            "bitbucket",
            "x-hub-signature",
            with_name.as_str(),
            wrong_with_name.as_str(),
            "x-event-key",
            "x-request-uuid",
        ),
    ] {
        let id = (id, name);
        let refused = hook.send(&[(header, wrong), (event, "push"), id], &body).await;
        let status = refused.status().as_u16();
        let refusal: Value = refused.json().await.unwrap();
        assert_eq!(status, 401, "{name}: {refusal}");
        let missing = hook.send(&[(event, "push"), id], &body).await;
        assert_eq!(
            (missing.status().as_u16(), missing.json().await.unwrap()),
            (401, refusal.clone())
        );
        let other = hook.send(&[(header, good), (event, "push"), id], "{}").await.status();
        assert_eq!(other.as_u16() == 202, name == "gitlab", "{name}: another body");
        let expected = if name == "gitlab" { 200 } else { 202 };
        let answer = hook.send(&[(header, good), (event, "push"), id], &body).await;
        assert_eq!(answer.status(), expected, "{name}");
        // A missing project and a project without a secret get the same response.
        let unknown = Hook {
            url: hook.url.replace(&running.setup.project, "prj_none"),
            ..Hook { secret: hook.secret.clone(), url: hook.url.clone() }
        };
        let answer = unknown.send(&[(header, good), (event, "push"), id], &body).await;
        assert_eq!((answer.status().as_u16(), answer.json().await.unwrap()), (401, refusal));
    }
    let names: Vec<_> =
        deliveries(&running).await.iter().map(|each| each["delivery"].clone()).collect();
    assert_eq!(names, ["bitbucket", "forgejo", "gitea", "gitlab", "github"]);
    // A new secret replaces the old one.
    let new = Hook::new(&running).await;
    assert_eq!((hook.push("old").await, new.push("new").await), (401, 202));
    // Guessing at one address is limited. Valid signatures from that address still work.
    let mut heard = 0;
    while hook.push("guess").await == 401 {
        heard += 1;
        assert!(heard < 100, "guessing is never limited");
    }
    assert_eq!((hook.push("guess").await, new.push("right").await), (429, 202));
    let unlike = running.setup.admin(&[
        "project",
        "create",
        "Other",
        "--organization",
        &running.setup.organization,
    ]);
    let url = hook.url.replace(&running.setup.project, unlike["id"].as_str().unwrap());
    let other = Hook { url, secret: String::from("x") };
    assert_eq!(other.push("x").await, 401, "other projects at the same address aren't limited");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs the packages of tests/mocks"]
async fn simultaneous_webhooks_share_polls() {
    let hub = Hub::start();
    let running = hub.serve(&NEVER);
    running.shows("page-0", "Text of page-0").await;
    let hook = Hook::new(&running).await;
    let polls = "SELECT lease_number FROM polls";
    let before = running.number(polls).await;
    hub.push("New words.");
    let sent = (0..200).map(|number| {
        let hook = &hook;
        async move { hook.push(&format!("delivery-{number}")).await }
    });
    let statuses = futures::future::join_all(sent).await;
    assert!(statuses.iter().all(|status| *status == 202), "{statuses:?}");
    running.shows("page-0", "New words.").await;
    looked(&running).await;
    let after = running.number(polls).await;
    assert!((1..=40).contains(&(after - before)), "{} polls", after - before);
    let releases = "SELECT COUNT(*) FROM releases";
    assert_eq!(running.number(releases).await, 2);
}

/// No webhook is sent.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs the packages of tests/mocks"]
async fn push_without_webhook_is_found_by_polling() {
    let hub = Hub::start();
    let running = hub.serve(&[("DOCWRIGHT_POLL_SECONDS", "1")]);
    running.shows("page-0", "Text of page-0").await;
    hub.push("Silent words.");
    running.shows("page-0", "Silent words.").await;
    assert!(deliveries(&running).await.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs the packages of tests/mocks"]
async fn oversized_webhook_body_is_refused() {
    let hub = Hub::start();
    let running = hub.serve(&NEVER);
    let hook = Hook::new(&running).await;
    let body = "x".repeat(26 * 1024 * 1024);
    let answer = reqwest::Client::new().post(&hook.url).body(body).send().await;
    assert!(answer.is_err() || answer.unwrap().status() == 400);
    assert_eq!(hook.push("small").await, 202);
}
