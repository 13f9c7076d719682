//! Answers where no site answers: a page that says why and what to do, or the same as a sentence for
//! programs.

use axum::{
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
};
use maud::{Markup, html};

use crate::{
    error::ApiError,
    page::{page, secured},
};

/// A host that is neither the service's nor a domain of a site.
pub(super) fn unknown_host(host: &str, headers: &HeaderMap) -> Response {
    let sentence = format!(
        "This is docwright, and {host} is no host that it knows: add the domain to a project, or set \
         --public-url if the service itself is to answer here."
    );
    answer(StatusCode::MISDIRECTED_REQUEST, ApiError::Misdirected(sentence), headers, || {
        html! {
            p.place { "docwright" }
            h1 { "Nothing is served at " (host) }
            p { "This is a docwright server. The address that you opened leads to it, but it knows no site of this name." }
            h2 { "If you run this server" }
            p { "To serve the site of a project here, add the domain:" }
            pre.code { "docwright admin domain create " (host) " --project PROJECT" }
            p { "To reach the API, the pull requests and git under this name, start the server with it:" }
            pre.code { "docwright serve --public-url https://" (host) }
        }
    })
}

/// A domain whose site has no active release yet.
pub(super) fn no_release(host: &str, headers: &HeaderMap) -> Response {
    let sentence = format!(
        "{host} is set up, but no release of its site is active yet: ask for an update of its project."
    );
    answer(StatusCode::NOT_FOUND, ApiError::NotFound(sentence), headers, || {
        html! {
            p.place { "docwright" }
            h1 { (host) " has no release yet" }
            p { "The domain is set up. Its site appears here as soon as its first release is ready." }
            h2 { "If this is your site" }
            p { "See how its releases are doing, and build the newest commit:" }
            pre.code { "docwright admin release list --project PROJECT\ndocwright admin release create --domain " (host) }
        }
    })
}

/// A path of a host whose sites all lie below other paths.
pub(super) fn outside(host: &str, headers: &HeaderMap) -> Response {
    let sentence = format!(
        "No site of {host} lies at this path: each is served below a base path, which addresses begin with."
    );
    answer(StatusCode::NOT_FOUND, ApiError::NotFound(sentence), headers, || {
        html! {
            p.place { "docwright" }
            h1 { "There is no site at this address" }
            p { "Sites of " (host) " are served below base paths, and this address begins with none of them." }
        }
    })
}

/// The page for browsers, the sentence for everyone else.
fn answer(
    status: StatusCode,
    error: ApiError,
    headers: &HeaderMap,
    body: impl FnOnce() -> Markup,
) -> Response {
    let accept = headers.get(header::ACCEPT).and_then(|accept| accept.to_str().ok());
    if accept.is_some_and(|accept| accept.contains("text/html")) {
        return page(status, "docwright", &body());
    }
    secured(error.into_response())
}
