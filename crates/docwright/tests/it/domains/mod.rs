//! Domains: verification, where names lead, renames, and certificates.

mod default;
pub(crate) mod dns;
mod leads;
mod ownership;
pub(crate) mod pebble;
mod renames;
mod tls;
