//! Connections, and everything that all listeners of docwright share: TLS, limits, addresses of clients, ids of
//! requests, errors, and metrics.
//!
//! This crate knows no pages, operations of the API, or sites.

pub mod api_key;
pub mod authority;
pub mod client;
pub mod contents;
pub mod error;
pub mod health;
pub mod json_rpc;
pub mod listen;
pub mod listen_address;
pub mod metrics;
pub mod origin;
pub mod page;
pub mod parameters;
pub mod probes;
pub mod rate_limit;
pub mod request;
mod secret_paths;
pub mod session;
pub mod signals;
pub mod this_machine;
pub mod tls;
