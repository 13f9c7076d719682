//! The bodies of a connection: of a request, which can arrive too slowly, and of an answer, whose end is the end
//! of the answer.

use std::{
    io,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use axum::body::{Body, Bytes};
use hyper::body::{Body as HttpBody, Frame, Incoming, SizeHint};

use super::{connection::Connection, exchange::Exchange};

/// Bytes of a response that are handed over in one piece if the client announces how much it takes. A piece is
/// done when the next one is requested.
const PIECE: usize = 16 * 1024;

/// The body of a request.
#[derive(Debug)]
pub(super) struct RequestBody {
    inner: Incoming,
    exchange: Arc<Exchange>,
}

impl RequestBody {
    /// The body as a type that axum accepts.
    pub(super) fn body(inner: Incoming, exchange: &Arc<Exchange>) -> Body {
        exchange.set_unread_body(!inner.is_end_stream());
        if inner.is_end_stream() {
            return Body::empty();
        }
        Body::new(Self { inner, exchange: Arc::clone(exchange) })
    }
}

impl HttpBody for RequestBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let polled = Pin::new(&mut self.inner).poll_frame(context);
        match &polled {
            Poll::Pending => {
                self.exchange.wake_when_late(context.waker());
                if self.exchange.is_late() {
                    let late = io::Error::new(io::ErrorKind::TimedOut, "the body came too slowly");
                    return Poll::Ready(Some(Err(axum::Error::new(late))));
                }
                self.exchange.incoming.wait();
            }
            Poll::Ready(Some(Ok(frame))) => {
                let bytes = frame.data_ref().map_or(0, Bytes::len);
                self.exchange.incoming.moved(bytes);
                self.exchange.set_unread_body(!self.inner.is_end_stream());
            }
            Poll::Ready(ended) => {
                self.exchange.incoming.rest();
                self.exchange.set_unread_body(ended.is_some());
            }
        }
        polled.map_err(axum::Error::new)
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}

impl Drop for RequestBody {
    fn drop(&mut self) {
        self.exchange.incoming.rest();
    }
}

/// The body of an answer.
#[derive(Debug)]
pub(super) struct AnswerBody {
    inner: Body,
    /// For an answer among others: the rest to hand over.
    pieces: Option<Pieces>,
    _answering: Answering,
}

#[derive(Debug)]
struct Pieces {
    exchange: Arc<Exchange>,
    /// Length of the piece that was handed over last.
    handed_over: usize,
    rest: Bytes,
}

/// The request counts as being answered until this is dropped.
#[derive(Debug)]
pub(super) struct Answering(Arc<Connection>);

impl Answering {
    /// An answer starts.
    pub(super) fn begin(connection: &Arc<Connection>) -> Self {
        connection.begin_answer();
        Self(Arc::clone(connection))
    }

    /// The body of the answer. The client takes what the connection sends.
    pub(super) const fn body(self, inner: Body) -> AnswerBody {
        AnswerBody { inner, pieces: None, _answering: self }
    }

    /// The body of an answer among others: the client takes each at its own pace.
    pub(super) const fn body_beside(self, inner: Body, exchange: Arc<Exchange>) -> AnswerBody {
        let pieces = Pieces { exchange, handed_over: 0, rest: Bytes::new() };
        AnswerBody { inner, pieces: Some(pieces), _answering: self }
    }
}

impl Drop for Answering {
    fn drop(&mut self) {
        self.0.end_answer();
    }
}

impl Pieces {
    /// The next piece of the contents, for which the client is timed from now on.
    fn hand_over(&mut self, mut contents: Bytes) -> Frame<Bytes> {
        self.rest = contents.split_off(contents.len().min(PIECE));
        self.handed_over = contents.len();
        self.exchange.outgoing.wait();
        Frame::data(contents)
    }
}

impl HttpBody for AnswerBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let this = &mut *self;
        let Some(pieces) = &mut this.pieces else {
            return Pin::new(&mut this.inner).poll_frame(context);
        };
        // A caller that requests more has taken the previous piece.
        pieces.exchange.outgoing.moved(std::mem::take(&mut pieces.handed_over));
        if !pieces.rest.is_empty() {
            let rest = std::mem::take(&mut pieces.rest);
            return Poll::Ready(Some(Ok(pieces.hand_over(rest))));
        }
        let polled = Pin::new(&mut this.inner).poll_frame(context);
        match polled {
            Poll::Ready(Some(Ok(frame))) => Poll::Ready(Some(Ok(match frame.into_data() {
                Ok(contents) => pieces.hand_over(contents),
                Err(frame) => frame,
            }))),
            other => other,
        }
    }

    fn is_end_stream(&self) -> bool {
        self.pieces.as_ref().is_none_or(|pieces| pieces.rest.is_empty())
            && self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let hint = self.inner.size_hint();
        let rest = self.pieces.as_ref().map_or(0, |pieces| pieces.rest.len() as u64);
        match hint.exact() {
            Some(exact) => SizeHint::with_exact(exact + rest),
            None => hint,
        }
    }
}
