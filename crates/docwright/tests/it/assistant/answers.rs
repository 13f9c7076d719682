//! Answers with and without a model.

use docwright_testing::wait::eventually;
use reqwest::Client;
use serde_json::json;

use super::{Answer, AssistedSite, KEY, ScriptedModel, model::Does, send, write_docs};

const INSTALL: &str = "How do I install the harbor tool and create a key?";
const GOOD: &str =
    "Install it once with `npm install -g harbor`.\n[[?: \"npm install -g harbor\"]]\n";
const ALSO_GOOD: &str = "Then [create a key](https://console.example.com/keys), or read [more](/guides/backups).\n\
    [[?: \"Keys expire after 30 days\"]]\n";
const FALSE: &str = "It works without Node.\n[[1: \"works without Node at all times\"]]\n";

#[tokio::test(flavor = "multi_thread")]
async fn site_without_model_quotes_its_pages() {
    let site = AssistedSite::start().await;
    let offers = site.page().await.headers()["server-timing"].to_str().unwrap().to_owned();
    assert!(offers.contains("assistant;desc=\"/_docwright/assistant\""), "{offers}");
    let answer = site.ask("When do keys expire?").await;
    assert_eq!((answer.kind(), answer.names()[0]), ("extract", "source"), "{answer:?}");
    let source = answer.all("source")[0];
    let place = json!({
        "index": 0, "title": "Start", "heading": "Keys", "page": "guides/start", "anchor": "keys",
        "quote": "Create a key at the console. Keys expire after 30 days.",
    });
    assert_eq!(source, &place);
    let text = answer.texts()[0];
    assert_eq!(
        text,
        "Create a key at [the console](https://console.example.com/keys). Keys expire after 30 days."
    );
    assert!(answer.holds(&site.address).await > 0);
    let answer = site.ask(INSTALL).await;
    assert!(answer.texts().concat().contains("[backups](/guides/backups)"), "{answer:?}");
    assert!(answer.holds(&site.address).await > 0);
    let answer = site.ask("How do I connect Salesforce with Kubernetes?").await;
    assert_eq!((answer.kind(), answer.texts().len()), ("refused", 0), "{answer:?}");
    answer.holds(&site.address).await;
    let id = |answer: &Answer| answer.all("done")[0]["id"].as_str().unwrap().to_owned();
    assert!(id(&answer).len() == 16 && id(&answer) != id(&site.ask(INSTALL).await));
}

#[tokio::test(flavor = "multi_thread")]
async fn deployment_answers_below_its_base_path() {
    let site = AssistedSite::with(&["--assistant"], &["--base-path", "/docs"], write_docs).await;
    let offers = site.page().await.headers()["server-timing"].to_str().unwrap().to_owned();
    assert!(offers.contains("assistant;desc=\"/docs/_docwright/assistant\""), "{offers}");
    assert_eq!(site.ask("When do keys expire?").await.kind(), "extract");
}

#[tokio::test(flavor = "multi_thread")]
async fn paragraphs_that_hold_are_sent() {
    let model = ScriptedModel::start().await;
    let site = AssistedSite::with_model(&model).await;
    model.writes(&format!("{GOOD}\n{FALSE}\n{ALSO_GOOD}\nNo quote here.\n"));
    let answer = site.ask(INSTALL).await;
    assert_eq!(answer.kind(), "answer");
    assert_eq!(answer.names(), ["source", "paragraph", "source", "paragraph", "done"]);
    let expected = [
        "Install it once with `npm install -g harbor`.",
        "Then [create a key](https://console.example.com/keys), or read [more](/guides/backups).",
    ];
    assert_eq!(answer.texts(), expected);
    assert_eq!(answer.holds(&site.address).await, 2);
    let (headers, body) = model.taken().remove(0);
    assert_eq!(headers["authorization"], format!("Bearer {KEY}"));
    assert_eq!((&body["model"], &body["max_tokens"]), (&json!("tiny"), &json!(4000)));
    assert!(body["tools"].is_null(), "{body}");
    let rules = body["messages"][0]["content"].as_str().unwrap();
    let prompt = body["messages"][1]["content"].as_str().unwrap();
    assert!(!rules.contains("harbor") && prompt.contains("npm install -g harbor"), "{body}");
    assert!(prompt.ends_with(&format!("=== Question\n{INSTALL}\n")), "{prompt}");
}

