//! The dashboard: what people do in a browser, at the service's own host.
//!
//! Every page reads, and every form changes, by operations, with the role of the signed-in account. Cookies, forms,
//! and redirects of a sign-in are the dashboard's own; `docwright_operations::callers` finds who signs in. Pages are
//! made here and work without scripts; a script shows what changes while they are open.
//!
//! - After a form, the next page says once what was done: a cookie names it from a fixed list (`words::Done`).
//! - A secret that is shown once, such as a key, travels to the next page in an encrypted cookie of the session
//!   (`shown_once`), so a reload neither shows nor creates it again.
//! - A form that arrives after its session ended is answered with the same form (`kept_form`), unless it has a secret.
//! - Pages of signed-in users and assets are compressed. Answers to forms, pages without navigation, and pages with a
//!   secret aren't, because lengths could reveal it (`compression`).

mod assets;
mod compression;
mod csv;
mod forms;
mod frame;
mod guard;
mod icons;
mod kept_form;
mod markdown;
mod pages;
mod parts;
mod passkeys;
mod paths;
mod project_context;
mod proof;
mod refusal;
mod session;
mod setup;
mod shown_once;
mod words;

use std::sync::Arc;

use axum::{
    Router,
    extract::FromRef,
    middleware,
    response::{IntoResponse, Response},
};
use docwright_operations::{Caller, Operations, callers::openid::Provider};

use pages::SiteAnalytics;
use refusal::Refusal;

pub use markdown::MarkdownReader;
pub use paths::provider_callback;
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
}

impl FromRef<Dashboard> for Operations {
    fn from_ref(dashboard: &Dashboard) -> Self {
        dashboard.operations.clone()
    }
}

/// The pages of analytics beside a site: at a path of the site's host, such as `/docs/_docwright/analytics`. The caller
/// of the router decides who can see them; the files below `assets` are for everyone.
pub fn site_analytics(
    operations: Operations,
    caller: Caller,
    project_id: &str,
    (path, site): (&str, &str),
) -> Router {
    pages::beside_site(SiteAnalytics {
        operations,
        caller,
        project_id: project_id.into(),
        path: path.into(),
        site: site.into(),
    })
    .layer(middleware::from_fn(guard::reject_nul))
    .merge(assets::without_scripts(path))
}

/// The answer to a browser for a path without a page.
pub fn not_found() -> Response {
    Refusal::Missing.into_response()
}

/// Every page and form.
pub fn router(
    operations: Operations,
    provider: Option<Provider>,
    markdown: MarkdownReader,
) -> Router {
    let (provider, markdown) = (provider.map(Arc::new), Arc::new(markdown));
    pages::router()
        .layer(middleware::from_fn(kept_form::keep))
        .layer(middleware::from_fn(guard::reject_cross_site_forms))
        .layer(middleware::from_fn(guard::reject_nul))
        .merge(assets::router())
        .layer(middleware::from_fn(compression::compress))
        .with_state(Dashboard { operations, provider, markdown })
}
