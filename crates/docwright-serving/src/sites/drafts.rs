//! Hosts of drafts: below the domain of previews, each shows the pages of one domain's active release, and compiles
//! texts of them that aren't saved.
//!
//! Scripts of pages run in an origin of their own, without storage or cookies, so they can't read other drafts.

mod page;

use std::{
    collections::HashMap,
    sync::{Arc, RwLock},
};

use axum::{
    body::to_bytes,
    extract::Request,
    http::{HeaderName, HeaderValue, Method, StatusCode, header},
    response::{Html, IntoResponse, Response},
};
use docwright_http::error::ApiError;
use docwright_operations::{
    OperationError, Operations,
    pages::{DraftHosts, preview_draft},
};
use url::form_urlencoded;

use super::Sites;
use crate::site::{Mount, answer};

/// Longest form, in bytes. The text in it has its own limit, and each of its bytes can take three.
const MAXIMUM_FORM: usize = 2 * 1024 * 1024;
/// Pages run scripts, but not in the origin of their host: no storage, no cookies, no service worker.
const SANDBOX: HeaderValue = HeaderValue::from_static("sandbox allow-scripts allow-popups");
const X_ROBOTS_TAG: HeaderName = HeaderName::from_static("x-robots-tag");

/// The hosts of drafts, and their domains.
#[derive(Debug)]
pub struct Drafts {
    /// How hosts are named; `None` if the instance has no previews.
    hosts: Option<DraftHosts>,
    /// Domains by host.
    domains: RwLock<HashMap<String, Arc<str>>>,
}

impl Drafts {
    /// No domains yet.
    pub fn new(operations: &Operations) -> Self {
        Self { hosts: DraftHosts::of(operations), domains: RwLock::default() }
    }

    /// The domain of a host.
    pub(super) fn domain(&self, host: &str) -> Option<Arc<str>> {
        self.domains.read().ok()?.get(host).cloned()
    }

    /// Takes over the names of all domains.
    pub(super) fn update(&self, names: impl Iterator<Item = String>) {
        let (Some(hosts), Ok(mut domains)) = (&self.hosts, self.domains.write()) else { return };
        let mut known: HashMap<Arc<str>, String> =
            domains.drain().map(|(host, domain)| (domain, host)).collect();
        for name in names {
            let host = known.remove(name.as_str()).unwrap_or_else(|| hosts.host(&name));
            domains.insert(host, name.into());
        }
    }
}

impl Sites {
    /// Names the hosts of drafts of all domains. A preview has none.
    pub(super) fn update_drafts(&self) {
        let names = self.domains.names().into_iter();
        self.drafts.update(names.filter(|name| self.previews.get(name).is_none()));
    }

    /// The domain whose drafts a host shows. The name is in lower case.
    pub fn draft_domain(&self, host: &str) -> Option<Arc<str>> {
        self.drafts.domain(host)
    }

    /// Answers a request to the host of a domain's drafts.
    pub async fn answer_draft(
        &self,
        operations: &Operations,
        domain: &str,
        request: Request,
    ) -> Response {
        let response = if request.method() == Method::POST {
            compiled(operations, domain, request).await
        } else {
            self.published(domain, request).await
        };
        confined(response)
    }

    /// A page or another file of the active release.
    async fn published(&self, domain: &str, request: Request) -> Response {
        let Some(serving) = self.domains.serving(domain) else {
            return (StatusCode::NOT_FOUND, "This site has no active release.\n").into_response();
        };
        match self.open_site(&serving.bundle).await {
            Ok(site) => answer(&site, request, Mount::PLAIN).await,
            Err(error) => error.into_response(),
        }
    }
}

/// The page of a text that someone writes.
async fn compiled(operations: &Operations, domain: &str, request: Request) -> Response {
    let Ok(form) = to_bytes(request.into_body(), MAXIMUM_FORM).await else {
        return page::refused(ApiError::TooLarge);
    };
    let field = |name: &str| {
        let found = form_urlencoded::parse(&form).find(|(each, _)| each == name);
        found.map(|(_, value)| value.into_owned()).unwrap_or_default()
    };
    let (access, text) = (field("draft"), field("text"));
    let scrolled = field("scrolled").parse().unwrap_or_default();
    if text.contains('\0') {
        let sentence = "`text` contains a NUL character; remove it.".to_owned();
        return page::refused(OperationError::Invalid(sentence).into());
    }
    match preview_draft(operations, (domain, &access), text).await {
        Ok(compiled) => {
            let headers = [(header::CACHE_CONTROL, HeaderValue::from_static("no-store"))];
            (headers, Html(page::with_diagnostics(compiled, scrolled))).into_response()
        }
        Err(error) => page::refused(error.into()),
    }
}

/// Adds headers that keep a draft to its frame.
fn confined(mut response: Response) -> Response {
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_SECURITY_POLICY, SANDBOX);
    headers.insert(X_ROBOTS_TAG, HeaderValue::from_static("noindex, nofollow"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    // A sandboxed page has an opaque origin, and its fonts must still load.
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    let cached = headers.get(header::CACHE_CONTROL);
    if cached.is_none_or(|value| value != "no-store") {
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
    }
    response
}
