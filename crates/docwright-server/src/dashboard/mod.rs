//! The dashboard: what people do in a browser, at the service's own host.
//!
//! Every page reads, and every form changes, by operations, with the rights of who is signed in; signing in,
//! sessions, and invitations are the dashboard's own. Pages are made here and work without scripts; a script
//! shows what changes while they are open.

mod assets;
mod challenge;
mod forms;
mod frame;
mod groups;
mod guard;
mod own_account;
mod pages;
mod parts;
mod passkeys;
mod passwords;
mod paths;
mod project_context;
mod proof;
mod refusal;
mod session;
mod setup;
mod sign_in_flow;
mod words;

use std::sync::Arc;

use axum::{Router, extract::FromRef, middleware};

use crate::{attempts::Attempts, state::AppState};

pub(crate) use setup::{announce, path as setup_path};
pub(crate) use words::emails;

/// What the dashboard works with.
#[derive(Debug, Clone)]
pub(crate) struct Dashboard {
    app: AppState,
    /// Wrong passwords of late.
    attempts: Arc<Attempts>,
}

impl FromRef<Dashboard> for AppState {
    fn from_ref(dashboard: &Dashboard) -> Self {
        dashboard.app.clone()
    }
}

/// Every page and form.
pub(crate) fn router(app: AppState) -> Router {
    pages::router()
        .layer(middleware::from_fn(guard::reject_cross_site_forms))
        .layer(middleware::from_fn(guard::reject_nul))
        .merge(assets::router())
        .with_state(Dashboard { app, attempts: Arc::new(Attempts::within(passwords::TIME)) })
}
