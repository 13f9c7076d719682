//! The proxy against hosts on this machine, with limits and names that a test decides.

use std::{
    io,
    net::IpAddr,
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use axum::{Router, body::Bytes, http::StatusCode, routing::any};
use docwright_repository::network::{AllowedHosts, Resolver};
use futures::{StreamExt, future::BoxFuture, stream};
use tokio::sync::Notify;

use super::*;

/// Names whose addresses change with each question.
#[derive(Debug)]
struct Names {
    answers: Mutex<Vec<Vec<IpAddr>>>,
    questions: AtomicUsize,
}

impl Names {
    fn of(answers: &[&[&str]]) -> Arc<Self> {
        let parse = |answer: &&[&str]| answer.iter().map(|it| it.parse().unwrap()).collect();
        let answers = Mutex::new(answers.iter().map(parse).collect());
        Arc::new(Self { answers, questions: AtomicUsize::new(0) })
    }
}

impl Resolver for Names {
    fn resolve<'a>(&'a self, _host: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>> {
        self.questions.fetch_add(1, Ordering::Relaxed);
        let mut answers = self.answers.lock().unwrap();
        let answer = if answers.len() > 1 { answers.remove(0) } else { answers[0].clone() };
        Box::pin(async move { Ok(answer) })
    }
}

/// Starts an API. Returns its port.
async fn api(router: Router) -> u16 {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(axum::serve(listener, router).into_future());
    port
}

/// An API that counts its requests.
async fn counting_api() -> (u16, Arc<AtomicUsize>) {
    let count = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&count);
    let router = Router::new().fallback(move || {
        counted.fetch_add(1, Ordering::Relaxed);
        async { "here" }
    });
    (api(router).await, count)
}

fn local() -> Network {
    Network::new("127.0.0.1".parse::<AllowedHosts>().unwrap_or_default())
}

fn proxy(network: Network, limits: Limits) -> RequestProxy {
    RequestProxy::with_limits(network, Clock::default(), PlaygroundRequests::default(), limits)
}

/// A page's request for a GET of a URL.
fn asked(url: &str) -> Request {
    let request = Request::builder()
        .method("POST")
        .header("Docwright-Request-Method", "GET")
        .header("Docwright-Request-Url", url)
        .header("Docwright-Request-Headers", "%5B%5D");
    request.body(Body::empty()).unwrap()
}

fn asked_by(reader: &str, url: &str) -> Request {
    let mut request = asked(url);
    let address = Some(reader.parse().unwrap());
    let client = ClientAddress { address, is_https: false, is_proxied: false };
    request.extensions_mut().insert(client);
    request
}

/// Sends a request of a site that allows the origin of its URL.
async fn send(proxy: &RequestProxy, name: &str, request: Request) -> Response {
    let url = request.headers()["Docwright-Request-Url"].to_str().unwrap();
    let origins = [url::Url::parse(url).unwrap().origin().ascii_serialization()];
    proxy.answer(AskingSite { name, origins: &origins }, request).await
}

/// The status and the error of a refusal.
async fn refusal(response: Response) -> (u16, String) {
    assert!(!response.headers().contains_key("docwright-response-status"));
    let status = response.status().as_u16();
    let bytes = axum::body::to_bytes(response.into_body(), 10_000).await.unwrap();
    let body: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
    (status, body["error"].as_str().unwrap().to_owned())
}

async fn text(response: Response) -> Result<Bytes, axum::Error> {
    axum::body::to_bytes(response.into_body(), usize::MAX).await
}

