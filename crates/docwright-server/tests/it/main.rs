//! One binary for all integration tests of the service: the real server over real HTTP.

mod api;
mod commands;
mod deployment;
mod hosting;
mod worker;
