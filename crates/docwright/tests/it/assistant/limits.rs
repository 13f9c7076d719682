//! What isn't answered.

use reqwest::Client;
use serde_json::{Value, json};

use super::{Answer, AssistedSite, ScriptedModel, reader, send, write_docs};

#[tokio::test(flavor = "multi_thread")]
async fn malformed_and_foreign_questions_are_refused() {
    let site = AssistedSite::start().await;
    let url = format!("{}/_docwright/assistant", site.address);
    let client = Client::new();
    let good = json!({ "question": "When do keys expire?" }).to_string();
    let long = json!({ "question": "Why?", "selection": "x".repeat(70_000) }).to_string();
    let (kind, json) = ("content-type", "application/json");
    let own = site.address.as_str();
    for (headers, body, status) in [
        (&[(kind, json)][..], good.as_str(), 200),
        (&[(kind, "application/json; charset=utf-8"), ("origin", own)], &good, 200),
        (&[(kind, json), ("origin", "https://evil.example")], &good, 403),
        (&[(kind, json), ("origin", "null")], &good, 403),
        (&[(kind, json), ("sec-fetch-site", "cross-site")], &good, 403),
        (&[(kind, json), ("sec-fetch-site", "same-site")], &good, 403),
        (&[(kind, "text/plain")], &good, 415),
        (&[], &good, 415),
        (&[(kind, json)], &long, 413),
        (&[(kind, json)], "{", 400),
        (&[(kind, json)], "{}", 400),
        (&[(kind, json)], "{\"question\":\" \"}", 400),
        (&[(kind, json)], "{\"question\":5}", 400),
    ] {
        let mut request = client.post(&url).body(body.to_owned());
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let response = request.send().await.unwrap();
        assert_eq!(response.status(), status, "{headers:?} {body:.60}");
        if status != 200 {
            let body: Value = response.json().await.unwrap();
            assert!(body["error"].as_str().unwrap().ends_with('.'), "{body}");
        }
    }
    let response = client.get(&url).send().await.unwrap();
    assert_eq!(
        (response.status().as_u16(), &response.headers()["allow"]),
        (405, &"POST".parse().unwrap())
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn reader_has_a_number_of_questions() {
    let site = AssistedSite::start().await;
    let body = json!({ "question": "When do keys expire?" });
    let client = reader(2);
    let mut answered = 0;
    // The time of the limit can end in between, once.
    let refused = loop {
        let response = send(&client, &site.address, &body).await;
        if response.status() != 200 {
            break response;
        }
        answered += 1;
        assert!(answered <= 40, "there is a limit");
    };
    assert!(answered >= 20, "{answered}");
    assert_eq!(refused.status(), 429);
    let seconds: u64 = refused.headers()["retry-after"].to_str().unwrap().parse().unwrap();
    assert!((1..=600).contains(&seconds));
    let other = send(&reader(3), &site.address, &body).await;
    assert_eq!(Answer::whole(other).await.kind(), "extract");
}

#[tokio::test(flavor = "multi_thread")]
async fn site_without_the_feature_has_no_assistant() {
    for flags in [&[][..], &["--playground", "proxy"]] {
        let site = AssistedSite::with(flags, &[], write_docs).await;
        let offers = site.page().await.headers()["server-timing"].to_str().unwrap().to_owned();
        assert!(!offers.contains("assistant"), "{offers}");
        let body = json!({ "question": "When do keys expire?" });
        let response = send(&Client::new(), &site.address, &body).await;
        assert_eq!(response.status(), 404);
        let body: Value = response.json().await.unwrap();
        assert_eq!(body["error"], "This site has no assistant.");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn site_without_tokens_left_answers_with_passages() {
    let model = ScriptedModel::start().await;
    let urls = format!("openai-chat={}", model.address);
    let flags = ["--assistant-model", "openai-chat:tiny", "--agent-urls", &urls];
    let flags = [&flags[..], &["--assistant-tokens-a-day", "1"]].concat();
    let site = AssistedSite::with(&["--assistant"], &flags, write_docs).await;
    model.writes("They expire.\n[[?: \"Keys expire after 30 days\"]]\n");
    assert_eq!(site.ask("When do keys expire?").await.kind(), "answer");
    assert_eq!(model.taken().len(), 1);
    let answer = site.ask("When do keys expire?").await;
    assert_eq!((answer.kind(), model.taken().len()), ("extract", 0), "the model isn't asked");
    assert!(answer.holds(&site.address).await > 0);
}
