//! A request to a model's host, and its response: events, within limits of time and length.
//!
//! Redirects are not followed: the request contains a key, and the target isn't the host that the operator set.

use std::time::Duration;

use futures::{Stream, StreamExt};
use reqwest::{RequestBuilder, Response, header};
use serde_json::Value;
use tokio::time::{Instant, timeout_at};

/// Longest start of a response that errors quote, in bytes.
const KEPT: usize = 2_000;
/// Longest response that isn't a stream, in bytes. Errors are such responses.
const MAXIMUM_WHOLE: usize = 4 * 1024 * 1024;
/// Longest stream, in bytes: some hundred times the longest response of a model.
const MAXIMUM_STREAM: usize = 64 * 1024 * 1024;

/// Why a model returned no response.
#[derive(Debug)]
pub(super) enum Failure {
    /// The host is unreachable, or the connection was interrupted.
    Transport(reqwest::Error),
    /// It sent no data for too long.
    Silent,
    /// The stream is longer than the limit.
    TooLong,
    /// The stream ended before the response did.
    Truncated,
    /// An event isn't JSON.
    NotJson,
    /// An event reports an error: the whole event.
    Reported(Value),
    /// An error status, or success with another body than a response.
    Status(Box<Unexpected>),
}

/// An HTTP response that isn't an event stream.
#[derive(Debug)]
pub(super) struct Unexpected {
    pub(super) status: u16,
    pub(super) body: String,
    pub(super) location: Option<String>,
    /// Seconds to wait, as the host requested.
    pub(super) retry_after: Option<u64>,
}

/// The result of a request.
#[derive(Debug, Default)]
pub(super) struct Reply {
    /// Whether anything was received.
    pub(super) answered: bool,
    /// The content type.
    pub(super) content_type: String,
    /// Its start.
    pub(super) start: Vec<u8>,
}

impl Reply {
    fn keep(&mut self, bytes: &[u8]) {
        let room = KEPT.saturating_sub(self.start.len());
        self.start.extend_from_slice(&bytes[..bytes.len().min(room)]);
    }
}

/// A client for all connections.
pub(super) fn client() -> Result<reqwest::Client, String> {
    let client = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none());
    client.build().map_err(|error| format!("there is no HTTP client ({error})"))
}

/// One request, and how long its host can be silent.
#[derive(Debug)]
pub(super) struct Connection {
    silence: Duration,
    deadline: Instant,
    pub(super) reply: Reply,
}

impl Connection {
    pub(super) fn new(silence: Duration) -> Self {
        Self { silence, deadline: Instant::now() + silence, reply: Reply::default() }
    }

    /// Sends a request and passes each event of its response on, until `take` has all of it. `take` says whether
    /// an event is part of the response: keep-alive events are not. A host without streaming can send the whole
    /// response in one body. A stream that ends early is [`Failure::Truncated`], even with `[DONE]`.
    pub(super) async fn ask(
        &mut self,
        request: RequestBuilder,
        mut take: impl FnMut(Value) -> Result<Taken, Failure>,
    ) -> Result<(), Failure> {
        let response = self.before_deadline(request.send()).await?.map_err(Failure::Transport)?;
        let kind = response.headers().get(header::CONTENT_TYPE);
        let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        self.reply =
            Reply { answered: true, content_type: kind.to_ascii_lowercase(), ..Reply::default() };
        let kind = &self.reply.content_type;
        let is_stream = kind.is_empty() || kind.starts_with("text/event-stream");
        if !response.status().is_success() || !is_stream {
            let unexpected = self.unexpected(response).await?;
            let whole =
                serde_json::from_str(&unexpected.body).ok().filter(|_| unexpected.status < 300);
            return match whole.map(take) {
                Some(Ok(Taken::All)) => Ok(()),
                _ => Err(Failure::Status(Box::new(unexpected))),
            };
        }
        let mut events = Events::default();
        let (mut chunks, mut length) = (response.bytes_stream(), 0);
        while let Some(chunk) = self.next(&mut chunks).await? {
            length += chunk.len();
            if length > MAXIMUM_STREAM {
                return Err(Failure::TooLong);
            }
            events.push(&chunk);
            while let Some(event) = events.next() {
                if event.trim() == "[DONE]" {
                    return Err(Failure::Truncated);
                }
                match take(serde_json::from_str(&event).map_err(|_| Failure::NotJson)?)? {
                    Taken::All => return Ok(()),
                    Taken::Part => self.deadline = Instant::now() + self.silence,
                    Taken::Nothing => {}
                }
            }
        }
        Err(Failure::Truncated)
    }

