//! One binary for all integration tests of the service: the real program over real HTTP.

mod agent;
mod api;
mod checkout;
#[cfg(target_os = "linux")]
mod child;
mod commands;
mod deployment;
#[cfg(unix)]
mod interruption;
mod postgres;
mod replaced;
mod server;
mod sites;
mod tenants;
mod updates;
mod worker;
