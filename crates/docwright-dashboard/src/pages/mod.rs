//! The pages, with one file for each, and their paths. A new page needs a row in the access table.

mod account;
mod account_deletion;
mod accounts;
mod analytics;
mod audit;
mod code;
mod deployments;
mod diagnostics;
mod domains;
mod exports;
mod feedback;
mod forgotten_password;
mod gaps;
mod home;
mod inbox;
mod instance;
mod invitation;
mod invitations;
mod jobs;
mod keys;
mod members;
mod new_project;
mod new_pull_request;
mod next_step;
mod organizations;
mod overview;
mod page_edit;
mod passkey_sign_in;
mod passkeys;
mod personal_tokens;
mod plan;
mod plans;
mod preview_access;
mod previews;
mod problems;
mod projects;
mod provider;
mod pull_requests;
mod releases;
mod search;
mod security;
mod settings;
mod setup;
mod sign_in;
mod site_pages;

use axum::{
    Router,
    routing::{get, post},
};

use super::Dashboard;

pub(super) use analytics::{SiteAnalytics, beside_site};

/// Every page and form.
pub(super) fn router() -> Router<Dashboard> {
    Router::new()
        .route("/", get(home::show))
        .route("/search", get(search::show))
        .route("/inbox", get(inbox::list).post(inbox::read))
        .route("/setup", get(setup::show).post(setup::create))
        .route("/sign-in", get(sign_in::show).post(sign_in::sign_in))
        .route("/sign-in/forgot", get(forgotten_password::show).post(forgotten_password::send))
        .route("/sign-in/link", get(sign_in::link).post(sign_in::use_link))
        .route("/sign-in/provider", get(provider::leave))
        .route("/sign-in/provider/back", get(provider::back))
        .route("/sign-in/code", get(code::show).post(code::check))
        .route("/sign-in/passkey", get(passkey_sign_in::show).post(passkey_sign_in::sign_in))
        .route(
            "/sign-in/code/passkey",
            get(passkey_sign_in::show_second).post(passkey_sign_in::check_second),
        )
        .route("/sign-out", post(sign_in::sign_out))
        .merge(own_account())
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
            get(new_project::show).post(new_project::send),
        )
        .route("/organizations/{organization_id}/keys", get(keys::list))
        .route("/organizations/{organization_id}/keys/new", get(keys::new).post(keys::create))
        .route("/organizations/{organization_id}/keys/{key_id}/revoke", post(keys::revoke))
        .route("/organizations/{organization_id}/audit", get(audit::list))
        .route("/organizations/{organization_id}/audit/csv", get(audit::download))
        .route("/organizations/{organization_id}/plan", get(plan::show).post(plan::change))
        .route("/organizations/{organization_id}/plan/delete", post(plan::delete))
        .route("/accounts", get(accounts::list))
        .route("/accounts/{account_id}/identities/remove", post(accounts::remove_identity))
        .route(
            "/accounts/{account_id}/delete",
            get(account_deletion::ask).post(account_deletion::delete),
        )
        .route("/plans", get(plans::show))
        .route("/plans/{plan}", post(plans::set))
        .route("/instance", get(instance::show))
        .route("/instance/models", post(instance::ask_models))
        .route("/projects/{project_id}", get(overview::show))
        .route("/projects/{project_id}/releases", get(releases::list))
        .route("/projects/{project_id}/jobs", get(jobs::list))
        .route("/projects/{project_id}/jobs/new", get(jobs::new).post(jobs::create))
        .route("/projects/{project_id}/jobs/{job_id}", get(jobs::show))
        .route("/projects/{project_id}/jobs/{job_id}/message", post(jobs::message))
        .route("/projects/{project_id}/jobs/{job_id}/cancel", post(jobs::cancel))
        .route("/projects/{project_id}/jobs/{job_id}/archive", post(jobs::archive))
        .merge(publishing())
        .merge(settings())
}

/// The account of the person who is signed in.
fn own_account() -> Router<Dashboard> {
    Router::new()
        .route("/account", get(account::show))
        .route("/account/name", post(account::rename))
        .route("/account/password", post(account::change_password))
        .route("/account/sessions/end", post(account::end_session))
        .route("/account/delete", get(account_deletion::ask_own).post(account_deletion::delete_own))
        .route("/account/tokens", get(personal_tokens::list))
        .route("/account/tokens/new", get(personal_tokens::new).post(personal_tokens::create))
        .route("/account/tokens/{token_id}/revoke", post(personal_tokens::revoke))
        .route("/account/security", get(security::show))
        .route("/account/security/app", get(security::app).post(security::turn_on))
        .route("/account/security/app/off", get(security::ask_to_turn_off).post(security::turn_off))
        .route("/account/security/recovery", post(security::renew))
        .route("/account/security/passkeys", post(passkeys::add))
        .route("/account/security/passkeys/new", get(passkeys::new).post(passkeys::begin))
        .route(
            "/account/security/passkeys/{passkey_id}/remove",
            get(passkeys::ask_to_remove).post(passkeys::remove),
        )
}

