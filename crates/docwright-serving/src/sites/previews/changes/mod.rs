//! The changes of a preview: a list of pages, and each of them before and after, side by side, with the differing
//! words marked. It works without scripts, and runs none of those that authors wrote: only its own, for keys.

mod compare;
mod html;
mod page;

use std::{
    sync::{Arc, LazyLock},
    time::Duration,
};

use axum::{
    extract::Request,
    http::{Method, StatusCode, Uri, header},
    response::{IntoResponse, Response},
};
use docwright_http::error::ApiError;
use docwright_operations::{OperationError, fair_limiter::FairLimiter};
use docwright_site::comparison::{Fate, PageChange, changed_pages};
use docwright_storage::database::ServedPreview;
use percent_encoding::percent_decode_str;

use super::Sites;

use crate::site::{Mount, OpenSite, answer};
use compare::{Compared, compare};

/// Path of the list. Each page is below it.
pub(super) const PATH: &str = "/_docwright/changes";
/// Path of files from before, such as replaced images.
const BEFORE: &str = "/_docwright/before/";
/// Simultaneous comparisons: in all, and of one preview.
static COMPARISONS: LazyLock<FairLimiter<String>> = LazyLock::new(|| FairLimiter::new(2, 1));
/// How long a request waits for its turn.
const PATIENCE: Duration = Duration::from_secs(10);

/// Whether an address belongs to this module.
pub(super) fn is_here(path: &str) -> bool {
    path.strip_prefix(PATH).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        || path.starts_with(BEFORE)
}

/// Answers a request to one of those addresses.
pub(super) async fn answer_changes(
    sites: &Sites,
    preview: &ServedPreview,
    site: Arc<OpenSite>,
    mut request: Request,
) -> Response {
    if request.method() != Method::GET && request.method() != Method::HEAD {
        return (StatusCode::METHOD_NOT_ALLOWED, [(header::ALLOW, "GET, HEAD")]).into_response();
    }
    let base = match &preview.base {
        Some(bundle) => match sites.open_site(bundle).await {
            Ok(site) => Some(site),
            Err(error) => return error.into_response(),
        },
        None => None,
    };
    let path = request.uri().path();
    if let Some(file) = path.strip_prefix(BEFORE) {
        let (Some(base), Ok(address)) = (base, format!("/{file}").parse::<Uri>()) else {
            return (StatusCode::NOT_FOUND, "File not found.\n").into_response();
        };
        *request.uri_mut() = address;
        return answer(&base, request, Mount::PLAIN).await;
    }
    let wanted = path.strip_prefix(PATH).unwrap_or_default().trim_matches('/');
    let Ok(wanted) = percent_decode_str(wanted).decode_utf8().map(String::from) else {
        return (StatusCode::NOT_FOUND, "Page not found.\n").into_response();
    };
    let Some(turn) = COMPARISONS.take(&preview.host, PATIENCE).await else {
        let sentence = "Too many comparisons are running. Try again soon.".to_owned();
        return ApiError::from(OperationError::Busy(sentence)).into_response();
    };
    let preview = preview.clone();
    let made = tokio::task::spawn_blocking(move || {
        let _turn = turn;
        let changes = changed_pages(base.as_ref().map(|base| base.bundle()), site.bundle());
        if wanted.is_empty() {
            return page::list(&preview, &changes, base.is_some());
        }
        match changes.iter().position(|change| change.path == wanted) {
            Some(place) => side_by_side((&preview, &changes), place, base.as_deref(), &site),
            None => page::unchanged(&preview, &wanted),
        }
    });
    made.await.unwrap_or_else(|error| {
        ApiError::from(OperationError::Internal(error.to_string())).into_response()
    })
}

fn side_by_side(
    (preview, changes): (&ServedPreview, &[PageChange]),
    place: usize,
    base: Option<&OpenSite>,
    site: &OpenSite,
) -> Response {
    let PageChange { path, fate, .. } = &changes[place];
    let read = |site: Option<&OpenSite>, path: &str| {
        site.and_then(|site| site.bundle().read_text(&format!("{path}.html")))
    };
    let (before, after) = match fate {
        Fate::Changed => (read(base, path), read(Some(site), path)),
        Fate::Added => (None, read(Some(site), path)),
        Fate::Moved { from } => (read(base, from), read(Some(site), path)),
        Fate::Removed => (read(base, path), None),
    };
    let from = if let Fate::Moved { from } = fate { from } else { path };
    let compared = match compare(before.as_deref(), after.as_deref()) {
        Compared::Sides { before, after } => Compared::Sides {
            before: before.map(|before| html::with_images_at(&before, &format!("{BEFORE}{from}"))),
            after,
        },
        Compared::TooLong => Compared::TooLong,
    };
    let sheets = after.as_deref().or(before.as_deref()).map(html::style_sheets);
    page::show((preview, changes, place), &sheets.unwrap_or_default(), &compared)
}
