//! Feedback of readers: only from the site's own pages, and shared fairly.

use reqwest::Client;

use super::{HOST, published};

const ANSWER: &str = r#"{"page":"page-1","helpful":true}"#;

#[tokio::test(flavor = "multi_thread")]
async fn feedback_is_accepted_only_from_own_pages() {
    let (_setup, process) = published(&[]).await;
    let own = "http://docs.example.com";
    for (kind, headers, status) in [
        ("application/json", vec![("origin", own), ("sec-fetch-site", "same-origin")], 204),
        ("application/json; charset=utf-8", vec![], 204),
        ("text/plain", vec![], 415),
        ("application/x-www-form-urlencoded", vec![("origin", own)], 415),
        ("application/json", vec![("origin", "https://evil.example")], 403),
        ("application/json", vec![("origin", "null")], 403),
        ("application/json", vec![("sec-fetch-site", "cross-site")], 403),
        ("text/plain", vec![("origin", "https://evil.example")], 403),
    ] {
        let mut request = Client::new()
            .post(format!("{}/_docwright/feedback", process.address))
            .header("host", HOST)
            .header("content-type", kind)
            .body(ANSWER);
        for (name, value) in &headers {
            request = request.header(*name, *value);
        }
        assert_eq!(request.send().await.unwrap().status(), status, "{kind} {headers:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn reader_cannot_use_up_hourly_limit_of_site() {
    let (_setup, process) = published(&[("DOCWRIGHT_TRUSTED_PROXIES", "127.0.0.1")]).await;
    let client = Client::new();
    let send = async |reader: &str| {
        let request = client
            .post(format!("{}/_docwright/feedback", process.address))
            .header("host", HOST)
            .header("content-type", "application/json")
            .header("x-forwarded-for", reader.to_owned())
            .body(ANSWER);
        request.send().await.unwrap().status().as_u16()
    };
    let mut statuses = Vec::new();
    for _ in 0..25 {
        statuses.push(send("192.0.2.1").await);
    }
    // A new hour can start during the test.
    assert!(
        statuses.contains(&429) && statuses[..20].iter().all(|status| *status == 204),
        "{statuses:?}"
    );
    assert_eq!(send("192.0.2.2").await, 204);
    assert_eq!(send("2001:db8::1").await, 204);
}
