//! The source of a call.

use std::net::IpAddr;

use axum::http::request::Parts;
use docwright_http::{client::ClientAddress, origin};

/// The source of a call.
#[derive(Debug, Clone, Copy)]
pub(super) struct Agent {
    /// The address that its limits count.
    pub(super) address: Option<IpAddr>,
    /// Whether a browser sent the request for a page of another site.
    pub(super) is_foreign: bool,
}

impl Agent {
    /// The agent that sent a request.
    pub(super) fn of(parts: &Parts) -> Self {
        Self { address: ClientAddress::of(parts).address, is_foreign: !origin::is_own(parts) }
    }
}
