//! Heads of requests that are too large.

use serde_json::Value;

use crate::http2::Secure;

const SENTENCE: &str =
    "The head of the request is larger than 64 KiB, or has more than 100 headers; send less.";

#[tokio::test(flavor = "multi_thread")]
async fn head_that_is_too_large_gets_the_error_of_the_api_by_http2() {
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
    // The connection goes on.
    assert_eq!(secure.send(secure.request("GET", "/healthz"), "").await.status, 200);
}
