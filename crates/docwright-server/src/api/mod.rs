//! The administrative HTTP API: one folder a resource, one file an operation.
//!
//! Handlers read, authorise, call an operation, and write the answer. Every answer that is an
//! error is `{"error", "code"}`, whatever went wrong.

mod agent;
pub(crate) mod authorize;
mod body;
mod error;
mod health;
mod objects;
mod openapi;
mod rate_limit;
mod request;
mod static_export;
mod update;

use std::{path::PathBuf, sync::Arc};

use axum::{Router, http::Uri, middleware, routing::get};
use docwright_domain::timestamp::Timestamp;
use docwright_flows::repositories::Repositories;
use docwright_storage::{Database, Objects};
use tokio::sync::Notify;
use tower_http::catch_panic::CatchPanicLayer;
use utoipa_axum::{router::OpenApiRouter, routes};

pub(crate) use error::{ApiError, from_panic};
pub(crate) use request::{Counts, identified};
pub(crate) use static_export::PageLookup;

/// Bodies are no longer than this. Bytes.
pub(crate) const MAXIMUM_BODY: usize = 1024 * 1024;

/// What the handlers work with.
#[derive(Debug, Clone)]
pub(crate) struct App {
    /// The database.
    pub(crate) database: Database,
    /// Where bundles are.
    pub(crate) objects: Objects,
    /// The way to the files of projects.
    pub(crate) repositories: Repositories,
    /// Looks up pages in repositories.
    pub(crate) page_lookup: PageLookup,
    /// Wakes the workers of releases.
    pub(crate) release_wake: Arc<Notify>,
    /// Wakes the workers of agent jobs.
    pub(crate) agent_wake: Arc<Notify>,
    /// Model of projects that name none.
    pub(crate) default_model: Arc<str>,
    /// Folder for work in progress.
    pub(crate) scratch: PathBuf,
    /// Address at which clients reach the server, without a slash at its end.
    pub(crate) public_url: Option<String>,
    /// How long links to bundles are good, in milliseconds.
    pub(crate) link_lifetime: i64,
    /// Requests answered so far.
    pub(crate) counts: Arc<Counts>,
}

impl App {
    /// Now.
    pub(crate) fn now(&self) -> Timestamp {
        self.repositories.clock.now()
    }
}

/// The routes of a process that only runs jobs.
pub(crate) fn health_router(app: App) -> Router {
    let routes =
        Router::new().route("/healthz", get(health::healthz)).route("/readyz", get(health::readyz));
    routes.route("/metrics", get(health::metrics)).with_state(app)
}

/// Every route of the API. This is the only list of them.
pub(crate) fn router(app: App) -> Router {
    let (operations, document) = OpenApiRouter::with_openapi(openapi::document())
        .routes(routes!(static_export::start::start))
        .routes(routes!(static_export::status::status))
        .routes(routes!(static_export::bundle::bundle))
        .routes(routes!(update::start::start))
        .routes(routes!(update::status::status))
        .routes(routes!(agent::create::create))
        .routes(routes!(agent::list::list))
        .routes(routes!(agent::get::get))
        .routes(routes!(agent::message::message))
        .routes(routes!(agent::cancel::cancel))
        .routes(routes!(agent::archive::archive))
        .routes(routes!(agent::events::events))
        .split_for_parts();
    operations
        .merge(openapi::router(document))
        .route("/healthz", get(health::healthz))
        .route("/readyz", get(health::readyz))
        .route("/metrics", get(health::metrics))
        .route("/objects/{*key}", get(objects::object))
        .merge(crate::git_host::router())
        .fallback(nothing)
        .method_not_allowed_fallback(|| async { ApiError::MethodNotAllowed })
        .layer(CatchPanicLayer::custom(error::from_panic))
        .layer(middleware::from_fn_with_state(Arc::clone(&app.counts), request::identify))
        .with_state(app)
}

/// Answers every path that is no operation.
async fn nothing(uri: Uri) -> ApiError {
    ApiError::NotFound(format!("There is nothing at {}; see /openapi.json.", uri.path()))
}
