//! `docwright answers`: measure how a site answers readers' questions.

mod baseline;
mod check;
mod files;
mod report;

use std::process::ExitCode;

use clap::Subcommand;

/// Measure the answers of a docs root
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Ask golden questions; exit with status 1 if one that passed fails
    Check(check::Arguments),
}

/// Runs the command.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    match &arguments.command {
        Command::Check(arguments) => check::run(arguments),
    }
}
