//! A host of bundles with responses chosen by the test.

use std::{
    io,
    sync::{Arc, Mutex},
};

use axum::{
    Router,
    body::{Body, Bytes},
    extract::Request,
    http::{HeaderMap, Method, Response, header},
};
use futures::StreamExt;
use tokio::sync::Notify;

type RespondFn = Box<dyn FnMut(&HostRequest) -> Response<Body> + Send>;

/// A request that the host received.
#[derive(Debug, Clone)]
pub(super) struct HostRequest {
    /// The number of earlier requests.
    pub(super) before: usize,
    pub(super) method: Method,
    pub(super) path: String,
    headers: HeaderMap,
}

impl HostRequest {
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }

    /// The first requested byte.
    pub(super) fn start(&self) -> Option<usize> {
        let range = self.header("range")?.strip_prefix("bytes=")?.strip_suffix('-')?;
        Some(range.parse().unwrap())
    }
}

pub(super) struct Host {
    pub(super) address: String,
    answer: Arc<Mutex<RespondFn>>,
    asked: Arc<Mutex<Vec<HostRequest>>>,
    /// Wakes tasks that wait for a request.
    came: Arc<Notify>,
}

impl Host {
    /// Starts a host that serves nothing.
    pub(super) async fn start() -> Self {
        let answer: Arc<Mutex<RespondFn>> = Arc::new(Mutex::new(Box::new(|_| status(404))));
        let asked = Arc::new(Mutex::new(Vec::<HostRequest>::new()));
        let came = Arc::new(Notify::new());
        let (answers, log, notify) = (Arc::clone(&answer), Arc::clone(&asked), Arc::clone(&came));
        let router = Router::new().fallback(move |request: Request| {
            let (parts, _) = request.into_parts();
            let mut log = log.lock().unwrap();
            let path = parts.uri.path().to_owned();
            let (before, method, headers) = (log.len(), parts.method, parts.headers);
            let request = HostRequest { before, method, path, headers };
            log.push(request.clone());
            notify.notify_one();
            let answer = answers.lock().unwrap()(&request);
            async { answer }
        });
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        tokio::spawn(axum::serve(listener, router).into_future());
        Self { address, answer, asked, came }
    }

    /// Sets the responses from now on, and clears the log.
    pub(super) fn answers(
        &self,
        answer: impl FnMut(&HostRequest) -> Response<Body> + Send + 'static,
    ) {
        self.asked.lock().unwrap().clear();
        *self.answer.lock().unwrap() = Box::new(answer);
    }

    /// Serves a bundle at every path.
    pub(super) fn gives(&self, bundle: &[u8]) {
        let bundle = bundle.to_vec();
        self.answers(move |_| whole(&bundle));
    }

    /// Waits for a request.
    pub(super) async fn asked(&self) {
        self.came.notified().await;
    }

    /// All requests since the responses were set.
    pub(super) fn log(&self) -> Vec<HostRequest> {
        self.asked.lock().unwrap().clone()
    }
}

/// A response without a body.
pub(super) fn status(status: u16) -> Response<Body> {
    Response::builder().status(status).body(Body::empty()).unwrap()
}

/// A whole bundle.
pub(super) fn whole(bundle: &[u8]) -> Response<Body> {
    Response::new(Body::from(bundle.to_vec()))
}

/// A bundle with an `ETag` whose connection breaks after a number of bytes.
pub(super) fn broken(bundle: &[u8], tag: &str, length: usize) -> Response<Body> {
    let sent = Bytes::copy_from_slice(&bundle[..length]);
    let end = futures::stream::once(async {
        // Yields so that earlier bytes are sent first.
        tokio::task::yield_now().await;
        Err(io::Error::other("broken on purpose"))
    });
    let sent = futures::stream::iter([Ok(sent)]).chain(end);
    tagged(tag).header(header::CONTENT_LENGTH, bundle.len()).body(Body::from_stream(sent)).unwrap()
}

/// A bundle that stalls after a number of bytes.
pub(super) fn stalled(bundle: &[u8], length: usize) -> Response<Body> {
    let sent = Bytes::copy_from_slice(&bundle[..length]);
    let sent = futures::stream::iter([Ok::<_, io::Error>(sent)]).chain(futures::stream::pending());
    let response = Response::builder().header(header::CONTENT_LENGTH, bundle.len());
    response.body(Body::from_stream(sent)).unwrap()
}

/// The rest of a bundle from a byte on.
pub(super) fn rest(bundle: &[u8], tag: &str, start: usize) -> Response<Body> {
    let (last, total) = (bundle.len() - 1, bundle.len());
    tagged(tag)
        .status(206)
        .header(header::CONTENT_RANGE, format!("bytes {start}-{last}/{total}"))
        .body(Body::from(bundle[start..].to_vec()))
        .unwrap()
}

fn tagged(tag: &str) -> axum::http::response::Builder {
    let response = Response::builder();
    if tag.is_empty() { response } else { response.header(header::ETAG, tag) }
}
