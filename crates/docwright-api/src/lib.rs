//! The administrative HTTP API, with one file for each resource.
//!
//! Handlers parse the request, call an operation, and write the response. Every error response is `{"error",
//! "code"}`. `mcp` offers some of the operations to agents, with the descriptions of the API.

mod accounts;
mod agent_jobs;
mod always_sent;
mod analytics;
mod assistant_keys;
mod audit_log;
mod authorize;
mod body;
mod credentials;
mod decoded_length;
mod deployments;
mod discovery;
mod domains;
mod exports;
mod feedback;
mod gaps;
mod instance;
mod invitations;
mod keys;
mod lazy;
mod mcp;
mod members;
mod objects;
mod openapi;
mod organizations;
mod pages;
mod plans;
mod previews;
mod problems;
mod projects;
mod pull_requests;
mod questions;
mod reference;
mod releases;
mod repository_checks;
mod state;
mod subscriptions;
mod updates;
mod webhooks;

use axum::{Router, routing::get};
use serde::Deserialize;
use utoipa::IntoParams;
use utoipa_axum::{router::OpenApiRouter, routes};

pub use state::ApiState;

use self::lazy::lazy;

/// Decoded size limit of bodies, in bytes.
const MAXIMUM_BODY: usize = 1024 * 1024;

/// Every operation, and the API spec. The list of them is here, except those of analytics and of the assistant.
pub fn router(state: ApiState) -> Router {
    let description = openapi::document(&state.repositories.public_url);
    let (operations, document) = OpenApiRouter::with_openapi(description)
        .routes(routes!(exports::start, exports::list))
        .routes(routes!(exports::get))
        .routes(routes!(exports::bundle))
        .routes(routes!(updates::start))
        .routes(routes!(updates::get))
        .merge(domain_operations())
        .routes(routes!(previews::start))
        .routes(routes!(previews::list))
        .routes(routes!(previews::get, previews::close))
        .routes(routes!(previews::set_password, previews::remove_password))
        .routes(routes!(subscriptions::create, subscriptions::list))
        .routes(routes!(subscriptions::get, subscriptions::delete))
        .routes(routes!(subscriptions::notifications))
        .routes(routes!(subscriptions::resend))
        .merge(agent_jobs())
        .routes(routes!(organizations::create, organizations::list))
        .routes(routes!(organizations::get, organizations::update, organizations::delete))
        .routes(routes!(members::list))
        .routes(routes!(members::get, members::update, members::delete))
        .routes(routes!(accounts::list))
        .routes(routes!(accounts::get, accounts::update, accounts::delete))
        .routes(routes!(accounts::delete_identity))
        .routes(routes!(invitations::create, invitations::list))
        .routes(routes!(invitations::delete))
        .routes(routes!(organizations::usage))
        .routes(routes!(plans::list))
        .routes(routes!(plans::set))
        .routes(routes!(projects::create, projects::list))
        .routes(routes!(projects::get, projects::update, projects::delete))
        .routes(routes!(projects::poll))
        .routes(routes!(repository_checks::check))
        .routes(routes!(deployments::create, deployments::list))
        .routes(routes!(deployments::get, deployments::update, deployments::delete))
        .routes(routes!(deployments::report))
        .routes(routes!(pages::list))
        .routes(routes!(problems::list))
        .routes(routes!(problems::test))
        .routes(routes!(pages::source))
        .routes(routes!(pages::edit))
        .routes(routes!(pull_requests::list))
        .routes(routes!(pull_requests::create))
        .routes(routes!(pull_requests::get))
        .routes(routes!(pull_requests::merge))
        .routes(routes!(pull_requests::close))
        .merge(releases())
        .routes(routes!(keys::create, keys::list))
        .routes(routes!(keys::own))
        .routes(routes!(keys::get, keys::update))
        .routes(routes!(keys::revoke))
        .routes(routes!(credentials::set, credentials::list))
        .routes(routes!(credentials::delete))
        .routes(routes!(feedback::of_domain))
        .routes(routes!(feedback::list))
        .routes(routes!(feedback::update))
        .merge(analytics::router())
        .routes(routes!(gaps::list))
        .merge(questions::router())
        .merge(assistant_keys::router())
        .merge(discovery::router(&state))
        .routes(routes!(webhooks::create_secret))
        .routes(routes!(webhooks::deliveries))
        .routes(routes!(webhooks::redeliver))
        .routes(routes!(audit_log::list))
        .routes(routes!(instance::get))
        .routes(routes!(instance::ask_models))
        .split_for_parts();
    let spec = lazy(|| openapi::text(document));
    operations
        .merge(mcp::router(spec.clone()))
        .merge(openapi::router(spec.clone()))
        .merge(reference::router(spec))
        .route("/objects/{*key}", get(objects::object))
        .with_state(state)
}

/// The operations of domains.
fn domain_operations() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .routes(routes!(domains::create, domains::list))
        .routes(routes!(domains::get, domains::update, domains::delete))
        .routes(routes!(domains::verify))
        .routes(routes!(domains::rename))
        .routes(routes!(domains::end_redirect))
}

/// The operations of releases.
fn releases() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .routes(routes!(releases::create, releases::list_of_domain))
        .routes(routes!(releases::list))
        .routes(routes!(releases::get))
        .routes(routes!(releases::activate))
        .routes(routes!(releases::cancel))
        .routes(routes!(releases::log))
        .routes(routes!(releases::changes))
}

/// The operations of agent jobs.
fn agent_jobs() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .routes(routes!(agent_jobs::create))
        .routes(routes!(agent_jobs::list))
        .routes(routes!(agent_jobs::list_sessions))
        .routes(routes!(agent_jobs::get))
        .routes(routes!(agent_jobs::message))
        .routes(routes!(agent_jobs::cancel))
        .routes(routes!(agent_jobs::archive))
        .routes(routes!(agent_jobs::watch))
        .routes(routes!(agent_jobs::history))
        .routes(routes!(agent_jobs::diff))
        .routes(routes!(agent_jobs::models))
}

/// A project.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Path)]
pub(crate) struct ProjectPath {
    /// ID of the project. The dashboard shows it on the "API keys" page.
    #[param(example = "prj_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    project_id: String,
}
