//! One binary for all integration tests of the service: the real program over real HTTP.

mod agent;
mod api;
mod checkout;
#[cfg(target_os = "linux")]
mod child;
mod commands;
#[cfg(unix)]
mod deployment;
#[cfg(unix)]
mod interruption;
mod postgres;
mod replaced;
mod server;
mod tenants;
mod updates;
mod worker;
