//! Wraps the response of an API: its status and headers are text in headers of the contract, and its body is bytes
//! that a browser only downloads. So it can't act as a page of the site, whose origin it comes from.

use std::io;

use axum::{
    body::{Body, Bytes},
    http::{HeaderName, HeaderValue, header},
    response::{IntoResponse, Response},
};
use docwright_operations::fair_limiter::Turn;
use futures::{Stream, StreamExt, stream, stream::BoxStream};
use tokio::time::{Instant, timeout_at};

use super::{headers, refusal::Refusal};

/// The status of the API's response.
const STATUS: HeaderName = HeaderName::from_static("docwright-response-status");
/// Its headers.
const HEADERS: HeaderName = HeaderName::from_static("docwright-response-headers");

/// The response for the page. The body is passed on as it comes, up to a number of bytes and until a time.
pub(super) fn wrapped(
    response: reqwest::Response,
    (most, deadline): (u64, Instant),
    turn: Turn<String>,
) -> Result<Response, Refusal> {
    if response.content_length().is_some_and(|length| length > most) {
        return Err(Refusal::LongResponse);
    }
    let text = HeaderValue::from_static;
    let headers = [
        (STATUS, HeaderValue::from(response.status().as_u16())),
        (HEADERS, headers::written(response.headers())),
        (header::CONTENT_TYPE, text("application/octet-stream")),
        (header::CONTENT_DISPOSITION, text("attachment")),
        (header::X_CONTENT_TYPE_OPTIONS, text("nosniff")),
        (header::CONTENT_SECURITY_POLICY, text("sandbox; default-src 'none'")),
        (HeaderName::from_static("cross-origin-resource-policy"), text("same-origin")),
        (header::CACHE_CONTROL, text("no-store")),
    ];
    let body =
        Passing { body: Some(response.bytes_stream().boxed()), left: most, deadline, _turn: turn };
    Ok((headers, Body::from_stream(body.stream())).into_response())
}

/// A body on its way. Its turn ends with it.
struct Passing {
    body: Option<BoxStream<'static, reqwest::Result<Bytes>>>,
    left: u64,
    deadline: Instant,
    _turn: Turn<String>,
}

impl Passing {
    /// The pieces of the body. An error breaks the connection, so a cut body never looks complete.
    fn stream(self) -> impl Stream<Item = io::Result<Bytes>> {
        stream::unfold(self, |mut passing| async move {
            let piece = passing.next().await?;
            if piece.is_err() {
                passing.body = None;
            }
            Some((piece, passing))
        })
    }

    async fn next(&mut self) -> Option<io::Result<Bytes>> {
        let body = self.body.as_mut()?;
        let piece = match timeout_at(self.deadline, body.next()).await {
            Err(_) => Err(io::Error::new(io::ErrorKind::TimedOut, "the response takes too long")),
            Ok(None) => return None,
            Ok(Some(piece)) => piece.map_err(|error| io::Error::other(error.without_url())),
        };
        Some(piece.and_then(|piece| {
            let left = self.left.checked_sub(piece.len() as u64);
            self.left = left.ok_or_else(|| io::Error::other("the response is too long"))?;
            Ok(piece)
        }))
    }
}
