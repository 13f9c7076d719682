//! The pages, a file each, and their addresses. Whoever adds one adds a row to the table of access.

mod account;
mod home;
mod members;
mod organizations;
mod overview;
mod projects;
mod releases;
mod setup;
mod sign_in;

use axum::{
    Router,
    routing::{get, post},
};

use super::Dashboard;

/// Every page and form.
pub(super) fn router() -> Router<Dashboard> {
    Router::new()
        .route("/", get(home::show))
        .route("/setup", get(setup::show).post(setup::create))
        .route("/sign-in", get(sign_in::show).post(sign_in::sign_in))
        .route("/sign-in/link", get(sign_in::link).post(sign_in::use_link))
        .route("/sign-out", post(sign_in::sign_out))
        .route("/account", get(account::show))
        .route("/account/sessions/end", post(account::end_session))
        .route("/organizations", get(organizations::list))
        .route("/organizations/{organization_id}", get(projects::list))
        .route("/organizations/{organization_id}/members", get(members::list))
        .route(
            "/organizations/{organization_id}/projects/new",
            get(projects::new).post(projects::create),
        )
        .route("/projects/{project_id}", get(overview::show))
        .route("/projects/{project_id}/releases", get(releases::list))
}
