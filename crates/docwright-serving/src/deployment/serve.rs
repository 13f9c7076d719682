//! HTTP server of a deployment.

use axum::{
    Json, Router,
    extract::{Request, State as Shared},
    http::StatusCode,
    response::{IntoResponse, Response},
    routing::get,
};
use docwright_http::request;
use serde_json::json;

use super::{Deployment, versions::Version};
use crate::site::{self, Mount};

/// The site.
pub fn site(deployment: Deployment) -> Router {
    Router::new().fallback(answer).with_state(deployment)
}

/// `/healthz`, and `/readyz`: whether the site matches the values.
pub fn health(deployment: Deployment) -> Router {
    Router::new()
        .route("/healthz", get(|| async { "ok\n" }))
        .route("/readyz", get(readyz))
        .with_state(deployment)
}

/// Not ready until a version is active, the pinned one if one is pinned. Returns the active version, and the last
/// error.
async fn readyz(Shared(deployment): Shared<Deployment>) -> Response {
    let readiness = deployment.readiness();
    let status = if readiness.ready { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    let body = json!({
        "ready": readiness.ready,
        "version": readiness.active.as_ref().map(Version::label),
        "sha256": readiness.active.as_ref().map(|version| &version.sha256),
        "problem": readiness.problem,
    });
    (status, Json(body)).into_response()
}

async fn answer(Shared(deployment): Shared<Deployment>, request: Request) -> Response {
    let metrics = deployment.metrics.sites.clone();
    request::observe_site(&metrics, request, |request| of_active(deployment, request)).await
}

async fn of_active(deployment: Deployment, request: Request) -> Response {
    match deployment.active() {
        Some(version) => site::answer(&version.site, request, Mount::PLAIN).await,
        None => {
            (StatusCode::SERVICE_UNAVAILABLE, [("retry-after", "5")], "No version is active yet.\n")
                .into_response()
        }
    }
}
