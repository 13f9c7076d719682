//! The bytes of a connection: records when bytes arrive, and when the client does not take what is sent.

use std::{
    io::{self, IoSlice},
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::TcpStream,
};

use super::connection::Connection;

/// Unsent bytes that the system buffers for each connection. So the pace of a client shows soon, and slow clients
/// use little memory.
const UNSENT: u32 = 128 * 1024;
/// A client that acknowledges nothing for this long is gone.
const GONE: Duration = Duration::from_mins(1);

/// A connection's stream.
#[derive(Debug)]
pub(super) struct Stream {
    inner: TcpStream,
    connection: Arc<Connection>,
}

impl Stream {
    /// The stream of a connection.
    pub(super) fn new(inner: TcpStream, connection: Arc<Connection>) -> Self {
        // Without this the end of an answer waits until the client acknowledges its start.
        drop(inner.set_nodelay(true));
        #[cfg(target_os = "linux")]
        {
            let socket = socket2::SockRef::from(&inner);
            // Serving works without these options.
            drop(socket.set_tcp_notsent_lowat(UNSENT));
            drop(socket.set_tcp_user_timeout(Some(GONE)));
        }
        Self { inner, connection }
    }

    fn sent(&self, result: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        match &result {
            Poll::Pending => self.connection.outgoing.wait(),
            Poll::Ready(Ok(bytes)) => self.connection.outgoing.moved(*bytes),
            Poll::Ready(Err(_)) => {}
        }
        result
    }
}

impl AsyncRead for Stream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.inner).poll_read(context, buffer);
        if buffer.filled().len() > before {
            self.connection.received();
        }
        read
    }
}

impl AsyncWrite for Stream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let sent = Pin::new(&mut self.inner).poll_write(context, bytes);
        self.sent(sent)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let sent = Pin::new(&mut self.inner).poll_write_vectored(context, parts);
        self.sent(sent)
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_shutdown(context)
    }
}
