//! What one client can ask for at once by HTTP/2, and how much is held for it.

use hyper::server::conn::http2::Builder;
use hyper_util::rt::TokioExecutor;

use super::READ_HEAD;

/// Requests at once. Browsers want 100 at most, and wait for the rest.
const STREAMS: u32 = 100;
/// Bytes of a body that a client can send before someone reads them, of one request and of all.
const WINDOW: u32 = 256 * 1024;
const WINDOW_OF_ALL: u32 = 1024 * 1024;
/// Bytes of an answer that wait for the client to take them.
const UNSENT: usize = 64 * 1024;
/// Requests that were taken back before they were started; with more of them the connection ends.
const TAKEN_BACK: usize = 20;
/// Requests that were taken back or refused and are remembered at all.
const BROKEN_OFF: usize = 200;

/// Connections of HTTP/2 within these bounds.
pub(super) fn builder() -> Builder<TokioExecutor> {
    let mut builder = Builder::new(TokioExecutor::new());
    builder
        .max_concurrent_streams(STREAMS)
        .max_header_list_size(u32::try_from(READ_HEAD).unwrap_or(u32::MAX))
        .initial_stream_window_size(WINDOW)
        .initial_connection_window_size(WINDOW_OF_ALL)
        .max_send_buf_size(UNSENT)
        .max_pending_accept_reset_streams(TAKEN_BACK)
        .max_local_error_reset_streams(BROKEN_OFF);
    builder
}
