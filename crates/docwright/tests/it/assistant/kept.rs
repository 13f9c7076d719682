//! Questions that the service keeps: listed, rated, exported, and deleted, without anything about their readers.

use docwright_testing::wait::eventually;
use reqwest::{Client, Method, Response};
use serde_json::{Value, json};

use super::{Answer, hosted, write_docs};
use crate::server::{Api, Process, Setup};

const HOST: &str = "docs.example.com";
const THREAD: &str = "q0Xw1mGZ7dYb2nJ5s8LrTA";

pub(super) struct Place {
    pub(super) setup: Setup,
    pub(super) process: Process,
    pub(super) api: Api,
}

impl Place {
    /// A service whose site has the assistant without a model.
    pub(super) async fn start() -> Self {
        let setup = Setup::built_in(write_docs, &[]);
        let process = setup.serve_with(&[]);
        let key = setup.new_key(&["--scope", "admin"]);
        let api = Api { key, ..setup.api(&process) };
        hosted::switch(&api, &setup.project, "on").await;
        hosted::publish(&api, HOST).await;
        hosted::answers(&process.address, HOST, true).await;
        Self { setup, process, api }
    }

    async fn post(&self, path: &str, body: &Value) -> Response {
        let request =
            Client::new().post(format!("{}/_docwright/assistant{path}", self.process.address));
        request.header("host", HOST).json(body).send().await.unwrap()
    }

    async fn ask(&self, body: Value) -> Answer {
        Answer::whole(self.post("", &body).await).await
    }

    pub(super) fn path(&self, rest: &str) -> String {
        format!("/v1/analytics/{}/assistant{rest}", self.setup.project)
    }

    pub(super) async fn get(&self, rest: &str) -> Value {
        let response = self.api.send(Method::GET, &self.path(rest), None).await;
        assert_eq!(response.status(), 200, "{response:?}");
        response.json().await.unwrap()
    }

    /// The questions of a list, once there are this many.
    pub(super) async fn listed(&self, rest: &str, count: usize) -> Vec<Value> {
        eventually("the questions are written", async || {
            self.get(rest).await["conversations"].as_array().unwrap().len() == count
        })
        .await;
        self.get(rest).await["conversations"].as_array().unwrap().clone()
    }
}

fn id(answer: &Answer) -> String {
    answer.all("done")[0]["id"].as_str().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn question_is_listed_rated_exported_and_deleted() {
    let place = Place::start().await;
    let question = "When do keys expire?";
    let body =
        json!({ "question": question, "thread": THREAD, "page": "guides/start", "language": "en" });
    let first = place.ask(body).await;
    assert_eq!((first.kind(), &first.all("done")[0]["rated"]), ("extract", &json!(true)));
    let refused =
        place.ask(json!({ "question": "Who won the zebra race?", "thread": THREAD })).await;
    assert_eq!(refused.kind(), "refused");
    let without = place.ask(json!({ "question": "Why are boats painted in colors?" })).await;
    assert_eq!(without.all("done")[0].get("rated"), None, "a rating needs a thread");
    let kept = place.listed("", 3).await;
    let asked: Vec<_> = kept.iter().map(|each| each["query"].as_str().unwrap()).collect();
    assert_eq!(asked, ["Why are boats painted in colors?", "Who won the zebra race?", question]);
    let oldest = &kept[2];
    assert_eq!(
        (&oldest["id"], &oldest["threadId"], &oldest["kind"], &oldest["resolutionStatus"]),
        (&json!(id(&first)), &json!(THREAD), &json!("extract"), &json!("answered"))
    );
    assert_eq!((&oldest["askedFrom"], &oldest["domain"]), (&json!("site"), &json!(HOST)));
    assert_eq!((&oldest["page"], &oldest["language"]), (&json!("guides/start"), &json!("en")));
    assert!(oldest["response"].as_str().unwrap().contains("Keys expire after 30 days"));
    assert_eq!(oldest["sources"][0], json!({ "title": "Start", "url": "/guides/start#keys" }));
    assert_eq!(
        (&kept[1]["resolutionStatus"], &kept[1]["response"]),
        (&json!("unanswered"), &json!(""))
    );
    assert_eq!((&kept[0]["threadId"], &kept[0]["rating"]), (&kept[0]["id"], &Value::Null));
    for each in &kept {
        let text = each.to_string();
        assert!(!text.contains("127.0.0.1") && !text.contains("reqwest"), "{text}");
    }
    let gaps = place.listed("?kind=refused", 1).await;
    assert_eq!(gaps[0]["id"], kept[1]["id"]);
    // Pages of the list, and its range.
    let page = place.get("?limit=2").await;
    assert_eq!(
        (page["conversations"].as_array().unwrap().len(), &page["hasMore"]),
        (2, &json!(true))
    );
    let rest = format!("?limit=2&cursor={}", page["nextCursor"].as_str().unwrap());
    let page = place.get(&rest).await;
    assert_eq!((&page["conversations"][0], &page["hasMore"]), (oldest, &json!(false)));
    assert_eq!(place.get("?dateTo=2026-01-01").await["conversations"], json!([]));
    let counted = json!({ "web": 3, "api": 0, "other": 0, "total": 3 });
    assert_eq!(place.get("/caller-stats").await, counted);
    rate(&place, &id(&first)).await;
    // The export has each question on a line.
    let export = place.api.send(Method::GET, &place.path("/export"), None).await;
    assert_eq!(export.headers()["content-type"], "application/jsonl");
    let export = export.text().await.unwrap();
    let lines: Vec<Value> =
        export.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines, place.listed("", 3).await);
    // Deletion, of one thread and of all.
    let path = place.path(&format!("/threads/{THREAD}"));
    let deleted = place.api.send(Method::DELETE, &path, None).await;
    assert_eq!(deleted.json::<Value>().await.unwrap(), json!({ "deleted": 2 }));
    assert_eq!(place.api.send(Method::DELETE, &path, None).await.status(), 404);
    assert_eq!(place.api.send(Method::GET, &path, None).await.status(), 404);
    let deleted = place.api.send(Method::DELETE, &place.path(""), None).await;
    assert_eq!(deleted.json::<Value>().await.unwrap(), json!({ "deleted": 1 }));
    assert_eq!(place.get("").await["conversations"], json!([]));
    let rating = json!({ "thread": THREAD, "answer": id(&first), "helpful": true });
    assert_eq!(place.post("/rating", &rating).await.status(), 404);
}

