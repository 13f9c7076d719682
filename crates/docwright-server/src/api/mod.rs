//! The administrative HTTP API: one folder a resource, one file an operation.
//!
//! Handlers read, authorise, call an operation, and write the answer. Every answer that is an
//! error is `{"error", "code"}`, whatever went wrong.

mod agent;
mod body;
mod objects;
mod openapi;
mod static_export;
mod update;

use axum::{Router, routing::get};
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::state::AppState;

/// Bodies are no longer than this. Bytes.
const MAXIMUM_BODY: usize = 1024 * 1024;

/// Every operation, and their description. This is the only list of them.
pub(crate) fn router() -> Router<AppState> {
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
    operations.merge(openapi::router(document)).route("/objects/{*key}", get(objects::object))
}
