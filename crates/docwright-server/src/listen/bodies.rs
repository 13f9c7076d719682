//! The bodies of a connection: that of a request, which may come too slowly, and that of an answer,
//! whose end is the end of the answer.

use std::{
    io,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use axum::body::{Body, Bytes};
use hyper::body::{Body as HttpBody, Frame, Incoming, SizeHint};

use super::connection::{Connection, Phase};

/// The body of a request.
#[derive(Debug)]
pub(super) struct RequestBody {
    inner: Incoming,
    connection: Arc<Connection>,
}

impl RequestBody {
    /// The body as axum wants it.
    pub(super) fn body(inner: Incoming, connection: &Arc<Connection>) -> Body {
        if inner.is_end_stream() {
            return Body::empty();
        }
        Body::new(Self { inner, connection: Arc::clone(connection) })
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
                self.connection.wake_when_late(context.waker());
                if self.connection.is_late() {
                    let late = io::Error::new(io::ErrorKind::TimedOut, "the body came too slowly");
                    return Poll::Ready(Some(Err(axum::Error::new(late))));
                }
                self.connection.incoming.wait();
            }
            Poll::Ready(Some(Ok(frame))) => {
                let bytes = frame.data_ref().map_or(0, Bytes::len);
                self.connection.incoming.moved(bytes);
            }
            Poll::Ready(_) => self.connection.incoming.rest(),
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
        self.connection.incoming.rest();
    }
}

/// The body of an answer.
#[derive(Debug)]
pub(super) struct AnswerBody {
    inner: Body,
    _answering: Answering,
}

/// A request is answered until this is dropped.
#[derive(Debug)]
pub(super) struct Answering(Arc<Connection>);

impl Answering {
    /// An answer begins.
    pub(super) fn begin(connection: &Arc<Connection>) -> Self {
        connection.enter(Phase::Answering);
        Self(Arc::clone(connection))
    }

    /// The body of the answer.
    pub(super) const fn body(self, inner: Body) -> AnswerBody {
        AnswerBody { inner, _answering: self }
    }
}

impl Drop for Answering {
    fn drop(&mut self) {
        self.0.enter(Phase::Idle);
    }
}

impl HttpBody for AnswerBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.inner).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}