/// Rates an answer, the first one of the thread, which has two.
async fn rate(place: &Place, answer: &str) {
    let rating = json!({ "thread": THREAD, "answer": answer, "helpful": false, "reason": "outdated", "comment": "Old." });
    for (rating, status) in [
        (rating.clone(), 204),
        (json!({ "thread": "other", "answer": answer, "helpful": true }), 404),
        (json!({ "thread": THREAD, "answer": "none", "helpful": true }), 404),
        (json!({ "thread": THREAD, "answer": answer, "helpful": true, "reason": "wrong" }), 400),
        (
            json!({ "thread": THREAD, "answer": answer, "helpful": true, "comment": "x".repeat(20_000) }),
            413,
        ),
    ] {
        let response = place.post("/rating", &rating).await;
        assert_eq!(response.status(), status, "{rating:.80}");
    }
    let thread = place.get(&format!("/threads/{THREAD}")).await;
    let expected = json!({ "helpful": false, "reason": "outdated", "comment": "Old." });
    assert_eq!(
        (&thread["conversations"][0]["rating"], &thread["threadId"]),
        (&expected, &json!(THREAD))
    );
    assert_eq!(thread["conversations"][1]["query"], "Who won the zebra race?");
    place.post("/rating", &json!({ "thread": THREAD, "answer": answer, "helpful": true })).await;
    let thread = place.get(&format!("/threads/{THREAD}")).await;
    let replaced = json!({ "helpful": true, "reason": null, "comment": null });
    assert_eq!(thread["conversations"][0]["rating"], replaced);
}

#[tokio::test(flavor = "multi_thread")]
async fn rating_from_another_site_is_refused() {
    let place = Place::start().await;
    let rating = json!({ "thread": THREAD, "answer": "a", "helpful": true });
    let url = format!("{}/_docwright/assistant/rating", place.process.address);
    for (origin, kind, status) in [
        ("https://evil.example", "application/json", 403),
        ("null", "application/json", 403),
        (place.process.address.as_str(), "text/plain", 403),
    ] {
        let request = Client::new().post(&url).header("host", HOST).header("origin", origin);
        let request = request.header("content-type", kind).body(rating.to_string());
        assert_eq!(request.send().await.unwrap().status(), status, "{origin}");
    }
    let request = Client::new().post(&url).header("host", HOST).body(rating.to_string());
    assert_eq!(request.send().await.unwrap().status(), 415);
    let request = Client::new().get(&url).header("host", HOST);
    assert_eq!(request.send().await.unwrap().status(), 405);
}

#[tokio::test(flavor = "multi_thread")]
async fn last_questions_are_written_when_the_service_stops() {
    let place = Place::start().await;
    place.ask(json!({ "question": "When do keys expire?", "thread": THREAD })).await;
    let Place { setup, mut process, .. } = place;
    process.signal("TERM");
    assert!(process.wait().success());
    let process = setup.serve_with(&[]);
    let api = setup.api(&process);
    let path = format!("/v1/analytics/{}/assistant/threads/{THREAD}", setup.project);
    assert_eq!(api.send(Method::GET, &path, None).await.status(), 200);
}