#[tokio::test(flavor = "multi_thread")]
async fn context_reaches_the_model_as_data() {
    let model = ScriptedModel::start().await;
    let site = AssistedSite::with_model(&model).await;
    model.writes("[[unknown]]");
    let history =
        [json!({ "question": "When do backups run in the cloud?", "answer": "Every night." })];
    let body = json!({
        "question": "And here?", "page": "guides/colors", "selection": "painted in three colors",
        "history": history, "language": "xx", "unknown": true,
    });
    assert_eq!(site.ask_with(body).await.kind(), "refused");
    let (_, body) = model.taken().remove(0);
    let prompt = body["messages"][1]["content"].as_str().unwrap();
    for part in [
        "backups run every night",
        "Boats are painted in three colors of the rainbow",
        "=== Earlier question\nWhen do backups run in the cloud?\n",
        "=== Earlier answer\nEvery night.\n",
        "=== Page that the reader is on\n/guides/colors\n",
        "=== Text that the reader selected\npainted in three colors\n",
    ] {
        assert!(prompt.contains(part), "{part}: {prompt}");
    }
    assert_eq!(body["messages"].as_array().unwrap().len(), 2, "{body}");
}

#[tokio::test(flavor = "multi_thread")]
async fn paragraph_is_sent_while_the_model_writes_the_next() {
    let model = ScriptedModel::start().await;
    let site = AssistedSite::with_model(&model).await;
    model.does(Does::Waits(
        format!("{GOOD}\nThen "),
        format!("more.\n[[1: \"false words of it\"]]\n\n{ALSO_GOOD}"),
    ));
    let body = json!({ "question": INSTALL });
    let mut response = send(&Client::new(), &site.address, &body).await;
    let mut text = String::new();
    while !text.contains("event: paragraph") {
        text += std::str::from_utf8(&response.chunk().await.unwrap().unwrap()).unwrap();
    }
    assert!(!text.contains("Then") && !text.contains("event: done"), "{text}");
    model.release();
    while let Some(chunk) = response.chunk().await.unwrap() {
        text += std::str::from_utf8(&chunk).unwrap();
    }
    let answer = Answer::parse(&text);
    assert_eq!((answer.kind(), answer.texts().len()), ("answer", 2), "{answer:?}");
    assert!(!text.contains("Then more"), "{text}");
    assert_eq!(model.left(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn client_that_leaves_ends_the_request_to_the_model() {
    let model = ScriptedModel::start().await;
    let site = AssistedSite::with_model(&model).await;
    model.does(Does::Waits(GOOD.to_owned() + "\nN", String::new()));
    let mut response = send(&Client::new(), &site.address, &json!({ "question": INSTALL })).await;
    assert!(response.chunk().await.unwrap().is_some());
    assert_eq!(model.left(), 0);
    drop(response);
    eventually("the model's client is gone", async || model.left() == 1).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn model_refuses_or_asks_back() {
    let model = ScriptedModel::start().await;
    let site = AssistedSite::with_model(&model).await;
    model.writes("[[unknown]]");
    let answer = site.ask(INSTALL).await;
    assert_eq!((answer.kind(), answer.texts().len()), ("refused", 0), "{answer:?}");
    assert!(answer.holds(&site.address).await > 0, "the nearest sections");
    model.writes("[[choose: \"Harbor Cloud\" | \"Harbor Server\"]]");
    let answer = site.ask("How do backups run in Harbor?").await;
    assert_eq!(answer.names(), ["choices", "done"], "{answer:?}");
    let expected =
        json!({ "text": "Which one do you mean?", "choices": ["Harbor Cloud", "Harbor Server"] });
    assert_eq!((answer.kind(), answer.all("choices")[0]), ("choices", &expected));
    // Names that no section has.
    model.writes("[[choose: \"Harbor Cloud\" | \"evil.example\"]]");
    assert_eq!(site.ask("How do backups run in Harbor?").await.kind(), "extract");
    // Nothing that was sent is taken back.
    model.writes(&format!("{GOOD}\n[[unknown]]\n[[choose: \"Harbor Cloud\" | \"Harbor Server\"]]"));
    assert_eq!(site.ask(INSTALL).await.names(), ["source", "paragraph", "done"]);
}
