//! The pages, a file each, and their addresses. Whoever adds one adds a row to the table of access.

mod account;
mod audit;
mod code;
mod home;
mod install;
mod invitation;
mod invitations;
mod jobs;
mod keys;
mod members;
mod organizations;
mod overview;
mod plan;
mod plans;
mod preview_access;
mod projects;
mod releases;
mod security;
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
        .route("/sign-in/code", get(code::show).post(code::check))
        .route("/sign-out", post(sign_in::sign_out))
        .route("/account", get(account::show))
        .route("/account/name", post(account::rename))
        .route("/account/password", post(account::change_password))
        .route("/account/sessions/end", post(account::end_session))
        .route("/account/security", get(security::show))
        .route("/account/security/app", get(security::app).post(security::turn_on))
        .route("/account/security/app/off", post(security::turn_off))
        .route("/account/security/recovery", post(security::renew))
        .route("/organizations", get(organizations::list).post(organizations::create))
        .route("/organizations/{organization_id}", get(projects::list))
        .route("/organizations/{organization_id}/members", get(members::list))
        .route("/organizations/{organization_id}/members/{account_id}", post(members::set_role))
        .route(
            "/organizations/{organization_id}/members/{account_id}/remove",
            get(members::ask_to_remove).post(members::remove),
        )
        .route(
            "/organizations/{organization_id}/invitations",
            get(invitations::list).post(invitations::create),
        )
        .route(
            "/organizations/{organization_id}/invitations/{invitation_id}/withdraw",
            post(invitations::withdraw),
        )
        .route("/invitations/{token}", get(invitation::show).post(invitation::accept))
        .route("/preview-access", get(preview_access::show))
        .route(
            "/organizations/{organization_id}/projects/new",
            get(projects::new).post(projects::create),
        )
        .route("/organizations/{organization_id}/keys", get(keys::list))
        .route("/organizations/{organization_id}/keys/new", get(keys::new).post(keys::create))
        .route("/organizations/{organization_id}/keys/{key_id}/revoke", post(keys::revoke))
        .route("/organizations/{organization_id}/audit", get(audit::list))
        .route("/organizations/{organization_id}/audit/csv", get(audit::download))
        .route("/organizations/{organization_id}/plan", get(plan::show).post(plan::change))
        .route("/organizations/{organization_id}/plan/delete", post(plan::delete))
        .route("/plans", get(plans::show))
        .route("/plans/{plan}", post(plans::set))
        .route("/install", get(install::show))
        .route("/projects/{project_id}", get(overview::show))
        .route("/projects/{project_id}/releases", get(releases::list))
        .route("/projects/{project_id}/jobs", get(jobs::list))
        .route("/projects/{project_id}/jobs/new", get(jobs::new).post(jobs::create))
        .route("/projects/{project_id}/jobs/{job_id}", get(jobs::show))
        .route("/projects/{project_id}/jobs/{job_id}/message", post(jobs::message))
        .route("/projects/{project_id}/jobs/{job_id}/cancel", post(jobs::cancel))
        .route("/projects/{project_id}/jobs/{job_id}/archive", post(jobs::archive))
}
