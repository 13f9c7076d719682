//! Domains: verification and certificates.

mod default;
pub(crate) mod dns;
mod ownership;
pub(crate) mod pebble;
mod tls;
