//! Pages for previews without a site to show.

use axum::{
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
};
use docwright_http::{
    error::ApiError,
    page::{page, secured},
};
use docwright_operations::OperationError;
use docwright_storage::database::ServedPreview;
use maud::{Markup, html};

/// The source of a preview, for people.
pub(super) fn name(preview: &ServedPreview) -> String {
    match &preview.pull_request {
        Some((number, title)) => format!("{title} (#{number})"),
        None => preview.branch.clone(),
    }
}

/// A closed preview.
pub(super) fn closed(preview: &ServedPreview, headers: &HeaderMap) -> Response {
    let reason = preview.end.map_or("", |end| end.sentence());
    let sentence = format!("This preview is closed. {reason}");
    answer((StatusCode::GONE, ApiError::Gone(sentence)), headers, || {
        html! {
            p.place { "docwright" }
            h1 { "This preview is closed" }
            p { (reason) }
            @if preview.pull_request.is_some() {
                p { "The next push to an open pull request opens it again." }
            } @else {
                p { "A new preview of its branch opens it again." }
            }
        }
    })
}

/// A preview whose first release is not ready yet.
pub(super) fn not_ready(preview: &ServedPreview, headers: &HeaderMap) -> Response {
    let place = if preview.pull_request.is_some() {
        "its pull request"
    } else {
        "the previews of the project"
    };
    let sentence = format!("This preview isn't ready. See {place} for its state.");
    answer((StatusCode::NOT_FOUND, OperationError::NotFound(sentence).into()), headers, || {
        html! {
            p.place { (preview.project) }
            h1 { "This preview isn't ready yet" }
            p { "docwright builds it from " code { (preview.branch) } ". Reload this page in a minute." }
            p { "If this page doesn't change, the build failed. See " (place) " for the reason." }
        }
    })
}

/// The page for browsers, the sentence for other clients.
pub(super) fn answer(
    (status, error): (StatusCode, ApiError),
    headers: &HeaderMap,
    body: impl FnOnce() -> Markup,
) -> Response {
    let accept = headers.get(header::ACCEPT).and_then(|accept| accept.to_str().ok());
    if accept.is_some_and(|accept| accept.contains("text/html")) {
        return page(status, "Preview", &body());
    }
    secured(error.into_response())
}
