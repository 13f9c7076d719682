//! One binary for all integration tests of the service: the real program over real HTTP.

mod agent;
mod api;
mod checkout;
mod commands;
mod deployment;
mod postgres;
mod server;
mod worker;
