//! The page of web analytics beside the site: that of the dashboard, at a path with a password. Without a password,
//! there is no page.

mod access;

use std::{
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
};

use anyhow::Context;
use axum::{
    Router,
    extract::{Request, State},
    http::StatusCode,
    response::{IntoResponse, Response},
    routing::any,
};
use docwright_http::page;
use docwright_operations::{LocalResources, Operations, Resources, callers::CliUser};
use docwright_serving::deployment::{CountedReaders, Deployment};
use docwright_storage::{Keyring, Objects};
use maud::html;
use tower::ServiceExt;

use crate::{
    config::{GitHostSettings, StoreSettings},
    flows,
    repositories::repositories,
};
use access::Access;

/// Path of the page below that of the site.
const PATH: &str = "/_docwright/analytics";
/// Folder for work in progress, below that of the database.
const SCRATCH: &str = "work";

/// The page, and who can see it.
#[derive(Debug, Clone)]
struct AnalyticsPage {
    deployment: Deployment,
    access: Arc<Access>,
    /// The path of the site.
    base: Arc<str>,
    /// The pages of the dashboard, once readers are counted.
    pages: Arc<OnceLock<Router>>,
}

/// The page of a deployment below a base path. `password_file` contains its password, unless the values name another
/// file.
pub(super) fn router(
    deployment: &Deployment,
    base: &str,
    password_file: Option<PathBuf>,
) -> Router {
    let page = AnalyticsPage {
        deployment: deployment.clone(),
        access: Arc::new(Access::new(password_file)),
        base: base.into(),
        pages: Arc::default(),
    };
    let path = page.path();
    Router::new()
        .route(&path, any(answer))
        .route(&format!("{path}/{{*rest}}"), any(answer))
        .with_state(page)
}

async fn answer(State(page): State<AnalyticsPage>, request: Request) -> Response {
    let is_asset = request.uri().path().starts_with(&format!("{}/assets/", page.path()));
    let file = page.deployment.analytics_password_file();
    let (parts, body) = request.into_parts();
    if !is_asset && let Some(refusal) = page.access.refuse(file, &parts).await {
        return refusal.response();
    }
    let request = Request::from_parts(parts, body);
    let Some(counted) = page.deployment.readers().counted() else {
        return error_page(
            StatusCode::NOT_FOUND,
            "No readers are counted. The site has no web analytics, or its database can't be opened. See the log.",
        );
    };
    let pages = match page.pages(counted) {
        Ok(pages) => pages,
        Err(error) => {
            tracing::error!(error = format!("{error:#}"), "page of analytics not available");
            return error_page(
                StatusCode::SERVICE_UNAVAILABLE,
                "The page isn't available. See the log.",
            );
        }
    };
    let Ok(response) = pages.oneshot(request).await;
    if response.status().is_success() {
        return page::secured(response);
    }
    error_page(response.status(), "The page doesn't exist, or can't be shown. Check the address.")
}

/// A small page that says what is wrong.
fn error_page(status: StatusCode, sentence: &str) -> Response {
    let body = html! {
        h1 { "Web analytics" }
        p { (sentence) }
    };
    page::page(status, "Web analytics", &body).into_response()
}

impl AnalyticsPage {
    fn path(&self) -> String {
        format!("{}{PATH}", self.base)
    }

    /// The pages of the dashboard over the database of the deployment.
    fn pages(&self, counted: &CountedReaders) -> anyhow::Result<Router> {
        if let Some(pages) = self.pages.get() {
            return Ok(pages.clone());
        }
        let operations = operations(counted)?;
        let caller = CliUser::of_process().caller("");
        let at = (&*self.path(), &*format!("{}/", self.base));
        let pages =
            docwright_dashboard::site_analytics(operations, caller, &counted.project_id, at);
        Ok(self.pages.get_or_init(|| pages).clone())
    }
}

/// Operations on the database of a deployment. It has no repositories and no bundles.
fn operations(counted: &CountedReaders) -> anyhow::Result<Operations> {
    let keyring = Keyring::of_process()?;
    let store = StoreSettings::in_folder(counted.folder.clone());
    let settings = (&store, &GitHostSettings::default());
    let repositories = repositories(settings, (&counted.database, &keyring), String::new())?;
    let scratch: &Path = &counted.folder.join(SCRATCH);
    let objects = Objects::open_folder(scratch, keyring)
        .with_context(|| format!("cannot create {}", scratch.display()))?;
    Ok(Operations::new(Resources::local(LocalResources {
        objects,
        repositories,
        site_origin: None,
        data: counted.folder.clone(),
        scratch: scratch.to_owned(),
        program: flows::program()?,
    })))
}
