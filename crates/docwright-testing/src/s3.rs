//! An S3 server in the tests' process, which checks signatures and stores its objects in a folder. It can simulate
//! outages, interrupt answers, and count requests.

use std::{
    collections::BTreeSet,
    convert::Infallible,
    io,
    path::PathBuf,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering},
    },
};

use axum::{
    Router,
    body::{Body, Bytes},
    extract::{Request, State},
    http::StatusCode,
    middleware::{self, Next},
    response::{IntoResponse, Response},
};
use futures::{StreamExt, stream};
use s3s::{auth::SimpleAuth, service::S3ServiceBuilder};
use s3s_fs::FileSystem;
use tempfile::TempDir;

/// Its bucket.
pub const BUCKET: &str = "bundles";
/// Its access key.
pub const KEY_ID: &str = "AKIATESTS";
/// The secret of that key.
pub const SECRET: &str = "a-secret-that-nobody-sees";

/// The server, and its failures on demand.
pub struct S3Server {
    /// Its address, with `http://`.
    pub address: String,
    /// Failures to simulate.
    pub failures: Arc<InjectedFailures>,
    folder: TempDir,
}

/// Failures to simulate, and counters.
#[derive(Default)]
pub struct InjectedFailures {
    /// How many of the next requests fail.
    failing: AtomicUsize,
    /// Whether it refuses every request.
    refuses: AtomicBool,
    /// The next answer is cut off after a number of bytes.
    breaks_after: Mutex<Option<usize>>,
    /// The next upload in parts is completed, but the answer is lost.
    pub loses_completion: AtomicBool,
    /// Requests that failed on purpose.
    pub failed: AtomicU64,
    /// Bytes of answered requests.
    pub received: AtomicU64,
    /// Parts of uploads that are being stored.
    storing: AtomicUsize,
    /// Parts of uploads that were stored.
    pub stored: AtomicUsize,
    /// Removals of uploads while a part was being stored. The part then stays.
    pub removed_early: AtomicUsize,
}

impl InjectedFailures {
    /// Simulates an outage from the next request on.
    pub fn go_away(&self) {
        self.fail_next(usize::MAX);
    }

    /// Ends the outage.
    pub fn come_back(&self) {
        self.fail_next(0);
    }

    /// Simulates an outage for the next requests, as many as a number says.
    pub fn fail_next(&self, requests: usize) {
        self.failing.store(requests, Ordering::Relaxed);
    }

    /// Refuses every request, or none from now on.
    pub fn refuse(&self, refuses: bool) {
        self.refuses.store(refuses, Ordering::Relaxed);
    }

    /// Cuts off the next answer with contents.
    pub fn break_off_after(&self, bytes: usize) {
        *self.breaks_after.lock().unwrap() = Some(bytes);
    }

    fn is_away(&self) -> bool {
        let one_less = |failing: usize| failing.checked_sub(1);
        self.failing.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_less).is_ok()
    }
}

