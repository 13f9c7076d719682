//! Oversized request heads.

use serde_json::Value;

use crate::{http2::Secure, server::Setup};

const SENTENCE: &str = "The request headers exceed 64 KiB. Send fewer or shorter headers.";

#[tokio::test(flavor = "multi_thread")]
async fn oversized_head_gets_api_error_over_http2() {
    let secure = Secure::start("info").await;
    for (bytes, status) in [(60_000, 401), (65_536, 431), (100_000, 431), (200_000, 431)] {
        let request = secure.request("GET", "/v1/projects").header("x-long", "x".repeat(bytes));
        let answer = secure.send(request, "").await;
        assert_eq!(answer.status, status, "{bytes}: {}", answer.text);
        assert_eq!(answer.headers["content-type"], "application/json");
        assert!(answer.headers.contains_key("x-request-id"));
        let body: Value = serde_json::from_str(&answer.text).unwrap();
        assert!(status == 401 || body["error"] == SENTENCE, "{body}");
    }
    // The connection stays usable.
    assert_eq!(secure.send(secure.request("GET", "/healthz"), "").await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn oversized_head_gets_api_error_over_http1() {
    let setup = Setup::new();
    let process = setup.serve();
    let api = setup.api(&process);
    for (bytes, status) in [(60_000, 200), (65_536, 431), (100_000, 431), (200_000, 431)] {
        let address = format!("{}/v1/projects", process.address);
        let request = api.client.get(address).bearer_auth(&api.key);
        let answer = request.header("x-long", "x".repeat(bytes)).send().await.unwrap();
        assert_eq!(answer.status(), status, "{bytes}");
        assert_eq!(answer.headers()["content-type"], "application/json");
        assert!(answer.headers().contains_key("x-request-id"));
        let body: Value = answer.json().await.unwrap();
        assert!(status == 200 || body["error"] == SENTENCE, "{body}");
    }
}
