//! HTTP server of a deployment.

use std::sync::Arc;

use axum::{
    Json, Router,
    extract::{Request, State as Shared},
    http::{Method, StatusCode},
    response::{IntoResponse, Response},
    routing::get,
};
use docwright_assistant::Assistant;
use docwright_http::{
    authority::{self, Authority},
    request,
};
use docwright_jobs::clock::Clock;
use docwright_repository::network::Network;
use docwright_types::timestamp::iso;
use serde_json::json;

use super::{Deployment, versions::Version};
use crate::{
    analytics::{CountedSite, REPORT_PATH, Visit},
    assistant::SiteAssistant,
    requests::RequestProxy,
    site::{self, Mount, OpenSite},
};

/// A deployment, and the path that its site is below, such as `/docs`; empty at the root of its host.
#[derive(Debug, Clone)]
struct Place {
    deployment: Deployment,
    base: Arc<str>,
    proxy: RequestProxy,
    assistant: SiteAssistant,
}

/// The site, below a base path that isn't checked here. Requests of its API pages are sent over a network, and an
/// assistant answers questions, with its model until it has used a number of tokens in a day.
pub fn site(
    deployment: Deployment,
    base: &str,
    network: Network,
    assistant: (Assistant, Option<u64>),
) -> Router {
    let metrics = deployment.metrics.playground.clone();
    let proxy = RequestProxy::new(network, Clock::default(), metrics);
    let answers = deployment.metrics.assistant.clone();
    let assistant = SiteAssistant::new(assistant, Clock::default(), answers, None);
    let place = Place { deployment, base: base.into(), proxy, assistant };
    Router::new().fallback(answer).with_state(place)
}

/// `/healthz`, and `/readyz`: whether the site matches the values.
pub fn health(deployment: Deployment) -> Router {
    Router::new()
        .route("/healthz", get(|| async { "ok\n" }))
        .route("/readyz", get(readyz))
        .with_state(deployment)
}

/// Not ready until a version is active, the pinned one if one is pinned. Returns the active version, the last error,
/// and the time of the last successful poll.
async fn readyz(Shared(deployment): Shared<Deployment>) -> Response {
    let readiness = deployment.readiness();
    let status = if readiness.ready { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    let body = json!({
        "ready": readiness.ready,
        "version": readiness.active.as_ref().map(Version::label),
        "sha256": readiness.active.as_ref().map(|version| &version.sha256),
        "problem": readiness.problem,
        "warning": readiness.warning,
        "polledAt": readiness.polled_at.map(iso),
    });
    (status, Json(body)).into_response()
}

async fn answer(Shared(place): Shared<Place>, mut request: Request) -> Response {
    // Every host is this site's, so the one that a trusted proxy received is the one that the reader's browser shows.
    if let Ok(Some(addressed)) = authority::addressed(&request, |_| false) {
        request.extensions_mut().insert(addressed);
    }
    let metrics = place.deployment.metrics.sites.clone();
    request::observe_site(&metrics, request, |request| of_active(place, request)).await
}

async fn of_active(
    Place { deployment, base, proxy, assistant }: Place,
    request: Request,
) -> Response {
    let Some(version) = deployment.active() else {
        return (
            StatusCode::SERVICE_UNAVAILABLE,
            [("retry-after", "5")],
            "No version is active yet.\n",
        )
            .into_response();
    };
    if !is_below(request.uri().path(), &base) {
        return (StatusCode::NOT_FOUND, format!("The site is at {base}/.\n")).into_response();
    }
    match site::below(request, base.len(), &base) {
        Ok(request) => {
            let mount = Mount {
                base: &base,
                takes_reports: deployment.readers.counted().is_some(),
                proxy: Some((&proxy, &base)),
                assistant: Some((&assistant, &base)),
                ..Mount::PLAIN
            };
            counted(&deployment, &version.site, request, mount).await
        }
        Err(response) => response,
    }
}

/// The answer of the site, whose readers are counted if it has analytics.
async fn counted(
    deployment: &Deployment,
    site: &Arc<OpenSite>,
    request: Request,
    mount: Mount<'_>,
) -> Response {
    let analytics = deployment.readers.analytics().filter(|_| site.about().analytics);
    let Some((analytics, domain)) = analytics else {
        return site::answer(site, request, mount).await;
    };
    let host = Authority::of(request.extensions()).map_or("", Authority::host);
    let address = format!("{host}{}", mount.base);
    let counted = CountedSite { domain, address: &address, site };
    if request.uri().path() == REPORT_PATH && request.method() == Method::POST {
        return analytics.take_report(counted, request).await.into_response();
    }
    let visit = Visit::of(&request);
    let response = site::answer(site, request, mount).await;
    if let Some(visit) = visit {
        analytics.count(counted, &visit, &response);
    }
    response
}

/// Whether a path is a base path or below it, by whole segments.
fn is_below(path: &str, base: &str) -> bool {
    let rest = path.strip_prefix(base);
    base.is_empty() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}
