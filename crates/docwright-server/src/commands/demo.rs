//! `docwright demo`: Show the main job end to end.

use std::process::ExitCode;

/// Show the main job end to end.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {}

/// Runs the command.
pub(crate) fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let _ = arguments;
    todo!()
}