    /// A response that isn't a stream. A long body is cut.
    async fn unexpected(&mut self, response: Response) -> Result<Unexpected, Failure> {
        let header = |name| {
            let value = response.headers().get(name)?.to_str().ok()?;
            Some(value.to_owned())
        };
        let (location, retry_after) = (header(header::LOCATION), header(header::RETRY_AFTER));
        let retry_after = retry_after.and_then(|seconds| seconds.parse().ok());
        let status = response.status().as_u16();
        let (mut chunks, mut body) = (response.bytes_stream(), Vec::new());
        while let Some(chunk) = self.next(&mut chunks).await? {
            body.extend_from_slice(&chunk);
            if body.len() >= MAXIMUM_WHOLE {
                break;
            }
        }
        let body = String::from_utf8_lossy(&body).into_owned();
        Ok(Unexpected { status, body, location, retry_after })
    }

    async fn next<B: AsRef<[u8]>>(
        &mut self,
        chunks: &mut (impl Stream<Item = reqwest::Result<B>> + Unpin),
    ) -> Result<Option<B>, Failure> {
        let chunk = self.before_deadline(chunks.next()).await?;
        let chunk = chunk.transpose().map_err(Failure::Transport)?;
        if let Some(chunk) = &chunk {
            self.reply.keep(chunk.as_ref());
        }
        Ok(chunk)
    }

    async fn before_deadline<T>(&self, waited: impl Future<Output = T>) -> Result<T, Failure> {
        timeout_at(self.deadline, waited).await.map_err(|_| Failure::Silent)
    }
}

/// Meaning of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Taken {
    /// Not part of the response.
    Nothing,
    /// A part of it.
    Part,
    /// The last part.
    All,
}

/// The data of server-sent events, from a stream of bytes.
/// <https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream>
#[derive(Debug, Default)]
struct Events {
    /// Bytes after the last complete line, and how many of them were searched for a line end.
    rest: Vec<u8>,
    searched: usize,
    data: String,
}

impl Events {
    fn push(&mut self, bytes: &[u8]) {
        self.rest.extend_from_slice(bytes);
    }

    /// The data of the next event with data.
    fn next(&mut self) -> Option<String> {
        let mut read = 0;
        let found = loop {
            let from = read.max(self.searched);
            let Some(end) = self.rest[from..].iter().position(|byte| *byte == b'\n') else {
                self.searched = self.rest.len();
                break None;
            };
            let line = String::from_utf8_lossy(&self.rest[read..from + end]);
            let line = line.trim_end_matches('\r');
            (read, self.searched) = (from + end + 1, 0);
            if let Some(data) = line.strip_prefix("data:") {
                if !self.data.is_empty() {
                    self.data.push('\n');
                }
                self.data.push_str(data.strip_prefix(' ').unwrap_or(data));
            } else if line.is_empty() {
                let data = std::mem::take(&mut self.data);
                if !data.trim().is_empty() {
                    break Some(data);
                }
            }
        };
        self.rest.drain(..read);
        self.searched = self.searched.saturating_sub(read);
        found
    }
}

#[cfg(test)]
mod tests {
    use super::Events;

    #[test]
    fn events_are_equal_for_any_chunk_size() {
        let stream = ": hello\r\n\r\nevent: x\r\ndata: one\r\n\r\ndata:two\ndata: lines\n\n\ndata: ä\n\ndata: [DONE]\n\ndata: cut";
        for size in [1, 2, 3, 7, stream.len()] {
            let mut events = Events::default();
            let mut found = Vec::new();
            for chunk in stream.as_bytes().chunks(size) {
                events.push(chunk);
                while let Some(event) = events.next() {
                    found.push(event);
                }
            }
            assert_eq!(found, ["one", "two\nlines", "ä", "[DONE]"], "{size}");
        }
    }
}
