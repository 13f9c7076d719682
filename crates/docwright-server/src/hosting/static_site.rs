//! A folder of a built site over HTTP.
//!
//! Addresses work with and without `.html`; redirects of the manifest are answered as such; what is
//! not there is `404.html` with status 404. Ranges, HEAD and conditional requests are understood.
//! Agents get pages as Markdown if they ask for it, and a server of their own protocol.

use std::path::{Path, PathBuf};

use axum::{
    body::Body,
    extract::Request,
    http::{HeaderValue, Method, StatusCode, header},
    response::{IntoResponse, Redirect, Response},
};
use docwright_site::{bundle::Manifest, content::redirects, source::is_safe_path};
use percent_encoding::percent_decode_str;
use tower::ServiceExt;
use tower_http::services::ServeFile;

use super::mcp;

/// What agents find on every page, as addresses of this host (RFC 8288).
const LINKS: &str = "</llms.txt>; rel=\"llms-txt\", </llms-full.txt>; rel=\"llms-full-txt\", \
    </.well-known/agent-skills/index.json>; rel=\"agent-skills\", \
    </.well-known/mcp/server-card.json>; rel=\"mcp-server-card\"";

/// What a host does besides giving files. Pages learn of it from the `Server-Timing` header, which
/// scripts can read, so that nothing is asked for in vain where a site is files only.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Offers(&'static str);

impl Offers {
    /// The server for agents.
    pub(crate) const PLAIN: Self = Self("mcp;desc=\"/mcp\"");
    /// That, and a place for the answers of readers.
    pub(super) const WITH_FEEDBACK: Self =
        Self("mcp;desc=\"/mcp\", feedback;desc=\"/_docwright/feedback\"");
}

/// Answers a request from a site's folder.
pub(crate) async fn serve(folder: &Path, request: Request, offers: Offers) -> Response {
    if request.uri().path() == mcp::PATH {
        return mcp::answer(folder, request).await;
    }
    if request.method() != Method::GET && request.method() != Method::HEAD {
        return (StatusCode::METHOD_NOT_ALLOWED, [(header::ALLOW, "GET, HEAD")]).into_response();
    }
    let path = percent_decode_str(request.uri().path()).decode_utf8_lossy().into_owned();
    if let Some(response) = mcp::discovery(folder, &path) {
        return response;
    }
    if let Some(file) = find(folder, path.trim_matches('/')) {
        let wants_markdown = wants_markdown(&request);
        return send(&preferred(file, wants_markdown), request, offers).await;
    }
    if let Some(redirect) = redirect(folder, &path) {
        return redirect;
    }
    let mut response = send(&folder.join("404.html"), request, offers).await;
    *response.status_mut() = StatusCode::NOT_FOUND;
    response
}

/// The file of an address: as it is, with `.html`, or the index of the site.
fn find(folder: &Path, path: &str) -> Option<PathBuf> {
    if path.is_empty() {
        return Some(folder.join("index.html")).filter(|file| file.is_file());
    }
    [path.to_owned(), format!("{path}.html")].iter().find_map(|path| file(folder, path))
}

/// The file at a path of the site, which can't lead out of its folder.
pub(super) fn file(folder: &Path, path: &str) -> Option<PathBuf> {
    is_safe_path(path).then(|| folder.join(path)).filter(|file| file.is_file())
}

/// Whether a program asks for text rather than for a page, as <https://llmstxt.org> proposes.
fn wants_markdown(request: &Request) -> bool {
    let accept = request.headers().get(header::ACCEPT).and_then(|accept| accept.to_str().ok());
    accept.is_some_and(|accept| {
        !accept.contains("text/html")
            && (accept.contains("text/markdown") || accept.contains("text/plain"))
    })
}

/// A page, or its Markdown version if that is wanted.
fn preferred(file: PathBuf, wants_markdown: bool) -> PathBuf {
    let markdown = file.with_extension("md");
    let is_page = file.extension().is_some_and(|extension| extension == "html");
    if wants_markdown && is_page && markdown.is_file() { markdown } else { file }
}

async fn send(file: &Path, request: Request, offers: Offers) -> Response {
    let html = file.extension().is_some_and(|extension| extension == "html");
    let Ok(served) = ServeFile::new(file).oneshot(request).await;
    let mut response = served.map(Body::new);
    let headers = response.headers_mut();
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(
        header::REFERRER_POLICY,
        HeaderValue::from_static("strict-origin-when-cross-origin"),
    );
    headers.insert(
        header::CACHE_CONTROL,
        HeaderValue::from_static(if html { "no-cache" } else { "public, max-age=300" }),
    );
    let markdown = file.extension().is_some_and(|extension| extension == "md");
    if html || markdown {
        headers.insert(header::VARY, HeaderValue::from_static("accept"));
        headers.insert(header::LINK, HeaderValue::from_static(LINKS));
        headers.insert("x-llms-txt", HeaderValue::from_static("/llms.txt"));
        let kind = if html { "text/html; charset=utf-8" } else { "text/markdown; charset=utf-8" };
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    }
    if html {
        headers.insert("server-timing", HeaderValue::from_static(offers.0));
    }
    response
}

/// Redirects with wildcards have no page of their own; the manifest lists them.
fn redirect(folder: &Path, path: &str) -> Option<Response> {
    let manifest = Manifest::read(folder)?;
    let (destination, permanent) = redirects::apply(&manifest.about.redirects, path)?;
    Some(if permanent {
        Redirect::permanent(&destination).into_response()
    } else {
        Redirect::temporary(&destination).into_response()
    })
}
