//! Heads of requests that are too large: the error of the API, by every protocol.

use std::time::Duration;

use serde_json::Value;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::timeout,
};

use super::{DEADLINE, published};
use crate::http2::Secure;

const SENTENCE: &str =
    "The head of the request is larger than 64 KiB, or has more than 100 headers; send less.";

/// The answer to what is sent, though more of it may be on its way.
async fn answer(address: &str, sent: &[u8]) -> String {
    let stream = TcpStream::connect(address.trim_start_matches("http://")).await.unwrap();
    let (mut reading, mut writing) = stream.into_split();
    let sent = sent.to_vec();
    let sending = tokio::spawn(async move { writing.write_all(&sent).await });
    let mut text = String::new();
    let read = timeout(DEADLINE, reading.read_to_string(&mut text)).await.expect("it ends");
    read.expect("it is not reset");
    drop(sending);
    text
}

#[tokio::test(flavor = "multi_thread")]
async fn head_that_is_too_large_gets_the_error_of_the_api() {
    let (_setup, process) = published(&[]).await;
    let start = "GET /v1/projects HTTP/1.1\r\nhost: 127.0.0.1\r\n";
    let long = |bytes: usize| format!("{start}x-long: {}\r\n\r\n", "x".repeat(bytes));
    let many = format!("{start}{}\r\n", "x: y\r\n".repeat(150));
    let path = format!("GET /{} HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n", "x".repeat(80_000));
    for head in [long(65_536), long(70_000), long(400_000), long(1_000_000), many, path] {
        let answer = answer(&process.address, head.as_bytes()).await;
        assert!(answer.starts_with("HTTP/1.1 431 "), "{}: {answer}", head.len());
        let (lines, body) = answer.split_once("\r\n\r\n").unwrap();
        let body: Value = serde_json::from_str(body).unwrap();
        assert_eq!((&body["error"], &body["code"]), (&SENTENCE.into(), &"head_too_large".into()));
        for header in ["content-type: application/json", "connection: close", "x-request-id: "] {
            assert_eq!(lines.matches(header).count(), 1, "{lines}");
        }
    }
    // A connection that was used before is no other one.
    let mut stream =
        TcpStream::connect(process.address.trim_start_matches("http://")).await.unwrap();
    stream.write_all(b"GET /healthz HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n").await.unwrap();
    let mut first = [0; 1024];
    let count = timeout(Duration::from_mins(1), stream.read(&mut first)).await.unwrap().unwrap();
    assert!(String::from_utf8_lossy(&first[..count]).starts_with("HTTP/1.1 200"));
    stream.write_all(long(70_000).as_bytes()).await.unwrap();
    let mut second = String::new();
    timeout(DEADLINE, stream.read_to_string(&mut second)).await.unwrap().unwrap();
    assert!(second.contains("431 ") && second.ends_with('}'), "{second}");
    let fits = answer(
        &process.address,
        long(60_000).replace("host", "connection: close\r\nhost").as_bytes(),
    )
    .await;
    assert!(fits.starts_with("HTTP/1.1 401 "), "{fits}");
}

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
