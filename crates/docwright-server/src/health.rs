//! Whether the server lives, can work, and what it has done.

use std::{
    fmt::Write as _,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use axum::{Router, extract::State, http::header, response::IntoResponse, routing::get};

use crate::{error::ApiError, state::AppState};

/// Routes of every process.
pub(crate) fn router() -> Router<AppState> {
    Router::new()
        .route("/healthz", get(healthz))
        .route("/readyz", get(readyz))
        .route("/metrics", get(metrics))
}

/// The process answers.
async fn healthz() -> &'static str {
    "ok\n"
}

/// When somebody asked last whether this process is ready.
static ASKED: Mutex<Option<Instant>> = Mutex::new(None);
/// Who asks at all asks again within this time.
const INTERVAL: Duration = Duration::from_secs(30);

/// Whether somebody, such as a load balancer, goes by the readiness of this process.
pub(crate) fn is_watched() -> bool {
    let asked = *ASKED.lock().unwrap_or_else(PoisonError::into_inner);
    asked.is_some_and(|asked| asked.elapsed() < INTERVAL)
}

/// The database answers, and the service does not stop.
async fn readyz(State(app): State<AppState>) -> Result<&'static str, ApiError> {
    *ASKED.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    if app.stopping.is_cancelled() {
        return Err(ApiError::Unavailable("the service stops".to_owned()));
    }
    app.database.check().await?;
    // What is there can be read all the same.
    let is_low = app.disk.is_low().await;
    Ok(if is_low { "ready, but the disk is nearly full: no job is begun\n" } else { "ready\n" })
}

/// Counts in the text format of Prometheus.
async fn metrics(State(app): State<AppState>) -> Result<impl IntoResponse, ApiError> {
    let mut text = String::from(
        "# HELP docwright_requests_total Requests answered.\n# TYPE docwright_requests_total counter\n",
    );
    for (hundred, count) in app.counts.read() {
        let _ = writeln!(text, "docwright_requests_total{{status=\"{hundred}xx\"}} {count}");
    }
    let counts = [
        ("docwright_export_jobs", "Static export jobs", app.database.count_exports().await?),
        ("docwright_releases", "Releases", app.database.count_releases().await?),
        ("docwright_agent_jobs", "Agent jobs", app.database.count_agent_jobs().await?),
    ];
    for (name, what, counts) in counts {
        let _ = writeln!(text, "# HELP {name} {what} by status.\n# TYPE {name} gauge");
        for (status, count) in counts {
            let _ = writeln!(text, "{name}{{status=\"{status}\"}} {count}");
        }
    }
    Ok(([(header::CONTENT_TYPE, "text/plain; version=0.0.4")], text))
}
