//! Limits of one client over HTTP/2.

use hyper::server::conn::http2::Builder;
use hyper_util::rt::TokioExecutor;

use super::READ_HEAD;

/// Simultaneous requests. Browsers use at most 100, and queue the rest.
const STREAMS: u32 = 100;
/// Bytes of a body that a client can send before they are read, for one request and for all.
const WINDOW: u32 = 256 * 1024;
const WINDOW_OF_ALL: u32 = 1024 * 1024;
/// Bytes of an answer that wait for the client.
const UNSENT: usize = 64 * 1024;
/// Requests reset before they were started; with more of them the connection ends.
const TAKEN_BACK: usize = 20;
/// Reset or refused requests that are remembered.
const BROKEN_OFF: usize = 200;

/// HTTP/2 connections with these limits.
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
