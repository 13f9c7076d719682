//! HTTP side of a deployment.

use axum::{
    Json, Router,
    extract::{Request, State as Shared},
    http::StatusCode,
    response::{IntoResponse, Response},
    routing::get,
};
use serde_json::json;

use super::Deployment;
use crate::hosting::static_site::{self, Offers};

/// The site, and whether there is one.
pub(crate) fn router(deployment: Deployment) -> Router {
    Router::new()
        .route("/healthz", get(|| async { "ok\n" }))
        .route("/readyz", get(readyz))
        .fallback(site)
        .with_state(deployment)
}

/// Not ready until a version is active; says which one is, and what went wrong last.
async fn readyz(Shared(deployment): Shared<Deployment>) -> Response {
    let state = deployment.state();
    let status =
        if state.active.is_some() { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    let body = json!({
        "ready": state.active.is_some(),
        "version": state.active.map(|version| version.label()),
        "problem": state.problem,
    });
    (status, Json(body)).into_response()
}

async fn site(Shared(deployment): Shared<Deployment>, request: Request) -> Response {
    match deployment.state().active {
        Some(version) => static_site::serve(&version.folder, request, Offers::PLAIN).await,
        None => {
            (StatusCode::SERVICE_UNAVAILABLE, [("retry-after", "5")], "No version is active yet.\n")
                .into_response()
        }
    }
}