impl S3Server {
    /// Starts an empty server.
    pub async fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join(BUCKET)).unwrap();
        let mut service = S3ServiceBuilder::new(FileSystem::new(folder.path()).unwrap());
        service.set_auth(SimpleAuth::from_single(KEY_ID, SECRET));
        let service = service.build();
        let answer = tower::service_fn(move |request: Request| {
            let mut service = service.clone();
            async move {
                let answer = tower::Service::call(&mut service, request).await;
                Ok::<Response, Infallible>(match answer {
                    Ok(answer) => answer.map(Body::new),
                    Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
                })
            }
        });
        let failures = Arc::new(InjectedFailures::default());
        let router = Router::new()
            .fallback_service(answer)
            .layer(middleware::from_fn_with_state(Arc::clone(&failures), meddle));
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self { address, failures, folder }
    }

    /// The environment variables for docwright.
    pub fn variables(&self) -> [(&'static str, String); 4] {
        [
            ("AWS_ENDPOINT_URL", self.address.clone()),
            ("AWS_ACCESS_KEY_ID", KEY_ID.to_owned()),
            ("AWS_SECRET_ACCESS_KEY", SECRET.to_owned()),
            ("AWS_REGION", "eu-central-1".to_owned()),
        ]
    }

    /// The server's file of an object.
    pub fn file(&self, key: &str) -> PathBuf {
        self.folder.path().join(BUCKET).join(key)
    }

    /// Multipart uploads that started and did not end, or of which parts are left.
    pub fn uploads(&self) -> usize {
        let names = std::fs::read_dir(self.folder.path()).unwrap();
        let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        // `.upload-<id>.json`, and `.upload_id-<id>.part-1` for each part.
        let ids = names.filter_map(|name| {
            let (kind, rest) = name.split_once('-')?;
            let (id, _) = rest.split_once('.')?;
            kind.starts_with(".upload").then(|| id.to_owned())
        });
        ids.collect::<BTreeSet<_>>().len()
    }
}

/// Stores a part also if the client goes away meanwhile, as real stores do.
async fn store_part(failures: &Arc<InjectedFailures>, request: Request, next: Next) -> Response {
    let failures = Arc::clone(failures);
    failures.storing.fetch_add(1, Ordering::Relaxed);
    let stored = tokio::spawn(async move {
        let answer = next.run(request).await;
        failures.stored.fetch_add(usize::from(answer.status().is_success()), Ordering::Relaxed);
        failures.storing.fetch_sub(1, Ordering::Relaxed);
        answer
    });
    stored.await.unwrap()
}

async fn meddle(
    State(failures): State<Arc<InjectedFailures>>,
    request: Request,
    next: Next,
) -> Response {
    if failures.is_away() {
        failures.failed.fetch_add(1, Ordering::Relaxed);
        return StatusCode::SERVICE_UNAVAILABLE.into_response();
    }
    if failures.refuses.load(Ordering::Relaxed) {
        let body = "<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>";
        return (StatusCode::FORBIDDEN, body).into_response();
    }
    let length = request.headers().get("content-length").and_then(|value| value.to_str().ok());
    let length = length.and_then(|length| length.parse().ok()).unwrap_or(0);
    let reads = request.method() == "GET";
    let completes = request.method() == "POST"
        && request.uri().query().is_some_and(|query| query.starts_with("uploadId"));
    let query = request.uri().query().unwrap_or_default();
    let (is_part, is_upload) = (query.contains("partNumber="), query.contains("uploadId="));
    if request.method() == "DELETE" && is_upload && failures.storing.load(Ordering::Relaxed) > 0 {
        failures.removed_early.fetch_add(1, Ordering::Relaxed);
    }
    let answer =
        if is_part { store_part(&failures, request, next).await } else { next.run(request).await };
    failures.received.fetch_add(length, Ordering::Relaxed);
    if completes && failures.loses_completion.swap(false, Ordering::Relaxed) {
        failures.failed.fetch_add(1, Ordering::Relaxed);
        return StatusCode::SERVICE_UNAVAILABLE.into_response();
    }
    let breaks = if reads { failures.breaks_after.lock().unwrap().take() } else { None };
    let Some(bytes) = breaks else { return answer };
    failures.failed.fetch_add(1, Ordering::Relaxed);
    let (parts, body) = answer.into_parts();
    let body = body.into_data_stream();
    let mut left = bytes;
    let whole = body.map(move |piece| -> io::Result<Bytes> {
        let piece = piece.map_err(io::Error::other)?;
        if left == 0 {
            return Err(io::Error::other("broken off"));
        }
        let piece = piece.slice(..piece.len().min(left));
        left -= piece.len();
        Ok(piece)
    });
    let broken = whole.chain(stream::once(async { Err(io::Error::other("broken off")) }));
    Response::from_parts(parts, Body::from_stream(broken))
}
