//! Answers with contents, or with the requested parts of them (RFC 9110, section 14), for files of sites and for
//! bundles behind links.

mod chunks;
mod conditions;

use std::{
    fs::File,
    io::{self, Read, Seek, SeekFrom},
    ops::Range,
    path::{Path, PathBuf},
    time::UNIX_EPOCH,
};

use axum::{
    body::Body,
    http::{HeaderMap, HeaderValue, Method, StatusCode, header, request::Parts},
    response::{IntoResponse, Response},
};
use futures::{StreamExt, stream};
use sha2::{Digest, Sha256};

use conditions::RequestedRange;

pub use chunks::chunks;
pub use conditions::{Condition, evaluate};

/// Contents with random access.
pub trait Contents: Sync {
    /// Length in bytes.
    fn size(&self) -> u64;

    /// A range of the contents.
    fn part(&self, range: Range<u64>) -> impl Future<Output = io::Result<Body>> + Send;
}

/// Answers with contents that have a strong tag, or with the ranges that a GET requests.
pub async fn send(
    contents: &impl Contents,
    tag: &str,
    request: &Parts,
    mut headers: HeaderMap,
) -> io::Result<Response> {
    let size = contents.size();
    headers.insert(header::ACCEPT_RANGES, HeaderValue::from_static("bytes"));
    if request.method == Method::HEAD {
        headers.insert(header::CONTENT_LENGTH, size.into());
        return Ok(with(StatusCode::OK, headers, Body::empty()));
    }
    match conditions::wanted(&request.headers, tag, size) {
        RequestedRange::Whole => {
            headers.insert(header::CONTENT_LENGTH, size.into());
            Ok(with(StatusCode::OK, headers, contents.part(0..size).await?))
        }
        RequestedRange::Part(range) => {
            headers.insert(header::CONTENT_RANGE, value(&place(&range, size))?);
            headers.insert(header::CONTENT_LENGTH, (range.end - range.start).into());
            Ok(with(StatusCode::PARTIAL_CONTENT, headers, contents.part(range).await?))
        }
        RequestedRange::Parts(ranges) => several(contents, tag, &ranges, headers).await,
        RequestedRange::Beyond => {
            let place = [(header::CONTENT_RANGE, format!("bytes */{size}"))];
            Ok((StatusCode::RANGE_NOT_SATISFIABLE, place).into_response())
        }
    }
}

/// Several parts in one body (section 14.6).
async fn several(
    contents: &impl Contents,
    tag: &str,
    ranges: &[Range<u64>],
    mut headers: HeaderMap,
) -> io::Result<Response> {
    // Contents can't contain a text derived from their own hash.
    let boundary = format!("docwright-{}", &hex::encode(Sha256::digest(tag))[..32]);
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    let kind = kind.unwrap_or("application/octet-stream").to_owned();
    let (mut bodies, mut length) = (Vec::new(), 0);
    for range in ranges {
        let place = place(range, contents.size());
        let head =
            format!("\r\n--{boundary}\r\ncontent-type: {kind}\r\ncontent-range: {place}\r\n\r\n");
        length += head.len() as u64 + (range.end - range.start);
        bodies.extend([Body::from(head), contents.part(range.clone()).await?]);
    }
    let end = format!("\r\n--{boundary}--\r\n");
    length += end.len() as u64;
    bodies.push(Body::from(end));
    let kind = value(&format!("multipart/byteranges; boundary={boundary}"))?;
    headers.insert(header::CONTENT_TYPE, kind);
    headers.insert(header::CONTENT_LENGTH, length.into());
    let body = Body::from_stream(stream::iter(bodies).flat_map(Body::into_data_stream));
    Ok(with(StatusCode::PARTIAL_CONTENT, headers, body))
}

/// A file on disk whose contents never change under its name. These headers are added.
pub async fn send_file(
    path: PathBuf,
    request: &Parts,
    mut headers: HeaderMap,
) -> io::Result<Response> {
    let read = {
        let path = path.clone();
        tokio::task::spawn_blocking(move || tag_of(&path)).await
    };
    let (size, tag) = read.map_err(io::Error::other)??;
    headers.insert(header::ETAG, value(&tag)?);
    match evaluate(&request.headers, &tag) {
        Condition::Met => send(&OnDisk { path, size }, &tag, request, headers).await,
        Condition::NotModified => Ok(with(StatusCode::NOT_MODIFIED, headers, Body::empty())),
        Condition::Failed => Ok(with(StatusCode::PRECONDITION_FAILED, headers, Body::empty())),
    }
}

/// The length of a file, and a tag that a replacement of the file would not have.
fn tag_of(path: &Path) -> io::Result<(u64, String)> {
    let file = std::fs::metadata(path)?;
    if !file.is_file() {
        return Err(io::ErrorKind::NotFound.into());
    }
    let written = file.modified()?.duration_since(UNIX_EPOCH).unwrap_or_default();
    let print = format!("{}\n{}\n{}", path.display(), file.len(), written.as_nanos());
    Ok((file.len(), format!("\"{}\"", hex::encode(Sha256::digest(print)))))
}

struct OnDisk {
    path: PathBuf,
    size: u64,
}

impl Contents for OnDisk {
    fn size(&self) -> u64 {
        self.size
    }

    async fn part(&self, range: Range<u64>) -> io::Result<Body> {
        let path = self.path.clone();
        let opened = tokio::task::spawn_blocking(move || {
            let mut file = File::open(path)?;
            file.seek(SeekFrom::Start(range.start))?;
            io::Result::Ok(file.take(range.end - range.start))
        });
        Ok(chunks(opened.await.map_err(io::Error::other)??))
    }
}

/// The position of a part in the whole.
fn place(range: &Range<u64>, size: u64) -> String {
    format!("bytes {}-{}/{size}", range.start, range.end - 1)
}

fn value(text: &str) -> io::Result<HeaderValue> {
    HeaderValue::try_from(text).map_err(io::Error::other)
}

/// The response with several parts.
pub fn with(status: StatusCode, headers: HeaderMap, body: Body) -> Response {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    *response.headers_mut() = headers;
    response
}