/// Releases, previews, exports, domains, pull requests, and feedback of a project.
fn publishing() -> Router<Dashboard> {
    Router::new()
        .route("/projects/{project_id}/poll", post(overview::poll))
        .route("/projects/{project_id}/problems/test", post(problems::test))
        .route("/projects/{project_id}/next-step/dismiss", post(next_step::dismiss))
        .merge(releases())
        .route("/projects/{project_id}/releases/build", post(releases::build))
        .route("/projects/{project_id}/previews", get(previews::list).post(previews::create))
        .route("/projects/{project_id}/previews/password", post(previews::set_password))
        .route("/projects/{project_id}/previews/{preview_id}", get(previews::show::show))
        .route("/projects/{project_id}/previews/{preview_id}/end", post(previews::show::end))
        .route("/projects/{project_id}/exports", get(exports::list).post(exports::create))
        .route("/projects/{project_id}/exports/{export_id}", get(exports::show::show))
        .route(
            "/projects/{project_id}/deployments",
            get(deployments::list).post(deployments::create),
        )
        .route(
            "/projects/{project_id}/deployments/{deployment_id}",
            get(deployments::show::show).post(deployments::show::update),
        )
        .route(
            "/projects/{project_id}/deployments/{deployment_id}/delete",
            post(deployments::show::delete),
        )
        .route("/projects/{project_id}/domains", get(domains::list).post(domains::create))
        .route(
            "/projects/{project_id}/domains/{domain}",
            get(domains::show::show).post(domains::show::update),
        )
        .route("/projects/{project_id}/domains/{domain}/verify", post(domains::show::verify))
        .route(
            "/projects/{project_id}/domains/{domain}/remove",
            get(domains::remove::ask).post(domains::remove::remove),
        )
        .route(
            "/projects/{project_id}/domains/{domain}/rename",
            get(domains::rename::ask).post(domains::rename::rename),
        )
        .route(
            "/projects/{project_id}/domains/{domain}/redirects/{name}/remove",
            post(domains::rename::end_redirect),
        )
        .route(
            "/projects/{project_id}/pull-requests",
            get(pull_requests::list).post(new_pull_request::create),
        )
        .route("/projects/{project_id}/pull-requests/new", get(new_pull_request::show))
        .route("/projects/{project_id}/pull-requests/{number}", get(pull_requests::show))
        .route("/projects/{project_id}/pull-requests/{number}/merge", post(pull_requests::merge))
        .route("/projects/{project_id}/pull-requests/{number}/close", post(pull_requests::close))
        .route("/projects/{project_id}/analytics", get(analytics::show))
        .route("/projects/{project_id}/analytics/live", get(analytics::now))
        .route("/projects/{project_id}/analytics/csv", get(analytics::csv))
        .route("/projects/{project_id}/analytics/json", get(analytics::json))
        .route(
            "/projects/{project_id}/analytics/redirects",
            get(analytics::redirects).post(analytics::add_redirect),
        )
        .route(
            "/projects/{project_id}/analytics/empty-searches",
            get(analytics::empty_searches).post(analytics::answer_search),
        )
        .route("/projects/{project_id}/pages", get(site_pages::list))
        .route("/projects/{project_id}/pages/edit", get(page_edit::show).post(page_edit::save))
        .route("/projects/{project_id}/pages/file", get(page_edit::find))
        .route("/projects/{project_id}/gaps", get(gaps::list))
        .route("/projects/{project_id}/gaps/{gap_id}/fill", post(gaps::fill))
        .route("/projects/{project_id}/feedback", get(feedback::list))
        .route("/projects/{project_id}/feedback/{feedback_id}", post(feedback::update))
}

/// The pages of a release.
fn releases() -> Router<Dashboard> {
    Router::new()
        .route("/projects/{project_id}/releases/{release_id}", get(releases::show::show))
        .route("/projects/{project_id}/releases/{release_id}/changes", get(releases::changes::show))
        .route("/projects/{project_id}/releases/{release_id}/log", get(releases::log::download))
        .route(
            "/projects/{project_id}/releases/{release_id}/cancel",
            post(releases::cancel::cancel),
        )
        .route(
            "/projects/{project_id}/releases/{release_id}/rebuild",
            post(releases::cancel::rebuild),
        )
        .route("/projects/{project_id}/releases/{release_id}/effect", get(releases::effect::show))
        .route(
            "/projects/{project_id}/releases/{release_id}/activate",
            get(releases::activate::ask).post(releases::activate::activate),
        )
}

/// The settings of a project.
fn settings() -> Router<Dashboard> {
    use settings::{assistant_keys, credentials, delete, notifications, webhooks};
    Router::new()
        .route("/projects/{project_id}/settings", get(settings::show).post(settings::update))
        .route(
            "/projects/{project_id}/settings/credentials",
            get(credentials::list).post(credentials::set),
        )
        .route("/projects/{project_id}/settings/credentials/remove", post(credentials::remove))
        .route("/projects/{project_id}/settings/webhooks", get(webhooks::list))
        .route("/projects/{project_id}/settings/webhooks/secret", post(webhooks::create_secret))
        .route("/projects/{project_id}/settings/webhooks/redeliver", post(webhooks::redeliver))
        .route(
            "/projects/{project_id}/settings/notifications",
            get(notifications::list).post(notifications::create),
        )
        .route("/projects/{project_id}/settings/notifications/remove", post(notifications::remove))
        .route(
            "/projects/{project_id}/settings/notifications/{subscription_id}",
            get(notifications::show),
        )
        .route(
            "/projects/{project_id}/settings/notifications/{subscription_id}/resend",
            post(notifications::resend),
        )
        .route(
            "/projects/{project_id}/settings/assistant-keys",
            get(assistant_keys::list).post(assistant_keys::create),
        )
        .route(
            "/projects/{project_id}/settings/assistant-keys/{assistant_key_id}",
            get(assistant_keys::show),
        )
        .route(
            "/projects/{project_id}/settings/assistant-keys/{assistant_key_id}/delete",
            post(assistant_keys::delete),
        )
        .route("/projects/{project_id}/settings/delete", get(delete::ask).post(delete::delete))
}
