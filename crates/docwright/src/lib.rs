//! The program: its commands, its settings, and the service that puts all parts together. It alone reads the
//! environment.

mod baseline_file;
mod commands;
mod compile;
mod config;
mod dev_server;
mod diagnostic_report;
mod embedder;
mod flows;
mod front;
mod git_host;
mod hashing_file;
mod last_build;
mod logging;
mod partial_file;
mod progress;
mod reader_records;
mod repositories;
mod result_cache;
mod sandbox;
mod service;
mod timings;
mod webhooks;

use std::process::ExitCode;

use clap::Parser;

/// Runs the command of this process's arguments.
pub fn run() -> ExitCode {
    commands::run(commands::Arguments::parse())
}
