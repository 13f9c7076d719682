//! Serving sites that were unpacked.

mod mcp;
pub(crate) mod static_site;
