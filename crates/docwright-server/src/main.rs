//! `docwright`: a documentation platform in one binary.

mod api;
mod attempts;
mod authority;
mod authorize;
mod client;
mod commands;
mod compile;
mod config;
mod dashboard;
mod deployment;
mod dev_server;
mod diagnostic_report;
mod error;
mod flows;
mod front;
mod git_host;
mod health;
mod hooks;
mod listen;
mod logging;
mod markdown;
mod metrics;
mod openid;
mod origin;
mod page;
mod parameters;
mod probes;
mod progress;
mod rate_limit;
mod refusals;
mod repositories;
mod request;
mod sandbox;
mod secret_paths;
mod service;
mod serving;
mod session;
mod signals;
mod sites;
mod state;
mod tls;
mod webauthn;

use std::process::ExitCode;

use clap::Parser;

/// Rendering is many small allocations on several threads, which the allocator of the C library
/// serves slowly.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    commands::run(commands::Arguments::parse())
}
