//! `docwright deploy`: Serve an exported bundle.

use std::process::ExitCode;

/// Serve an exported bundle.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {}

/// Runs the command.
pub(crate) fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let _ = arguments;
    todo!()
}
