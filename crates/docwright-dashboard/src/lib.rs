//! The dashboard: what people do in a browser, at the service's own host.
//!
//! Every page reads, and every form changes, by operations, with the role of the signed-in account; signing in,
//! sessions, and invitations are the dashboard's own. Pages are made here and work without scripts; a script
//! shows what changes while they are open.

mod assets;
mod challenge;
mod forms;
mod frame;
mod groups;
mod guard;
mod markdown;
pub mod openid;
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
mod webauthn;
mod words;

use std::sync::Arc;

use axum::{Router, extract::FromRef, middleware};
use docwright_operations::{Operations, attempts::Attempts};
use openid::Provider;

pub use markdown::MarkdownReader;
pub use setup::{announce, path as setup_path};
pub use words::emails;

/// What the dashboard works with.
#[derive(Debug, Clone)]
struct Dashboard {
    operations: Operations,
    /// Who else signs people in.
    provider: Option<Arc<Provider>>,
    /// Reads Markdown in child processes.
    markdown: Arc<MarkdownReader>,
    /// Wrong passwords of late.
    attempts: Arc<Attempts>,
}

impl FromRef<Dashboard> for Operations {
    fn from_ref(dashboard: &Dashboard) -> Self {
        dashboard.operations.clone()
    }
}

/// Every page and form.
pub fn router(
    operations: Operations,
    provider: Option<Provider>,
    markdown: MarkdownReader,
) -> Router {
    let (provider, markdown) = (provider.map(Arc::new), Arc::new(markdown));
    let attempts = Arc::new(Attempts::within(passwords::TIME));
    pages::router()
        .layer(middleware::from_fn(guard::reject_cross_site_forms))
        .layer(middleware::from_fn(guard::reject_nul))
        .merge(assets::router())
        .with_state(Dashboard { operations, provider, markdown, attempts })
}
