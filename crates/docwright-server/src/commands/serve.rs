//! `docwright serve`: Serve API, dashboard and sites, and run workers.

use std::process::ExitCode;

/// Serve API, dashboard and sites, and run workers.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {}

/// Runs the command.
pub(crate) fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let _ = arguments;
    todo!()
}
