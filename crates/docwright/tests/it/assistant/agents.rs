//! Questions of agents, with the MCP server of a site: counted, metered, and kept as those of readers.

use docwright_testing::wait::eventually;
use reqwest::{Client, Method};
use serde_json::{Value, json};

use super::{AssistedSite, ScriptedModel, hosted, kept::Place, reader, send, write_docs};
use crate::{
    observing::Logged,
    server::{Api, Setup},
};

const HOST: &str = "docs.example.com";
const QUESTION: &str = "When do keys expire?";
const WRITTEN: &str = "They expire after a month.\n[[?: \"Keys expire after 30 days\"]]\n";
const ANSWER: &str = "They expire after a month.\n\nSources:\n\n- Start — Keys: /guides/start#keys";

/// The text of the answer, and whether it is an error.
async fn ask(client: &Client, address: &str, headers: &[(&str, &str)]) -> (String, bool) {
    let params = json!({ "name": "ask", "arguments": { "question": QUESTION } });
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
    let mut request = client.post(format!("{address}/mcp")).json(&body);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let answer: Value = request.send().await.unwrap().json().await.unwrap();
    let text = answer["result"]["content"][0]["text"].as_str();
    (text.unwrap_or_else(|| panic!("{answer}")).to_owned(), answer["result"]["isError"] == true)
}

#[tokio::test(flavor = "multi_thread")]
async fn agent_and_reader_share_tokens_of_the_day() {
    let model = ScriptedModel::start().await;
    model.writes(WRITTEN);
    let urls = format!("openai-chat={}", model.address);
    let flags = ["--assistant-model", "openai-chat:tiny", "--agent-urls", &urls];
    let flags = [&flags[..], &["--assistant-tokens-a-day", "1"]].concat();
    let site = AssistedSite::with(&["--assistant"], &flags, write_docs).await;
    let (client, address) = (Client::new(), site.address.as_str());
    assert_eq!(ask(&client, address, &[]).await, (ANSWER.to_owned(), false));
    assert_eq!(model.taken().len(), 1);
    let (text, is_error) = ask(&client, address, &[]).await;
    assert!(!is_error && text.starts_with("From the pages:\n\n## Start — Keys\n"), "{text}");
    assert_eq!(site.ask(QUESTION).await.kind(), "extract");
    assert_eq!(model.taken().len(), 0, "the model isn't asked");
}

#[tokio::test(flavor = "multi_thread")]
async fn agent_has_the_limits_of_a_reader() {
    let site = AssistedSite::start().await;
    let client = reader(4);
    let mut answered = 0;
    // The time of the limit can end in between, once.
    let refused = loop {
        let (text, is_error) = ask(&client, &site.address, &[]).await;
        if is_error {
            break text;
        }
        answered += 1;
        assert!(answered <= 40, "there is a limit");
    };
    assert!(answered >= 20 && refused.starts_with("Too many requests."), "{answered} {refused}");
    let response = send(&client, &site.address, &json!({ "question": QUESTION })).await;
    assert_eq!(response.status(), 429, "the same reader");
    assert!(!ask(&reader(5), &site.address, &[]).await.1, "another reader");
}

#[tokio::test(flavor = "multi_thread")]
async fn page_of_another_site_can_not_ask_for_its_reader() {
    let site = AssistedSite::start().await;
    let own = site.address.clone();
    for (headers, is_refused) in [
        (&[("origin", own.as_str())][..], false),
        (&[("origin", "https://evil.example")], true),
        (&[("origin", "null")], true),
        (&[("sec-fetch-site", "cross-site")], true),
    ] {
        let (text, is_error) = ask(&Client::new(), &site.address, headers).await;
        assert_eq!(is_error, is_refused, "{headers:?} {text}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn question_of_an_agent_is_kept() {
    let place = Place::start().await;
    let (client, address) = (Client::new(), place.process.address.as_str());
    let (text, _) = ask(&client, address, &[("host", HOST)]).await;
    let kept = place.listed("", 1).await;
    assert_eq!(
        (&kept[0]["query"], &kept[0]["askedFrom"], &kept[0]["kind"], &kept[0]["language"]),
        (&json!(QUESTION), &json!("mcp"), &json!("extract"), &json!("en"))
    );
    assert!(text.contains(kept[0]["response"].as_str().unwrap()), "{text}");
    assert_eq!(kept[0]["threadId"], kept[0]["id"]);
    let counted = json!({ "web": 0, "api": 1, "other": 0, "total": 1 });
    assert_eq!(place.get("/caller-stats").await, counted);
}

#[tokio::test(flavor = "multi_thread")]
async fn site_that_keeps_no_questions_keeps_none_of_agents() {
    let place = Place::start().await;
    let (client, address) = (Client::new(), place.process.address.clone());
    let path = format!("/v1/projects/{}/deployments/cloud", place.setup.project);
    let settings =
        json!({ "mode": "on", "keepDays": 0, "starterQuestions": ["Which keys expire?"] });
    let features = json!({ "features": { "assistant": settings } });
    let changed = place.api.send(Method::PATCH, &path, Some(features)).await;
    assert_eq!(changed.status(), 200);
    eventually("the release with the setting is active", async || {
        let settings = client.get(format!("{address}/_docwright/assistant/en.js"));
        let settings = settings.header("host", HOST).send().await.unwrap().text().await.unwrap();
        settings.contains("Which keys expire?")
    })
    .await;
    assert!(!ask(&client, &address, &[("host", HOST)]).await.1);
    // Questions that wait are written when the service stops.
    let Place { setup, mut process, .. } = place;
    process.signal("TERM");
    assert!(process.wait().success());
    let process = setup.serve();
    let path = format!("/v1/analytics/{}/assistant", setup.project);
    let listed = setup.api(&process).send(Method::GET, &path, None).await;
    assert_eq!(listed.json::<Value>().await.unwrap()["conversations"], json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn question_of_an_agent_is_measured() {
    let setup = Setup::built_in(write_docs, &[]);
    let service = Logged::start(setup.service(&[("DOCWRIGHT_PROBES", "127.0.0.1:0")]), "info");
    let (address, probes) = (service.process.address.as_str(), service.probes().await);
    let key = setup.new_key(&["--scope", "admin"]);
    let api = Api { key, ..setup.api(&service.process) };
    hosted::switch(&api, &setup.project, "on").await;
    hosted::publish(&api, HOST).await;
    hosted::answers(address, HOST, true).await;
    assert!(!ask(&Client::new(), address, &[("host", HOST)]).await.1);
    let metrics = reqwest::get(format!("{probes}/metrics")).await.unwrap().text().await.unwrap();
    let line = "docwright_assistant_answers_total{outcome=\"extract\"} 1";
    assert!(metrics.contains(line), "{metrics}");
}
