//! Which answers are compressed, with gzip: the files of the dashboard, and pages of signed-in users.
//!
//! The length of a compressed page says something about its text. Where a page has a secret beside text that others
//! can choose, they could guess the secret from many lengths (BREACH). So pages with a secret are not compressed,
//! nor are answers to forms, nor pages without navigation, which have tokens of links.

use std::io::{self, Write};

use axum::{
    body::{Body, Bytes, to_bytes},
    extract::Request,
    http::{HeaderMap, HeaderValue, Method, header},
    middleware::Next,
    response::Response,
};
use flate2::{Compression, write::GzEncoder};

/// Bytes below which compression gains nothing.
const SMALL: usize = 1024;
/// Kinds of text that are compressed. All are complete when they are sent; downloads are not.
const KINDS: [&str; 4] = ["text/html", "text/css", "text/javascript", "image/svg+xml"];

/// Marks an answer with a secret.
#[derive(Debug, Clone, Copy)]
pub(super) struct Uncompressed;

/// Compresses the answer, if it has no secret and the client accepts it.
pub(super) async fn compress(request: Request, next: Next) -> Response {
    let can_have_secret = request.method() != Method::GET;
    let is_accepted = accepts_gzip(request.headers());
    let mut response = next.run(request).await;
    let is_secret = can_have_secret || response.extensions().get::<Uncompressed>().is_some();
    if is_secret || !is_text(response.headers()) {
        return response;
    }
    response.headers_mut().append(header::VARY, HeaderValue::from_name(header::ACCEPT_ENCODING));
    if !is_accepted {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    let Ok(bytes) = to_bytes(body, usize::MAX).await else {
        // Such a text is complete, so this can't fail.
        return Response::from_parts(parts, Body::empty());
    };
    if bytes.len() < SMALL {
        return Response::from_parts(parts, bytes.into());
    }
    let text = bytes.clone();
    // A long change takes a while.
    let packed = tokio::task::spawn_blocking(move || gzip(&text)).await;
    let body = match packed {
        Ok(Ok(packed)) => {
            parts.headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
            parts.headers.remove(header::CONTENT_LENGTH);
            Bytes::from(packed)
        }
        _ => bytes,
    };
    Response::from_parts(parts, body.into())
}

fn gzip(text: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::with_capacity(text.len() / 4), Compression::default());
    encoder.write_all(text)?;
    encoder.finish()
}

fn is_text(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    kind.is_some_and(|kind| KINDS.iter().any(|text| kind.starts_with(text)))
        && !headers.contains_key(header::CONTENT_ENCODING)
}

fn accepts_gzip(headers: &HeaderMap) -> bool {
    let lines =
        headers.get_all(header::ACCEPT_ENCODING).iter().filter_map(|line| line.to_str().ok());
    lines.flat_map(|line| line.split(',')).any(|part| {
        let (coding, weight) = part.split_once(';').unwrap_or((part, ""));
        let weight = weight.trim().trim_start_matches("q=").parse::<f32>().unwrap_or(1.0);
        matches!(coding.trim().to_ascii_lowercase().as_str(), "gzip" | "*") && weight > 0.0
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gzip_is_sent_only_where_it_is_accepted() {
        for (accepted, is) in [
            ("gzip, deflate, br", true),
            ("br;q=1.0, GZIP;q=0.1", true),
            ("*", true),
            ("gzip;q=0", false),
            ("gzip; q=0.0, br", false),
            ("br", false),
            ("", false),
        ] {
            let line = HeaderValue::from_str(accepted).unwrap();
            let headers = HeaderMap::from_iter([(header::ACCEPT_ENCODING, line)]);
            assert_eq!(accepts_gzip(&headers), is, "{accepted}");
        }
    }
}
