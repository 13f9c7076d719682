//! Heads of requests that are too large. hyper answers them with a status and nothing else, before anybody else
//! sees the request; here that answer gets the body of every other error. A client that is still sending gets to
//! read it.

use std::{
    fmt::Write,
    io::{self, IoSlice},
    pin::Pin,
    task::{Context, Poll, ready},
};

use axum::{
    body::Bytes,
    http::{HeaderValue, header},
    response::{IntoResponse, Response},
};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::MAXIMUM_HEAD;
use crate::{
    error::ApiError,
    page,
    request::{REQUEST_ID, new_id},
};

/// How hyper's own answer begins.
const BARE: &[u8] = b"HTTP/1.1 431 ";
/// So much of what a client still sends is read and dropped: closing a connection that is being written to
/// resets it, and the client may never see the answer. Bytes.
const DRAINED: usize = 1024 * 1024;

/// The answer to a request whose head is too large.
pub(super) fn refused() -> Response {
    let (id, status) = (new_id(), ApiError::HeadTooLarge.status());
    let request_id = id.to_str().unwrap_or_default();
    tracing::info!(request_id, status = status.as_u16(), "answered");
    let mut response = page::secured(ApiError::HeadTooLarge.into_response());
    response.headers_mut().insert(REQUEST_ID, id);
    response
}

/// Whether the head of a request of HTTP/2 is too large, by what it takes without compression (RFC 9113,
/// section 6.5.2).
pub(super) fn is_too_large<B>(request: &hyper::Request<B>) -> bool {
    const OF_A_FIELD: usize = 32;
    let uri = request.uri();
    let path = uri.path_and_query().map_or(0, |path| path.as_str().len());
    let authority = uri.authority().map_or(0, |authority| authority.as_str().len());
    let fields = request.headers().iter();
    let fields = fields.map(|(name, value)| name.as_str().len() + value.len() + OF_A_FIELD);
    path + authority + fields.sum::<usize>() > MAXIMUM_HEAD
}

/// The bytes of a connection of HTTP/1.1.
#[derive(Debug)]
pub(super) struct Heads<S> {
    inner: S,
    /// What is left to send of the answer in place of hyper's.
    answer: Option<Bytes>,
    drained: usize,
}

impl<S: AsyncRead + AsyncWrite + Unpin> Heads<S> {
    pub(super) const fn new(inner: S) -> Self {
        Self { inner, answer: None, drained: 0 }
    }

    /// Whether these bytes are hyper's answer, or follow it.
    fn replaces(&mut self, bytes: &[u8]) -> bool {
        if self.answer.is_none() && bytes.starts_with(BARE) {
            self.answer = Some(written(&refused()));
        }
        self.answer.is_some()
    }

    fn poll_answer(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        while let Some(rest) = self.answer.as_mut().filter(|rest| !rest.is_empty()) {
            let sent = ready!(Pin::new(&mut self.inner).poll_write(context, rest))?;
            if sent == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            drop(rest.split_to(sent));
        }
        Poll::Ready(Ok(()))
    }

    /// Reads what the client still sends, up to a bound.
    fn poll_drain(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let mut buffer = [0; 8 * 1024];
        while self.drained < DRAINED {
            let mut read = ReadBuf::new(&mut buffer);
            match ready!(Pin::new(&mut self.inner).poll_read(context, &mut read)) {
                Ok(()) if !read.filled().is_empty() => self.drained += read.filled().len(),
                _ => break,
            }
        }
        Poll::Ready(())
    }
}

/// An answer as HTTP/1.1 has it. Its connection ends with it.
fn written(response: &Response) -> Bytes {
    let body = ApiError::HeadTooLarge.body();
    let mut head = format!("HTTP/1.1 {}\r\n", response.status());
    let own = [
        (header::CONTENT_LENGTH, HeaderValue::from(body.len())),
        (header::CONNECTION, HeaderValue::from_static("close")),
    ];
    let kept = response.headers().iter().filter(|(name, _)| *name != header::CONTENT_LENGTH);
    for (name, value) in kept.chain(own.iter().map(|(name, value)| (name, value))) {
        let _infallible = write!(head, "{name}: {}\r\n", value.to_str().unwrap_or_default());
    }
    Bytes::from(format!("{head}\r\n{body}"))
}

impl<S: AsyncRead + Unpin> AsyncRead for Heads<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_read(context, buffer)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Heads<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        if self.replaces(bytes) {
            return Poll::Ready(Ok(bytes.len()));
        }
        Pin::new(&mut self.inner).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        if self.replaces(parts.first().map_or(&[], |part| part)) {
            return Poll::Ready(Ok(parts.iter().map(|part| part.len()).sum()));
        }
        Pin::new(&mut self.inner).poll_write_vectored(context, parts)
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_answer(context))?;
        Pin::new(&mut self.inner).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_answer(context))?;
        ready!(Pin::new(&mut self.inner).poll_shutdown(context))?;
        if self.answer.is_some() {
            ready!(self.poll_drain(context));
        }
        Poll::Ready(Ok(()))
    }
}
