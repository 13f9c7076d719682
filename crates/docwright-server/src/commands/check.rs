//! `docwright check`: Report mistakes in a docs root.

use std::process::ExitCode;

/// Report mistakes in a docs root.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {}

/// Runs the command.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let _ = arguments;
    todo!()
}
