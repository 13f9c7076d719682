//! `docwright`: a documentation platform in one binary.

mod api;
mod commands;
mod config;
mod deployment;
mod hosting;
mod logging;
mod preview;
mod service;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    commands::run(commands::Arguments::parse())
}
