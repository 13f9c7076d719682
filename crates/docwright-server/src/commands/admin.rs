//! `docwright admin`: Manage organisations, projects, domains, plans and keys.

use std::process::ExitCode;

/// Manage organisations, projects, domains, plans and keys.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {}

/// Runs the command.
pub(crate) fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let _ = arguments;
    todo!()
}
