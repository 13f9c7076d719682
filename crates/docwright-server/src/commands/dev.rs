//! `docwright dev`: Preview a docs root.

use std::process::ExitCode;

/// Preview a docs root.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {}

/// Runs the command.
pub(crate) fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let _ = arguments;
    todo!()
}
