//! Answers for hosts without a site: a page with the reason and the remedy, or the same as a sentence for
//! programs.

use axum::{
    http::{HeaderMap, StatusCode},
    response::{IntoResponse, Response},
};
use docwright_http::{
    error::ApiError,
    page::{page, secured},
};
use docwright_operations::OperationError;
use maud::{Markup, html};

/// A host that belongs neither to the service nor to a site.
pub(super) fn unknown_host(host: &str, headers: &HeaderMap) -> Response {
    let sentence = format!(
        "{host} is an unknown host. Add the domain to a project, or set --public-url to serve the API here."
    );
    answer(StatusCode::MISDIRECTED_REQUEST, ApiError::Misdirected(sentence), headers, || {
        html! {
            p.place { "docwright" }
            h1 { "Unknown host: " (host) }
            p { "This docwright server has no site for this hostname." }
            h2 { "If you are the operator" }
            p { "To serve the site of a project here, add the domain:" }
            pre.code { "docwright admin domain create " (host) " --project PROJECT" }
            p { "To serve the dashboard, the API, and git at this hostname, start the server with this option:" }
            pre.code { "docwright serve --public-url https://" (host) }
        }
    })
}

/// A domain whose site has no active release yet.
pub(super) fn no_release(host: &str, headers: &HeaderMap) -> Response {
    let sentence = format!("{host} has no active release yet. Publish its project.");
    answer(StatusCode::NOT_FOUND, OperationError::NotFound(sentence).into(), headers, || {
        html! {
            p.place { "docwright" }
            h1 { (host) " has no release yet" }
            p { "The site appears here when its first release is ready." }
            h2 { "If this is your site" }
            p { "Check its releases, and build the latest commit:" }
            pre.code { "docwright admin release list --project PROJECT\ndocwright admin release create --domain " (host) }
        }
    })
}

/// A path on a host whose sites are all below other paths.
pub(super) fn outside(host: &str, headers: &HeaderMap) -> Response {
    let sentence =
        format!("{host} has no site at this path. Use a path below the base path of a site.");
    answer(StatusCode::NOT_FOUND, OperationError::NotFound(sentence).into(), headers, || {
        html! {
            p.place { "docwright" }
            h1 { "No site at this path" }
            p { "The sites of " (host) " are below base paths, and this URL isn't below any of them." }
        }
    })
}

/// The page for browsers, the sentence for other clients.
fn answer(
    status: StatusCode,
    error: ApiError,
    headers: &HeaderMap,
    body: impl FnOnce() -> Markup,
) -> Response {
    if super::is_browser(headers) {
        return page(status, "docwright", &body());
    }
    secured(error.into_response())
}
