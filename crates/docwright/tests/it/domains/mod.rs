//! Domains: showing whose they are, and their certificates.

pub(crate) mod dns;
mod ownership;
pub(crate) mod pebble;
mod tls;
