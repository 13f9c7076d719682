//! What happens around every request: its id, its line in the log, its place in the counts.

use std::{
    hash::{BuildHasher, RandomState},
    sync::{
        Arc, LazyLock,
        atomic::{AtomicU64, Ordering},
    },
    time::Instant,
};

use axum::{
    extract::{Request, State},
    http::{HeaderName, HeaderValue},
    middleware::Next,
    response::Response,
};
use tracing::Instrument;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Requests answered, by the hundred of their status.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    by_status: [AtomicU64; 6],
}

impl Counts {
    /// Status hundreds and how many answers had one.
    pub(crate) fn read(&self) -> impl Iterator<Item = (usize, u64)> {
        (1..6).map(|hundred| (hundred, self.by_status[hundred].load(Ordering::Relaxed)))
    }
}

/// Logs each request to the API as well.
pub(crate) async fn identify(
    State(counts): State<Arc<Counts>>,
    request: Request,
    next: Next,
) -> Response {
    let answer = |request| async {
        let started = Instant::now();
        let response = next.run(request).await;
        let (status, milliseconds) = (response.status().as_u16(), started.elapsed().as_millis());
        tracing::info!(status, milliseconds, "answered");
        response
    };
    identified(&counts, request, answer).await
}

/// Keeps a caller's id if it is sane, gives one otherwise, and counts the answer. What is logged
/// meanwhile has the id.
pub(crate) async fn identified<F: Future<Output = Response>>(
    counts: &Counts,
    mut request: Request,
    answer: impl FnOnce(Request) -> F,
) -> Response {
    let given = request.headers().get(&REQUEST_ID).filter(|id| is_sane(id)).cloned();
    let id = given.unwrap_or_else(new_id);
    request.headers_mut().insert(REQUEST_ID, id.clone());
    let span = tracing::info_span!(
        "request",
        id = id.to_str().unwrap_or_default(),
        method = %request.method(),
        path = request.uri().path(),
    );
    let mut response = answer(request).instrument(span).await;
    let hundred = usize::from(response.status().as_u16() / 100);
    counts.by_status[hundred.min(5)].fetch_add(1, Ordering::Relaxed);
    response.headers_mut().insert(REQUEST_ID, id);
    response
}

fn is_sane(id: &HeaderValue) -> bool {
    let bytes = id.as_bytes();
    (1..=128).contains(&bytes.len())
        && bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(byte))
}

/// An id that no other request has. It says nothing of how many there were.
fn new_id() -> HeaderValue {
    static KEYS: LazyLock<[RandomState; 2]> = LazyLock::new(Default::default);
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let [one, other] = KEYS.each_ref().map(|key| key.hash_one(count));
    HeaderValue::from_str(&format!("{one:016x}{other:016x}"))
        .unwrap_or(HeaderValue::from_static("unknown"))
}
