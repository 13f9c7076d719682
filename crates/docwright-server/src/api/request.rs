//! What happens around every request: its id, its line in the log, its place in the counts.

use std::{
    sync::{
        Arc,
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
use uuid::Uuid;

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

/// See [`identified`].
pub(super) async fn identify(
    State(counts): State<Arc<Counts>>,
    request: Request,
    next: Next,
) -> Response {
    identified(&counts, request, |request| next.run(request)).await
}

/// Keeps a caller's id if it is sane, gives one otherwise, and logs the request under it.
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
    let started = Instant::now();
    async {
        let mut response = answer(request).await;
        let status = response.status();
        counts.by_status[usize::from(status.as_u16() / 100).min(5)].fetch_add(1, Ordering::Relaxed);
        tracing::info!(
            status = status.as_u16(),
            milliseconds = started.elapsed().as_millis(),
            "answered"
        );
        response.headers_mut().insert(REQUEST_ID, id);
        response
    }
    .instrument(span)
    .await
}

fn is_sane(id: &HeaderValue) -> bool {
    let bytes = id.as_bytes();
    (1..=128).contains(&bytes.len())
        && bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(byte))
}

fn new_id() -> HeaderValue {
    HeaderValue::from_str(&Uuid::now_v7().simple().to_string())
        .unwrap_or(HeaderValue::from_static("unknown"))
}
