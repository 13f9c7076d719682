//! HTTP server of `docwright dev`: pages with an overlay, unchanged files, and the event stream.

use std::{convert::Infallible, sync::Arc};

use axum::{
    Router,
    extract::State,
    http::{StatusCode, Uri, header},
    response::{
        IntoResponse, Response,
        sse::{Event, KeepAlive, Sse},
    },
    routing::get,
};
use futures::{Stream, StreamExt};
use percent_encoding::percent_decode_str;
use tokio_stream::wrappers::WatchStream;

use super::{Built, Preview, overlay};

/// The routes of the dev server.
pub(super) fn router(preview: Arc<Preview>) -> Router {
    Router::new().route("/_docwright/dev/events", get(events)).fallback(file).with_state(preview)
}

async fn events(
    State(preview): State<Arc<Preview>>,
) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    // The first value is the version that the page was built from.
    let changes = WatchStream::new(preview.version.subscribe()).skip(1);
    Sse::new(changes.map(|version| Ok(Event::default().event("reload").data(version.to_string()))))
        .keep_alive(KeepAlive::default())
}

async fn file(State(preview): State<Arc<Preview>>, uri: Uri) -> Response {
    let built = preview.snapshot();
    let path = percent_decode_str(uri.path()).decode_utf8_lossy();
    match find(&built, path.trim_matches('/')) {
        Some((path, contents)) => respond(StatusCode::OK, &built, path, contents),
        None => match built.files.get_key_value("404.html") {
            Some((path, contents)) => respond(StatusCode::NOT_FOUND, &built, path, contents),
            None => (StatusCode::NOT_FOUND, "not found").into_response(),
        },
    }
}

/// The file of a path: exact, with `.html`, or the index of a folder.
fn find<'a>(built: &'a Built, path: &str) -> Option<(&'a String, &'a Arc<[u8]>)> {
    let index =
        if path.is_empty() { "index.html".to_owned() } else { format!("{path}/index.html") };
    let candidates = [path.to_owned(), format!("{path}.html"), index];
    candidates.iter().find_map(|candidate| built.files.get_key_value(candidate))
}

fn respond(status: StatusCode, built: &Built, path: &str, contents: &[u8]) -> Response {
    let kind = mime_guess::from_path(path).first_or_octet_stream();
    let kind =
        if kind.type_() == "text" { format!("{kind}; charset=utf-8") } else { kind.to_string() };
    let headers = [(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, "no-store".to_owned())];
    let body = if path.ends_with(".html") {
        overlay::add(contents, built, path)
    } else {
        contents.to_vec()
    };
    (status, headers, body).into_response()
}
