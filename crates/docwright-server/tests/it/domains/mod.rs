//! Domains: showing whose they are, and their certificates.

pub(crate) mod dns;
mod ownership;
mod pebble;
mod tls;
