//! An API that records what arrives.

use std::sync::{Arc, Mutex};

use axum::{
    Router,
    body::{Body, to_bytes},
    extract::Request,
    http::{HeaderMap, StatusCode},
    response::{IntoResponse, Response},
};

/// A request that arrived.
#[derive(Debug, Clone)]
pub(super) struct Arrived {
    pub(super) method: String,
    pub(super) path: String,
    pub(super) headers: HeaderMap,
    pub(super) body: Vec<u8>,
}

impl Arrived {
    /// A header as text; empty without it.
    pub(super) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }
}

/// A running API.
#[derive(Debug)]
pub(super) struct RecordingApi {
    pub(super) port: u16,
    arrived: Arc<Mutex<Vec<Arrived>>>,
}

impl RecordingApi {
    pub(super) async fn start() -> Self {
        let arrived = Arc::<Mutex<Vec<Arrived>>>::default();
        let log = Arc::clone(&arrived);
        let router = Router::new().fallback(move |request: Request| {
            let log = Arc::clone(&log);
            async move {
                let (parts, body) = request.into_parts();
                let body = to_bytes(body, usize::MAX).await.unwrap_or_default().to_vec();
                let path = parts.uri.path_and_query().unwrap().as_str().to_owned();
                let method = parts.method.to_string();
                let response = respond(parts.uri.path());
                log.lock().unwrap().push(Arrived { method, path, headers: parts.headers, body });
                response
            }
        });
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        tokio::spawn(axum::serve(listener, router).into_future());
        Self { port, arrived }
    }

    /// The origin that the operator allows.
    pub(super) fn origin(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// What arrived since the last call.
    pub(super) fn taken(&self) -> Vec<Arrived> {
        std::mem::take(&mut self.arrived.lock().unwrap())
    }
}

fn respond(path: &str) -> Response {
    match path {
        "/redirect" => {
            let location = [("location", "http://169.254.169.254/latest/meta-data/")];
            (StatusCode::FOUND, location).into_response()
        }
        "/page" => {
            let headers = [
                ("content-type", "text/html"),
                ("set-cookie", "session=stolen; Path=/"),
                ("access-control-allow-origin", "*"),
                ("content-disposition", "inline"),
                ("service-worker-allowed", "/"),
            ];
            (headers, "<script>alert(1)</script>").into_response()
        }
        "/missing" => (StatusCode::NOT_FOUND, "no such thing").into_response(),
        "/empty" => StatusCode::NO_CONTENT.into_response(),
        "/long" => Body::from(vec![b'x'; 10 * 1024 * 1024 + 1]).into_response(),
        "/longest" => Body::from(vec![b'x'; 10 * 1024 * 1024]).into_response(),
        _ => "done".into_response(),
    }
}
