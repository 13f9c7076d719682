//! Handling around every request: its id, its line in the log, its metrics.

use std::{
    hash::{BuildHasher, RandomState},
    sync::{
        LazyLock,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use axum::{
    RequestExt,
    extract::{MatchedPath, RawPathParams, Request, State},
    http::{HeaderMap, HeaderName, HeaderValue},
    middleware::Next,
    response::Response,
};
pub use docwright_operations::trace::concerns;
use tracing::{Instrument, field::Empty};

use crate::{
    client::ClientAddress,
    error::Cause,
    metrics::{Requests, SiteRequests},
    secret_paths,
};

/// The header with the id of a request.
pub const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// Characters that are logged of a value from a client.
const LONGEST: usize = 200;

/// Answers a request to the service, with one line in the log. Handlers add the owner of the request to the line:
/// see [`concerns`].
pub async fn observe(
    State(requests): State<Requests>,
    mut request: Request,
    next: Next,
) -> Response {
    let started = Instant::now();
    let id = identify(&mut request);
    let method = request.method().clone();
    let route = request.extensions().get::<MatchedPath>().cloned();
    let route = route.as_ref().map(MatchedPath::as_str);
    let job = asked_job(&mut request).await;
    // It has the highest level, so it exists at every log level.
    let span = tracing::error_span!(
        "request",
        request_id = id.to_str().unwrap_or_default(),
        method = method.as_str(),
        path = shortened(&secret_paths::shown(request.uri().path(), route)),
        route,
        client = client(&request).map(tracing::field::display),
        organization = Empty,
        key = Empty,
        project = Empty,
        job,
        release = Empty,
    );
    let mut response = next.run(request).instrument(span.clone()).await;
    let (status, time) = (response.status(), started.elapsed());
    requests.answered(&method, route, status, time);
    let (status, milliseconds) = (status.as_u16(), milliseconds(time));
    match cause(&mut response) {
        None => tracing::info!(parent: &span, status, milliseconds, "answered"),
        Some(error) => tracing::error!(parent: &span, status, milliseconds, error, "answered"),
    }
    response.headers_mut().insert(REQUEST_ID, id);
    response
}

/// Answers a request to a site. Readers send too many requests for a line or span each: only this code logs them.
pub async fn observe_site<F: Future<Output = Response>>(
    sites: &SiteRequests,
    mut request: Request,
    answer: impl FnOnce(Request) -> F,
) -> Response {
    let started = Instant::now();
    let id = identify(&mut request);
    let (method, address) = (request.method().clone(), request.uri().clone());
    let mut response = answer(request).await;
    let (status, time) = (response.status(), started.elapsed());
    sites.answered(status, time);
    let (status, milliseconds) = (status.as_u16(), milliseconds(time));
    // A link to the service can be opened at another host.
    let path = secret_paths::shown(address.path(), None);
    let (method, path) = (method.as_str(), shortened(&path));
    let request_id = id.to_str().unwrap_or_default();
    match cause(&mut response) {
        None => tracing::debug!(request_id, method, path, status, milliseconds, "answered"),
        Some(error) => {
            tracing::error!(request_id, method, path, status, milliseconds, error, "answered");
        }
    }
    response.headers_mut().insert(REQUEST_ID, id);
    response
}

/// The id from [`observe`] for a request.
pub fn id_of(headers: &HeaderMap) -> &str {
    headers.get(&REQUEST_ID).and_then(|id| id.to_str().ok()).unwrap_or_default()
}

/// Logs why an answer failed, for requests without other log lines.
pub async fn log_cause(mut response: Response) -> Response {
    if let Some(error) = cause(&mut response) {
        tracing::error!(status = response.status().as_u16(), error, "answered");
    }
    response
}

fn cause(response: &mut Response) -> Option<String> {
    response.extensions_mut().remove().map(|Cause(cause)| cause)
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// Keeps a caller's id if it is sane, gives one otherwise.
fn identify(request: &mut Request) -> HeaderValue {
    let given = request.headers().get(&REQUEST_ID).filter(|id| is_sane(id)).cloned();
    let id = given.unwrap_or_else(new_id);
    request.headers_mut().insert(REQUEST_ID, id.clone());
    id
}

fn client(request: &Request) -> Option<std::net::IpAddr> {
    request.extensions().get::<ClientAddress>().and_then(|client| client.address)
}

/// The job in the path, whether or not it exists.
async fn asked_job(request: &mut Request) -> Option<String> {
    let parameters = request.extract_parts::<RawPathParams>().await.ok()?;
    let (_, id) = parameters.iter().find(|(name, _)| *name == "jobId")?;
    Some(shortened(&secret_paths::shown(id, None)).to_owned())
}

/// The start of a long value.
fn shortened(text: &str) -> &str {
    text.char_indices().nth(LONGEST).map_or(text, |(end, _)| &text[..end])
}

fn is_sane(id: &HeaderValue) -> bool {
    let bytes = id.as_bytes();
    (1..=128).contains(&bytes.len())
        && bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(byte))
}

/// A unique id of a request. It reveals nothing about the number of requests.
pub fn new_id() -> HeaderValue {
    static KEYS: LazyLock<[RandomState; 2]> = LazyLock::new(Default::default);
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let [one, other] = KEYS.each_ref().map(|key| key.hash_one(count));
    HeaderValue::from_str(&format!("{one:016x}{other:016x}"))
        .unwrap_or(HeaderValue::from_static("unknown"))
}
