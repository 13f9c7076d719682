//! Previews: unpublished sites at unguessable hosts.
//!
//! Search engines are excluded, nothing is cached longer than the preview exists, and feedback is refused. A
//! closed preview shows a notice.

mod access;
mod changes;
mod pages;

pub use access::Access;

use std::{
    collections::HashMap,
    sync::{Arc, RwLock},
};

use axum::{
    extract::Request,
    http::{HeaderName, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use docwright_storage::database::ServedPreview;
use docwright_types::preview::PreviewState;

use super::{Hosted, Sites};
use crate::site::{Mount, answer};

const ROBOTS: &str = "User-agent: *\nDisallow: /\n";
const X_ROBOTS_TAG: HeaderName = HeaderName::from_static("x-robots-tag");

/// The previews of an instance, by their hosts.
#[derive(Debug, Default)]
pub(super) struct Previews(RwLock<HashMap<String, Arc<ServedPreview>>>);

impl Previews {
    pub(super) fn get(&self, host: &str) -> Option<Arc<ServedPreview>> {
        self.0.read().ok()?.get(host).cloned()
    }

    /// Takes over the state of the database.
    pub(super) fn update(&self, all: Vec<ServedPreview>) {
        let all = all.into_iter().map(|each| (each.host.clone(), Arc::new(each)));
        if let Ok(mut previews) = self.0.write() {
            *previews = all.collect();
        }
    }
}

impl Sites {
    /// The preview at a host, open or closed. The name is in lower case.
    pub fn preview(&self, host: &str) -> Option<Arc<ServedPreview>> {
        self.previews.get(host)
    }

    /// Answers a request to a preview.
    pub async fn answer_preview(&self, preview: &ServedPreview, request: Request) -> Response {
        confined(self.answer_of_preview(preview, request).await)
    }

    async fn answer_of_preview(&self, preview: &ServedPreview, request: Request) -> Response {
        if request.uri().path() == "/robots.txt" {
            return ([(header::CONTENT_TYPE, "text/plain; charset=utf-8")], ROBOTS).into_response();
        }
        if preview.state == PreviewState::Closed {
            return pages::closed(preview, request.headers());
        }
        let request =
            match self.access.admit((&self.database, preview), request, self.clock.now()).await {
                Ok(request) => request,
                Err(answer) => return answer,
            };
        let path = request.uri().path();
        let Hosted::Release(serving, _) = self.at(&preview.host, "/") else {
            return pages::not_ready(preview, request.headers());
        };
        // A sitemap would list pages that must not be indexed.
        if path == "/sitemap.xml" {
            return (StatusCode::NOT_FOUND, "Previews have no sitemap.\n").into_response();
        }
        let is_changes = changes::is_here(path);
        match self.open_site(&serving.bundle).await {
            Ok(site) if is_changes => changes::answer_changes(self, preview, site, request).await,
            Ok(site) => {
                let proxy = Some((&self.proxy, preview.host.as_str()));
                let mount = Mount { proxy, changes: Some(changes::PATH), ..Mount::PLAIN };
                answer(&site, request, mount).await
            }
            Err(error) => error.into_response(),
        }
    }
}

/// Adds headers to an answer of a preview that keep it to people with its address.
fn confined(mut response: Response) -> Response {
    let headers = response.headers_mut();
    headers.insert(X_ROBOTS_TAG, HeaderValue::from_static("noindex, nofollow"));
    // A copy can be reused only after checking that the preview still exists.
    let cached = headers.get(header::CACHE_CONTROL);
    if cached.is_none_or(|value| value != "no-store") {
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
    }
    // Its address works like a key: other hosts must not learn it from links.
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("same-origin"));
    response
}
