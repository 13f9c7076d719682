//! `docwright`: a documentation platform in one binary.

mod api;
mod commands;
mod config;
mod deployment;
mod flows;
mod front;
mod git_host;
mod listen;
mod logging;
mod preview;
mod service;
mod sites;

use std::process::ExitCode;

use clap::Parser;

/// Rendering is many small allocations on several threads, which the allocator of the C library
/// serves slowly.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    commands::run(commands::Arguments::parse())
}
