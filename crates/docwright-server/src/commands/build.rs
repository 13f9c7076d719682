//! `docwright build`: Render a docs root to a folder.

use std::process::ExitCode;

/// Render a docs root to a folder.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {}

/// Runs the command.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let _ = arguments;
    todo!()
}