#[tokio::test]
async fn name_is_resolved_once_and_contacted_there() {
    let (port, count) = counting_api().await;
    // Nothing listens at the first address. The API listens at the second.
    let names = Names::of(&[&["127.0.0.2"], &["127.0.0.1"]]);
    let allowed = "rebound.example".parse::<AllowedHosts>().unwrap();
    let network = Network::with_resolver(allowed, Arc::clone(&names) as Arc<dyn Resolver>);
    let proxy = proxy(network, Limits::default());
    let url = format!("http://rebound.example:{port}/");
    let (status, error) = refusal(send(&proxy, "a", asked(&url)).await).await;
    assert_eq!(
        (status, error.as_str()),
        (502, "rebound.example can't be reached: the connection failed.")
    );
    assert_eq!(names.questions.load(Ordering::Relaxed), 1);
    assert_eq!(count.load(Ordering::Relaxed), 0);
}

#[tokio::test]
async fn name_that_turns_private_is_refused() {
    let (port, count) = counting_api().await;
    for answers in [&[&["127.0.0.1"][..]][..], &[&["93.184.216.34", "127.0.0.1"]], &[&["::1"]]] {
        let network = Network::with_resolver(AllowedHosts::default(), Names::of(answers));
        let url = format!("http://api.example:{port}/");
        let (status, error) =
            refusal(send(&proxy(network, Limits::default()), "a", asked(&url)).await).await;
        assert_eq!(status, 403, "{answers:?}: {error}");
        assert!(error.contains("private address") && !error.contains("--private"), "{error}");
    }
    assert_eq!(count.load(Ordering::Relaxed), 0);
}

