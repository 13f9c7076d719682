//! Domains: verification and certificates.

pub(crate) mod dns;
mod ownership;
pub(crate) mod pebble;
mod tls;