#[tokio::test]
async fn api_that_does_not_respond_is_given_up() {
    let router = Router::new()
        .route("/never", any(|| async { std::future::pending::<&'static str>().await }))
        .route(
            "/stalls",
            any(|| async {
                let pieces = stream::iter([Ok::<_, io::Error>("first")]).chain(stream::pending());
                Body::from_stream(pieces)
            }),
        );
    let port = api(router).await;
    let limits = Limits { time: Duration::from_millis(200), ..Limits::default() };
    let proxy = proxy(local(), limits);
    let url = |path| format!("http://127.0.0.1:{port}/{path}");
    let (status, error) = refusal(send(&proxy, "a", asked(&url("never"))).await).await;
    assert_eq!(status, 504);
    assert!(error.starts_with("127.0.0.1 did not respond"), "{error}");
    let response = send(&proxy, "a", asked(&url("stalls"))).await;
    assert_eq!(response.headers()["docwright-response-status"], "200");
    assert!(text(response).await.is_err(), "a cut body doesn't look complete");
}

#[tokio::test]
async fn bodies_have_a_limit_in_both_directions() {
    let router = Router::new()
        .route("/exact", any(|| async { "0123456789" }))
        .route("/declared", any(|| async { "0123456789a" }))
        .route(
            "/streamed",
            any(|| async {
                let pieces = ["01234", "56789", "a"].map(Ok::<_, io::Error>);
                Body::from_stream(stream::iter(pieces))
            }),
        );
    let port = api(router).await;
    let proxy = proxy(local(), Limits { body: 10, ..Limits::default() });
    let with = |path: &str, body: Body| {
        let mut request = asked(&format!("http://127.0.0.1:{port}/{path}"));
        request.headers_mut().insert("Docwright-Request-Method", HeaderValue::from_static("POST"));
        *request.body_mut() = body;
        request
    };
    let exact = send(&proxy, "a", with("exact", "0123456789".into())).await;
    assert_eq!(text(exact).await.unwrap(), "0123456789");
    let (status, _) = refusal(send(&proxy, "a", with("exact", "0123456789a".into())).await).await;
    assert_eq!(status, 413);
    let unknown = Body::from_stream(stream::iter([Ok::<_, io::Error>("0")]));
    let (status, _) = refusal(send(&proxy, "a", with("exact", unknown)).await).await;
    assert_eq!(status, 411);
    let (status, error) = refusal(send(&proxy, "a", with("declared", Body::empty())).await).await;
    assert_eq!((status, error.as_str()), (502, "The body of the response exceeds 10 MiB."));
    assert!(text(send(&proxy, "a", with("streamed", Body::empty())).await).await.is_err());
}

#[tokio::test]
async fn stream_is_passed_on_as_it_comes() {
    let next = Arc::new(Notify::new());
    let waiting = Arc::clone(&next);
    let router = Router::new().fallback(move || {
        let waiting = Arc::clone(&waiting);
        let pieces = stream::iter(["one", "two"]).then(move |piece| {
            let waiting = Arc::clone(&waiting);
            async move {
                if piece == "two" {
                    waiting.notified().await;
                }
                Ok::<_, io::Error>(piece)
            }
        });
        async { Body::from_stream(pieces) }
    });
    let port = api(router).await;
    let proxy = proxy(local(), Limits::default());
    let response = send(&proxy, "a", asked(&format!("http://127.0.0.1:{port}/"))).await;
    let mut body = response.into_body().into_data_stream();
    assert_eq!(body.next().await.unwrap().unwrap(), "one");
    next.notify_one();
    assert_eq!(body.next().await.unwrap().unwrap(), "two");
    assert!(body.next().await.is_none());
}

#[tokio::test]
async fn reader_and_site_have_limits_in_a_minute() {
    let (port, count) = counting_api().await;
    let clock = Clock::default();
    let limits = Limits { of_reader: 2, of_site: 3, ..Limits::default() };
    let metrics = PlaygroundRequests::default();
    let proxy = RequestProxy::with_limits(local(), clock.clone(), metrics, limits);
    // The minute must not end during the test.
    clock.advance(MINUTE - clock.now().rem_euclid(MINUTE));
    let url = format!("http://127.0.0.1:{port}/");
    let status = async |reader: &str, site: &str| {
        let response = send(&proxy, site, asked_by(reader, &url)).await;
        let wait = response.headers().get("retry-after").map(|it| it.to_str().unwrap().to_owned());
        (response.status().as_u16(), wait.map(|wait| wait.parse::<u64>().unwrap()))
    };
    let mut foreign = asked_by("192.0.2.1", &url);
    foreign.headers_mut().insert("origin", HeaderValue::from_static("https://evil.example"));
    assert_eq!(refusal(send(&proxy, "a", foreign).await).await.0, 403, "it doesn't count");
    assert_eq!(status("192.0.2.1", "a").await, (200, None));
    assert_eq!(status("192.0.2.1", "a").await, (200, None));
    let (refused, wait) = status("192.0.2.1", "a").await;
    assert!(refused == 429 && wait.is_some_and(|wait| (1..=60).contains(&wait)), "{wait:?}");
    assert_eq!(status("192.0.2.1", "b").await.0, 200, "another site");
    assert_eq!(status("192.0.2.2", "a").await.0, 200, "another reader");
    assert_eq!(status("192.0.2.3", "a").await.0, 429, "the site is at its limit");
    assert_eq!(count.load(Ordering::Relaxed), 4);
    clock.advance(MINUTE);
    assert_eq!(status("192.0.2.1", "a").await.0, 200);
}

#[tokio::test]
async fn site_has_a_limit_of_requests_at_once() {
    let router = Router::new().fallback(|| async {
        let pieces = stream::iter([Ok::<_, io::Error>("open")]).chain(stream::pending());
        Body::from_stream(pieces)
    });
    let port = api(router).await;
    let proxy = proxy(local(), Limits::default());
    let url = format!("http://127.0.0.1:{port}/");
    let mut open = Vec::new();
    for _ in 0..AT_ONCE.1 {
        let response = send(&proxy, "a", asked(&url)).await;
        assert_eq!(response.status(), StatusCode::OK);
        open.push(response);
    }
    tokio::time::pause();
    let (status, error) = refusal(send(&proxy, "a", asked(&url)).await).await;
    assert_eq!(status, 429, "{error}");
    tokio::time::resume();
    assert_eq!(send(&proxy, "b", asked(&url)).await.status(), StatusCode::OK, "another site");
    // A reader who leaves gives the turn back.
    open.pop();
    assert_eq!(send(&proxy, "a", asked(&url)).await.status(), StatusCode::OK);
}
